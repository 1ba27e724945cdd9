import { Fn, Validations, ArnFormat, Stack } from 'aws-cdk-lib';
import {
  ApiMapping,
  DomainName,
  HttpApi,
  HttpRoute,
  HttpStage,
  type CfnApi,
  type CfnDomainName,
  type CfnStage,
  type HttpRouteIntegration,
  type HttpRouteKey,
  type IHttpApi,
  type IAccessLogSettings,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { type PORTAL_SERVICE, type SERVICE, METRIC_NAMESPACE } from '../functions/shared/names.ts';
import type { RateLimit } from './rate-limit.ts';
import { logRemovalPolicy, type StageProps } from './stage-props.ts';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import { FilterPattern, LogGroup, RetentionDays, type ILogGroup } from 'aws-cdk-lib/aws-logs';
import { THROTTLED_REQUESTS } from './monitoring/metrics.ts';

/** The domain of an API, in front of API Gateway's own. */
export interface ApiDomain {
  readonly domainName: string;
  /** Of ACM, in the region of the API. */
  readonly certificateArn: string;
  /** For an API that only an edge reaches: its domain behind the edge, and the issuers of the edge's certificate. */
  readonly behindEdge?: {
    readonly originDomainName: string;
    /** `s3://bucket/key`: certificates in PEM. */
    readonly truststore: string;
  };
}

/**
 * The address of an HTTP API without routes: what callers know, and so what must outlive the code. {@link
 * HttpApiRoutes} adds what answers.
 */
export class HttpApiAddress extends Construct {
  readonly api: IHttpApi;
  /** For callers, without a trailing slash. */
  readonly url: string;
  /** API Gateway's own address, and its host; with a domain they answer nobody. */
  readonly endpoint: string;
  readonly host: string;
  /** The domain; undefined: API Gateway's own. */
  readonly domain: DomainName | undefined;

  constructor(scope: Construct, id: string, { name, domain }: { readonly name: string; readonly domain?: ApiDomain }) {
    super(scope, id);
    const api = new HttpApi(this, 'Api', {
      apiName: name,
      createDefaultStage: false,
      // With a domain there is no second address.
      disableExecuteApiEndpoint: domain !== undefined,
    });
    this.api = api as IHttpApi;
    const endpoint = (api.node.defaultChild as CfnApi).attrApiEndpoint;
    this.host = Fn.select(2, Fn.split('/', endpoint));
    this.url = domain === undefined ? endpoint : `https://${domain.domainName}`;
    this.endpoint = endpoint;
    this.domain = domain && this.#domainOf(domain);
  }

  #domainOf({ domainName, certificateArn, behindEdge }: ApiDomain): DomainName {
    const [, bucketName = '', key = ''] = /^s3:\/\/([^/]+)\/(.+)$/.exec(behindEdge?.truststore ?? '') ?? [];
    return new DomainName(this, 'Domain', {
      domainName: behindEdge?.originDomainName ?? domainName,
      certificate: Certificate.fromCertificateArn(this, 'Certificate', certificateArn),
      ...(behindEdge && { mtls: { bucket: Bucket.fromBucketName(this, 'Truststore', bucketName), key } }),
    });
  }
}

export interface HttpApiRoutesProps extends StageProps {
  readonly address: HttpApiAddress;
  /** Of the access log, and the dimension of its metric. */
  readonly name: string;
  readonly service: typeof SERVICE | typeof PORTAL_SERVICE;
  /** What serves each route. */
  readonly routes: readonly {
    readonly key: HttpRouteKey;
    readonly integration: HttpRouteIntegration;
    /** Instead of the limit of all other routes together. */
    readonly limit?: RateLimit;
  }[];
  readonly limit: RateLimit;
  /** Why no route has an authorizer. */
  readonly withoutAuthorizer: string;
}

/** What answers at the address of an API: its routes, their limits, and the access log. */
export class HttpApiRoutes extends Construct {
  readonly accessLog: AccessLog;

  constructor(scope: Construct, id: string, props: HttpApiRoutesProps) {
    super(scope, id);
    const { address, name, service, routes, limit, withoutAuthorizer } = props;
    const { api: httpApi } = address;
    const created = routes.map(
      ({ key, integration }) =>
        new HttpRoute(this, key.key.replaceAll(/\W+/g, '-'), { httpApi, routeKey: key, integration }),
    );
    Validations.of(this).acknowledge({ id: 'AwsSolutions-APIG4', reason: withoutAuthorizer });
    this.accessLog = accessLog(this, 'AccessLog', props, { service, name });
    const stage = new HttpStage(this, 'Stage', {
      httpApi,
      stageName: '$default',
      autoDeploy: true,
      throttle: { rateLimit: limit.requestsPerSecond, burstLimit: limit.burst },
      accessLogSettings: this.accessLog.settings,
    });
    (stage.node.defaultChild as CfnStage).routeSettings = Object.fromEntries(
      routes.flatMap(({ key, limit: own }) =>
        own ? [[key.key, { ThrottlingRateLimit: own.requestsPerSecond, ThrottlingBurstLimit: own.burst }]] : [],
      ),
    );
    // API Gateway refuses the settings of a route that does not exist yet.
    stage.node.addDependency(...created);
    if (address.domain) this.#map(address.domain, httpApi, stage);
  }

  /**
   * By the domain's name, not its export: a live stage may get another domain or none, and CloudFormation refuses to
   * change what another stack imports. So the stack of the address must be said to come first.
   */
  #map(domain: DomainName, api: IHttpApi, stage: HttpStage): void {
    const { domainName: name } = domain.node.defaultChild as CfnDomainName;
    const attributes = { name, regionalDomainName: '', regionalHostedZoneId: '' };
    const domainName = DomainName.fromDomainNameAttributes(this, 'Domain', attributes);
    new ApiMapping(this, 'Mapping', { api, domainName, stage });
    Stack.of(this).addStackDependency(Stack.of(domain));
  }
}

/**
 * One line of the access log. It does not contain the outcome in the function: `requestId` is the `apiRequestId` of the
 * function's own line, which has the key id and the outcome. It contains no path and no query, because a caller may
 * have put a key there.
 */
const ACCESS_LOG = {
  requestId: '$context.requestId',
  time: '$context.requestTime',
  routeKey: '$context.routeKey',
  status: '$context.status',
  responseLatencyMs: '$context.responseLatency',
  integrationLatencyMs: '$context.integrationLatency',
  integrationStatus: '$context.integrationStatus',
  integrationError: '$context.integrationErrorMessage',
  error: '$context.error.message',
  responseBytes: '$context.responseLength',
  sourceIp: '$context.identity.sourceIp',
  protocol: '$context.protocol',
};

/** The destination of an API's lines. */
interface AccessLog {
  readonly group: ILogGroup;
  readonly settings: IAccessLogSettings;
}

/**
 * The access log of an API, and a count of the requests that API Gateway itself throttled, for which it has no metric.
 *
 * @param service dimension of that count
 * @param name of the group, within those of the stage
 */
function accessLog(
  scope: Construct,
  id: string,
  { stage, production = false, logRetention = RetentionDays.ONE_WEEK }: StageProps,
  { service, name }: { readonly service: typeof SERVICE | typeof PORTAL_SERVICE; readonly name: string },
): AccessLog {
  const stack = Stack.of(scope);
  const group = new LogGroup(scope, id, {
    // For every group with another prefix, API Gateway adds a line to the account's log resource policy, until that is
    // full. The name is unique, so that a retained group does not block the next stack.
    logGroupName: `/aws/vendedlogs/${name}/${Fn.select(2, Fn.split('/', stack.stackId))}`,
    retention: logRetention,
    removalPolicy: logRemovalPolicy(production),
  });
  group.addMetricFilter('Throttled', {
    metricNamespace: METRIC_NAMESPACE,
    metricName: THROTTLED_REQUESTS,
    // A 429 of the functions comes from Lambda. For API Gateway's own 429, the request never reached Lambda.
    filterPattern: FilterPattern.literal('{ $.status = "429" && $.integrationStatus = "-" }'),
    dimensions: { service: '$.service', stage: '$.stage' },
  });
  // Without the `:*` at the end of the group's own attribute: API Gateway removes it, and the stage would drift.
  const destinationArn = stack.formatArn({
    service: 'logs',
    resource: 'log-group',
    resourceName: group.logGroupName,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
  return {
    group,
    settings: {
      destination: { bind: () => ({ destinationArn }) },
      format: AccessLogFormat.custom(JSON.stringify({ service, stage, ...ACCESS_LOG })),
    },
  };
}

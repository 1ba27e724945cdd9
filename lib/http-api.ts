import { Validations } from 'aws-cdk-lib';
import {
  ApiMapping,
  DomainName,
  HttpApi,
  HttpMethod,
  HttpStage,
  type CfnApi,
  type CfnStage,
  type HttpRouteIntegration,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import type { Alias, IFunction } from 'aws-cdk-lib/aws-lambda';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { ROUTES } from '../functions/routes.ts';
import { DEFAULT_ROUTE_FUNCTION, routeKeyOf, SERVICE, type FunctionName } from '../functions/wiring.ts';
import { accessLog, type AccessLog } from './access-log.ts';
import { edgeOf, type Edge } from './edge/edge.ts';
import type { StageSettings } from './settings.ts';

/** Limits, a second and at once, for everything except metered operations: health, preflights, unknown paths. */
const OTHER_REQUESTS_PER_SECOND = 50;
const OTHER_BURST = 100;

export interface GatewayHttpApiProps {
  readonly settings: StageSettings;
  readonly functions: Readonly<Record<FunctionName, Alias>>;
}

/**
 * The public API: the routes of the contract. The functions do CORS (`corsPreflight` stays unset) and authentication:
 * an authorizer's cache would delay a revocation.
 */
export class GatewayHttpApi extends Construct {
  /** Without a trailing slash. */
  readonly url: string;
  readonly apiId: string;
  /** API Gateway's own address, also with a domain. */
  readonly endpoint: string;
  /** The target for the DNS record of the API's domain; undefined without a domain. */
  readonly domainTarget: string | undefined;
  readonly accessLog: AccessLog;

  constructor(scope: Construct, id: string, { settings, functions }: GatewayHttpApiProps) {
    super(scope, id);
    const integrations: Record<FunctionName, HttpRouteIntegration> = {
      health: new HttpLambdaIntegration('Health', functions.health as IFunction),
      metered: new HttpLambdaIntegration('Metered', functions.metered as IFunction),
    };
    const { domainName, certificateArn } = settings;
    const api = new HttpApi(this, 'Api', {
      apiName: `sandbox-gateway-${settings.stage}`,
      defaultIntegration: integrations[DEFAULT_ROUTE_FUNCTION],
      createDefaultStage: false,
      // With a domain there is no second address.
      disableExecuteApiEndpoint: domainName !== undefined,
    });
    const routes = ROUTES.flatMap(({ method, path, function: name }) =>
      api.addRoutes({ path, methods: [HttpMethod[method]], integration: integrations[name] }),
    );
    Validations.of(api).acknowledge({
      id: 'AwsSolutions-APIG4',
      reason:
        'A metered operation authenticates in the write that counts the request: the cache of an authorizer would delay a revocation. ' +
        'Health, preflights and the 404 of $default are public by contract.',
    });

    const logged = { service: SERVICE, name: `sandbox-gateway-${settings.stage}` } as const;
    this.accessLog = accessLog(new Construct(this, 'AccessLogs'), 'Group', settings, logged);
    const stage = this.#addStage(api, settings);
    // API Gateway refuses the settings of a route that does not exist yet.
    stage.node.addDependency(...routes);
    this.apiId = api.apiId;
    this.endpoint = (api.node.defaultChild as CfnApi).attrApiEndpoint;
    if (domainName === undefined || certificateArn === undefined) {
      this.url = api.apiEndpoint;
    } else {
      const domain = this.#addDomain(domainName, certificateArn, edgeOf(settings));
      new ApiMapping(this, 'Mapping', { api, domainName: domain, stage });
      this.url = `https://${domainName}`;
      this.domainTarget = domain.regionalDomainName;
    }
  }

  /** The domain; with an edge another one, which accepts connections from the edge only. */
  #addDomain(domainName: string, certificateArn: string, edge: Edge | undefined): DomainName {
    const [, bucketName = '', key = ''] = /^s3:\/\/([^/]+)\/(.+)$/.exec(edge?.edgeTruststore ?? '') ?? [];
    return new DomainName(this, 'Domain', {
      domainName: edge?.edgeOriginDomainName ?? domainName,
      certificate: Certificate.fromCertificateArn(this, 'Certificate', certificateArn),
      ...(edge && {
        mtls: {
          bucket: Bucket.fromBucketName(this, 'Truststore', bucketName),
          key,
          ...(edge.edgeTruststoreVersion !== undefined && { version: edge.edgeTruststoreVersion }),
        },
      }),
    });
  }

  #addStage(api: HttpApi, settings: StageSettings): HttpStage {
    const created = new HttpStage(this, 'Stage', {
      httpApi: api,
      stageName: '$default',
      autoDeploy: true,
      throttle: { rateLimit: OTHER_REQUESTS_PER_SECOND, burstLimit: OTHER_BURST },
      accessLogSettings: this.accessLog.settings,
    });
    (created.node.defaultChild as CfnStage).routeSettings = Object.fromEntries(
      ROUTES.filter((route) => route.function === 'metered' && route.method !== 'OPTIONS').map((route) => [
        routeKeyOf(route),
        { ThrottlingRateLimit: settings.pingRequestsPerSecond, ThrottlingBurstLimit: settings.pingBurst },
      ]),
    );
    return created;
  }
}

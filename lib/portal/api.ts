import { Fn, Validations } from 'aws-cdk-lib';
import { ApiMapping, DomainName, HttpApi, HttpMethod, HttpStage } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import type { Alias, IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { PORTAL_SERVICE } from '../../functions/wiring.ts';
import { accessLog } from '../access-log.ts';
import type { StageSettings } from '../settings.ts';
import { closedApiOf, type ClosedApi } from './settings.ts';

/** Requests a second, and at once, for all people together: some twenty opened pages a second. */
const REQUESTS_PER_SECOND = 100;
const BURST = 200;

/**
 * The HTTP API behind `/api/*`. It is made before its function: the function needs the distribution's domain, and the
 * distribution needs this API's host.
 */
export class PortalApi extends Construct {
  readonly apiId: string;
  /** The host for CloudFront, without the scheme. */
  readonly host: string;
  /** If the API is closed: the target for the DNS record of its domain. */
  readonly domainTarget: string | undefined;
  readonly accessLogGroup: ILogGroup;
  readonly #api: HttpApi;

  constructor(scope: Construct, id: string, settings: StageSettings) {
    super(scope, id);
    const closed = closedApiOf(settings);
    this.#api = new HttpApi(this, 'Api', {
      apiName: `sandbox-gateway-${settings.stage}-portal`,
      createDefaultStage: false,
      disableExecuteApiEndpoint: closed !== undefined,
    });
    this.apiId = this.#api.apiId;
    const { stage, log } = this.#addStage(settings);
    this.accessLogGroup = log.group;
    if (closed) {
      const domainName = this.#addDomain(closed);
      new ApiMapping(this, 'Mapping', { api: this.#api, domainName, stage });
      this.host = closed.portalOriginDomainName;
      this.domainTarget = domainName.regionalDomainName;
    } else {
      this.host = Fn.select(2, Fn.split('/', this.#api.apiEndpoint));
    }
  }

  /** Sends all requests to the function, which checks paths and methods itself. */
  serve(live: Alias): void {
    this.#api.addRoutes({
      path: '/api/{proxy+}',
      methods: [HttpMethod.ANY],
      integration: new HttpLambdaIntegration('Portal', live as IFunction),
    });
    Validations.of(this.#api).acknowledge({
      id: 'AwsSolutions-APIG4',
      reason: 'A session is read at every request, never cached, in the same round trip as what it is asked for.',
    });
  }

  /** A domain that accepts only connections with a client certificate of the team's issuer. */
  #addDomain({ portalOriginDomainName, portalOriginCertificateArn, portalTruststore }: ClosedApi): DomainName {
    const [, bucketName = '', key = ''] = /^s3:\/\/([^/]+)\/(.+)$/.exec(portalTruststore) ?? [];
    return new DomainName(this, 'Domain', {
      domainName: portalOriginDomainName,
      certificate: Certificate.fromCertificateArn(this, 'Certificate', portalOriginCertificateArn),
      mtls: { bucket: Bucket.fromBucketName(this, 'Truststore', bucketName), key },
    });
  }

  #addStage(settings: StageSettings) {
    const name = `sandbox-gateway-${settings.stage}-portal`;
    const log = accessLog(this, 'AccessLogs', settings, { service: PORTAL_SERVICE, name });
    const stage = new HttpStage(this, 'Stage', {
      httpApi: this.#api,
      stageName: '$default',
      autoDeploy: true,
      throttle: { rateLimit: REQUESTS_PER_SECOND, burstLimit: BURST },
      accessLogSettings: log.settings,
    });
    return { stage, log };
  }
}

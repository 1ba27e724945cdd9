import { ArnFormat, Fn, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import { HttpApi, HttpMethod, HttpStage } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { Alias, IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, type ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { ACCESS_LOG } from '../access-log.ts';
import type { StageSettings } from '../settings.ts';

/** Requests a second, and at once, of all people together: some twenty pages opened in a second. */
const REQUESTS_PER_SECOND = 100;
const BURST = 200;

/**
 * The HTTP API behind `/api/*`. Made before its function, which must know the distribution's domain, which must know
 * this API's host.
 */
export class PortalApi extends Construct {
  readonly apiId: string;
  /** Without the scheme. */
  readonly host: string;
  readonly accessLogGroup: ILogGroup;
  readonly #api: HttpApi;

  constructor(scope: Construct, id: string, settings: StageSettings) {
    super(scope, id);
    this.#api = new HttpApi(this, 'Api', {
      apiName: `sandbox-gateway-${settings.stage}-portal`,
      createDefaultStage: false,
    });
    this.apiId = this.#api.apiId;
    this.host = Fn.select(2, Fn.split('/', this.#api.apiEndpoint));
    this.accessLogGroup = this.#addStage(settings);
  }

  /** Sends everything to the function, which knows its paths and methods itself. */
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

  #addStage({ stage, logRetentionDays }: StageSettings): ILogGroup {
    const stack = Stack.of(this);
    const logGroup = new LogGroup(this, 'AccessLogs', {
      // Other prefixes take room in the one resource policy that the account's logs have.
      logGroupName: `/aws/vendedlogs/sandbox-gateway-${stage}-portal/${Fn.select(2, Fn.split('/', stack.stackId))}`,
      retention: logRetentionDays,
      removalPolicy: stage === 'dev' ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    });
    const destinationArn = stack.formatArn({
      service: 'logs',
      resource: 'log-group',
      resourceName: logGroup.logGroupName,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
    new HttpStage(this, 'Stage', {
      httpApi: this.#api,
      stageName: '$default',
      autoDeploy: true,
      throttle: { rateLimit: REQUESTS_PER_SECOND, burstLimit: BURST },
      accessLogSettings: {
        destination: { bind: () => ({ destinationArn }) },
        format: AccessLogFormat.custom(JSON.stringify(ACCESS_LOG)),
      },
    });
    return logGroup;
  }
}

import { Stack } from 'aws-cdk-lib';
import { HttpMethod, HttpRouteKey } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { ROUTES } from '../functions/gateway/operations/index.ts';
import type { SourceAddresses } from '../functions/shared/names.ts';
import {
  DEFAULT_ROUTE_FUNCTION,
  DEFAULT_USAGE_RETENTION_DAYS,
  ENVIRONMENT,
  SERVICE,
  type FunctionName,
} from '../functions/shared/names.ts';
import { StageFunction } from './stage-function.ts';
import { HttpApiAddress, HttpApiRoutes } from './http-api.ts';
import { keyTagSecretText } from './key-tag-secret.ts';
import { NOTHING_COUNTED } from './monitoring/alarm-definition.ts';
import { AlarmTopic } from './monitoring/alarm-topic.ts';
import { alarmDefinitions } from './monitoring/alarm-definitions.ts';
import { gatewayGraphs } from './monitoring/dashboard.ts';
import { addMonitoring } from './monitoring/monitoring.ts';
import { StageDashboard } from './monitoring/stage-dashboard.ts';
import { GATEWAY_QUERIES } from './monitoring/saved-queries.ts';
import { Probe } from './probe/probe.ts';
import { rateLimit, type RateLimit } from './rate-limit.ts';
import type { StageProps } from './stage-props.ts';
import { inPartitions } from './table-grants.ts';
import type { Tables } from './tables.ts';

/** For everything except metered operations: health, preflights, unknown paths. */
const OTHER_ROUTES: RateLimit = { requestsPerSecond: 50, burst: 100 };
const METERED_REQUESTS_PER_SECOND = 50;
/** That of a new account. */
const CONCURRENCY_QUOTA = 10;

export interface GatewayProps extends StageProps {
  readonly tables: Tables;
  /** Under which keys are tagged (`keyTagSecret`), and the version of it; default: the current one. */
  readonly keyTagSecret: ISecret;
  readonly keyTagSecretVersion?: string | undefined;
  /** What callers know of the API. Default: API Gateway's own address, which goes with this construct. */
  readonly address?: HttpApiAddress;
  /** The browser origins that may read answers. Default: none. */
  readonly portalOrigin?: string | undefined;
  readonly localDevOrigin?: string | undefined;
  /** How often a quota begins again. Default: `month`. */
  readonly quotaPeriod?: 'month' | 'day';
  /** How long charged usage events and quota counters are kept. Default: 400. */
  readonly usageRetentionDays?: number;
  /** The form in which events keep network addresses of callers. Default: none. */
  readonly sourceAddresses?: SourceAddresses;
  /** Requests a second to each metered operation, over all keys. It bounds the cost of forged keys. Default: 50. */
  readonly meteredRequestsPerSecond?: number;
  /** Execution environments of the metered function that are kept warm. Default: 0. */
  readonly provisionedConcurrency?: number;
  /** Concurrent executions of the account: an alarm goes off at four fifths. Default: 10, a new account's. */
  readonly concurrencyQuota?: number;
  /** What alarms publish to. Default: a topic of this construct's own. */
  readonly alarmTopic?: ITopic;
  /** Calls the API from outside every minute, with a key of its own if it has one. Default: nothing does. */
  readonly probe?: { readonly portalOrigin: string | undefined; readonly keySecretArn: string | undefined };
}

/** The gateway: two functions, the routes of the contract, and their monitoring. */
export class Gateway extends Construct {
  /** Origin of the API, for callers. */
  readonly url: string;
  readonly alarmTopic: ITopic;
  readonly functions: Readonly<Record<FunctionName, StageFunction>>;
  readonly accessLogGroup: ILogGroup;
  /** Undefined: nobody watches the stage. */
  readonly dashboard: StageDashboard | undefined;
  /** Folder of the saved queries in CloudWatch. */
  readonly savedQueries: string;
  readonly probeName: string | undefined;

  constructor(scope: Construct, id: string, props: GatewayProps) {
    super(scope, id);
    const { stage, tables, concurrencyQuota = CONCURRENCY_QUOTA, isWatched = true } = props;
    const name = `sandbox-gateway-${stage}`;
    const address = props.address ?? new HttpApiAddress(this, 'Address', { name });
    const health = new StageFunction(this, 'Health', {
      ...props,
      name: 'health',
      environment: origins(props),
      provisionedConcurrency: 0,
    });
    const metered = new StageFunction(this, 'Metered', {
      ...props,
      name: 'metered',
      environment: {
        ...origins(props),
        [ENVIRONMENT.gatewayTable]: tables.gateway.tableName,
        [ENVIRONMENT.usageTable]: tables.usage.tableName,
        [ENVIRONMENT.quotaPeriod]: props.quotaPeriod ?? 'month',
        [ENVIRONMENT.usageRetentionDays]: String(props.usageRetentionDays ?? DEFAULT_USAGE_RETENTION_DAYS),
        [ENVIRONMENT.sourceAddresses]: props.sourceAddresses ?? 'none',
        [ENVIRONMENT.keyTagSecrets]: keyTagSecretText(props.keyTagSecret, props.keyTagSecretVersion),
      },
    });
    grantMetered(metered.role, tables);
    this.functions = { health, metered };
    const routes = new HttpApiRoutes(this, 'Routes', {
      ...props,
      address,
      name,
      service: SERVICE,
      routes: this.#routes(props),
      limit: OTHER_ROUTES,
      // The functions do CORS, too: API Gateway would answer a preflight of an unknown path.
      withoutAuthorizer:
        'A metered operation authenticates in the write that counts the request: the cache of an authorizer would delay a revocation. ' +
        'Health, preflights and the 404 of $default are public by contract.',
    });

    const topic = props.alarmTopic ?? new AlarmTopic(this, 'AlarmTopic', undefined);
    const probe = props.probe && new Probe(this, 'Probe', { apiUrl: address.url, ...props.probe });
    const monitored = {
      stage,
      tables,
      concurrencyQuota,
      apiId: address.api.apiId,
      ...(probe && { probe }),
      functions: { health: health.live, metered: metered.live },
    };
    const access = routes.accessLog.group;
    this.dashboard = isWatched ? new StageDashboard(this, 'Monitoring', stage) : undefined;
    addMonitoring(this, {
      ...props,
      functions: [metered, health],
      alarms: alarmDefinitions(monitored),
      topic,
      whenMissing: NOTHING_COUNTED,
      dashboard: this.dashboard,
      title: 'Alarms of the gateway',
      graphs: () => gatewayGraphs(monitored),
      queries: GATEWAY_QUERIES,
      folder: name,
      access,
    });
    this.url = address.url;
    this.alarmTopic = topic;
    this.accessLogGroup = access;
    this.savedQueries = name;
    this.probeName = probe?.canaryName;
  }

  #routes({ meteredRequestsPerSecond: requestsPerSecond = METERED_REQUESTS_PER_SECOND }: GatewayProps) {
    const integrations = {
      health: new HttpLambdaIntegration('Health', this.functions.health.live as IFunction),
      metered: new HttpLambdaIntegration('Metered', this.functions.metered.live as IFunction),
    };
    const limit = rateLimit(requestsPerSecond, Stack.of(this).region);
    return [
      ...ROUTES.map(({ method, path, function: name }) => ({
        key: HttpRouteKey.with(path, HttpMethod[method]),
        integration: integrations[name],
        ...(name === 'metered' && method !== 'OPTIONS' && { limit }),
      })),
      { key: HttpRouteKey.DEFAULT, integration: integrations[DEFAULT_ROUTE_FUNCTION] },
    ];
  }
}

const origins = ({ portalOrigin = '', localDevOrigin = '' }: GatewayProps): Record<string, string> => ({
  [ENVIRONMENT.portalOrigin]: portalOrigin,
  [ENVIRONMENT.localDevOrigin]: localDevOrigin,
});

/** Partitions of the Gateway table that requests use; accounts belong to the control plane. */
const KEYS = 'KEY#*';
const PROJECTS = 'PROJECT#*';

/**
 * Grants the metered function exactly the permissions that it needs. IAM checks the parts of a transaction as single
 * calls: `TransactWriteItems` as UpdateItem and PutItem, `TransactGetItems` as GetItem.
 */
function grantMetered(role: Role, { gateway, usage }: Tables): void {
  // Admission counts in the key item; settlement charges the quota.
  role.addToPolicy(inPartitions(gateway, ['UpdateItem'], [KEYS, PROJECTS]));
  // The snapshot, the shards of a quota, the second read of a replay record, and the record itself.
  role.addToPolicy(inPartitions(gateway, ['BatchGetItem', 'Query', 'GetItem', 'PutItem'], [PROJECTS]));
  role.addToPolicy(new PolicyStatement({ actions: ['dynamodb:PutItem'], resources: [usage.tableArn] }));
}

import { ArnFormat, Fn, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import type { IAccessLogSettings } from 'aws-cdk-lib/aws-apigatewayv2';
import { FilterPattern, LogGroup, type ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { METRIC_NAMESPACE, type PORTAL_SERVICE, type SERVICE } from '../functions/wiring.ts';
import { THROTTLED_REQUESTS } from './monitoring/metrics.ts';
import type { StageSettings } from './settings.ts';

/**
 * One line of the access log. It knows nothing of what a function did: `requestId` is the `apiRequestId` of the
 * function's own line, which has the key id and the outcome. No path and no query: a caller may have put a key there.
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

/** Where the lines of an API go. */
export interface AccessLog {
  readonly group: ILogGroup;
  readonly settings: IAccessLogSettings;
}

/**
 * The access log of an API, and the count of what API Gateway itself refused for the rate, which is in no metric.
 *
 * @param service dimension of that count
 * @param name of the group, within those of the stage
 */
export function accessLog(
  scope: Construct,
  id: string,
  { stage, logRetentionDays }: StageSettings,
  { service, name }: { readonly service: typeof SERVICE | typeof PORTAL_SERVICE; readonly name: string },
): AccessLog {
  const stack = Stack.of(scope);
  const group = new LogGroup(scope, id, {
    // API Gateway writes a line into the log resource policy of the account for every group with another prefix, until
    // that is full. Unique: a retained group must not be in the way of the next stack.
    logGroupName: `/aws/vendedlogs/${name}/${Fn.select(2, Fn.split('/', stack.stackId))}`,
    retention: logRetentionDays,
    removalPolicy: stage === 'dev' ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  });
  group.addMetricFilter('Throttled', {
    metricNamespace: METRIC_NAMESPACE,
    metricName: THROTTLED_REQUESTS,
    // A 429 of the functions has come from Lambda; one of API Gateway has never gone there.
    filterPattern: FilterPattern.literal('{ $.status = "429" && $.integrationStatus = "-" }'),
    dimensions: { service: '$.service', stage: '$.stage' },
  });
  // Without the `:*` that the group's own attribute ends in: API Gateway takes it off, and the stage would drift.
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

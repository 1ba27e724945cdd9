import { ArnFormat, Fn, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import type { IAccessLogSettings } from 'aws-cdk-lib/aws-apigatewayv2';
import { FilterPattern, LogGroup, RetentionDays, type ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { METRIC_NAMESPACE, type PORTAL_SERVICE, type SERVICE } from '../functions/shared/names.ts';
import { THROTTLED_REQUESTS } from './monitoring/metrics.ts';
import type { StageProps } from './stage-props.ts';

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
export interface AccessLog {
  readonly group: ILogGroup;
  readonly settings: IAccessLogSettings;
}

/**
 * The access log of an API, and a count of the requests that API Gateway itself throttled, for which it has no metric.
 *
 * @param service dimension of that count
 * @param name of the group, within those of the stage
 */
export function accessLog(
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
    removalPolicy: production ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
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

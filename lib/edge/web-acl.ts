import { ArnFormat, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { CfnLoggingConfiguration, CfnWebACL } from 'aws-cdk-lib/aws-wafv2';
import type { Construct } from 'constructs';

const WINDOW_SECONDS = 60;
/** API Gateway's word: a client that handles one handles the other. */
const TOO_MANY = 'too-many-requests';

export interface EdgeLimits {
  /** From one address, in any minute. */
  readonly addressRequestsPerMinute: number;
  /** How long the log of refused requests is kept. Default: a week. */
  readonly logRetention?: RetentionDays;
}

/**
 * Limits the requests of an address in any minute, and refuses known bad addresses. Refused requests reach neither
 * CloudFront's bill nor the API. They are logged with the address, and without headers that may contain a key. `name`
 * distinguishes the edge from others of the account.
 */
export function edgeWebAcl(
  scope: Construct,
  id: string,
  name: string,
  { addressRequestsPerMinute: limit, logRetention = RetentionDays.ONE_WEEK }: EdgeLimits,
): { readonly webAcl: CfnWebACL; readonly refusedLog: string } {
  // Samples would show the headers of requests, including keys, to everyone who may read the web ACL.
  const visible = (metricName: string) => ({
    metricName,
    cloudWatchMetricsEnabled: true,
    sampledRequestsEnabled: false,
  });
  const webAcl = new CfnWebACL(scope, id, {
    scope: 'CLOUDFRONT',
    description: `Sandbox developer gateway, ${name}`,
    defaultAction: { allow: {} },
    visibilityConfig: visible('All'),
    customResponseBodies: {
      [TOO_MANY]: { contentType: 'APPLICATION_JSON', content: JSON.stringify({ message: 'Too Many Requests' }) },
    },
    rules: [
      {
        name: 'KnownBadAddresses',
        priority: 0,
        statement: { managedRuleGroupStatement: { vendorName: 'AWS', name: 'AWSManagedRulesAmazonIpReputationList' } },
        overrideAction: { none: {} },
        visibilityConfig: visible('KnownBadAddresses'),
      },
      {
        name: 'RequestsOfOneAddress',
        priority: 1,
        statement: {
          rateBasedStatement: {
            aggregateKeyType: 'IP',
            evaluationWindowSec: WINDOW_SECONDS,
            limit,
          },
        },
        action: {
          block: {
            customResponse: {
              responseCode: 429,
              customResponseBodyKey: TOO_MANY,
              responseHeaders: [{ name: 'Retry-After', value: String(WINDOW_SECONDS) }],
            },
          },
        },
        visibilityConfig: visible('RequestsOfOneAddress'),
      },
    ],
  });
  // WAF accepts only log groups with this prefix.
  const refusedLog = `aws-waf-logs-sandbox-gateway-${name}`;
  logRefused(scope, webAcl, refusedLog, logRetention);
  return { webAcl, refusedLog };
}

function logRefused(scope: Construct, webAcl: CfnWebACL, logGroupName: string, retention: RetentionDays): void {
  const group = new LogGroup(scope, 'RefusedRequests', {
    logGroupName,
    retention,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  new CfnLoggingConfiguration(scope, 'RefusedRequestsLog', {
    resourceArn: webAcl.attrArn,
    logDestinationConfigs: [
      Stack.of(scope).formatArn({
        service: 'logs',
        resource: 'log-group',
        resourceName: group.logGroupName,
        arnFormat: ArnFormat.COLON_RESOURCE_NAME,
      }),
    ],
    redactedFields: [
      { singleHeader: { Name: 'authorization' } },
      { singleHeader: { Name: 'idempotency-key' } },
      { uriPath: {} },
      { queryString: {} },
    ],
    loggingFilter: {
      DefaultBehavior: 'DROP',
      Filters: [
        {
          Behavior: 'KEEP',
          Requirement: 'MEETS_ANY',
          Conditions: [{ ActionCondition: { Action: 'BLOCK' } }],
        },
      ],
    },
  });
}

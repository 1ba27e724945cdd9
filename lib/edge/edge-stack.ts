import { Duration, Fn, Stack, Validations, type StackProps, ArnFormat } from 'aws-cdk-lib';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import {
  AllowedMethods,
  CachePolicy,
  Distribution,
  HttpVersion,
  OriginProtocolPolicy,
  OriginRequestPolicy,
  OriginSslPolicy,
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
  type CfnDistribution,
} from 'aws-cdk-lib/aws-cloudfront';
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { HttpOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import type { Construct } from 'constructs';
import { HEADERS } from '../../functions/shared/names.ts';
import { OWN_RUNBOOK } from '../setting-values.ts';
import { logRemovalPolicy, type StageProps } from '../stage-props.ts';
import { ONE_OF_ONE, NO_REQUESTS, type AlarmDefinition } from '../monitoring/alarm-definition.ts';
import { AlarmTopic } from '../monitoring/alarm-topic.ts';
import { addAlarm } from '../monitoring/alarms.ts';
import { edgeErrorPercent, FEWEST_ERRORS } from '../monitoring/metrics.ts';
import { addOutputs } from '../stack-outputs.ts';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { CfnLoggingConfiguration, CfnWebACL } from 'aws-cdk-lib/aws-wafv2';

/** Errors of an origin. CloudFront would cache them for ten seconds, and send them to others. */
const ERROR_STATUSES = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504];

export interface EdgeStackProps extends StackProps, StageProps {
  /** The region of the gateway. */
  readonly gatewayRegion: string;
  /** The domain of the API, and its certificate in us-east-1. */
  readonly domainName: string;
  readonly certificateArn: string;
  /** The domain of the API behind the edge. */
  readonly originDomainName: string;
  /** The certificate that CloudFront shows to the API, in us-east-1. */
  readonly clientCertificateArn: string;
  readonly alarmEmail: string | undefined;
  /** Requests of one address, in any minute. */
  readonly addressRequestsPerMinute: number;
}

/**
 * CloudFront before the API. It refuses floods before they use up the API's limit. The API accepts connections from it
 * only: its domain requires CloudFront's client certificate. Nothing is cached.
 */
export class EdgeStack extends Stack {
  constructor(scope: Construct, id: string, props: EdgeStackProps) {
    super(scope, id, props);
    const { stage, production, isWatched = true, runbookUrl = OWN_RUNBOOK, alarmEmail } = props;
    // The edges of all regions are in one region, where names must differ.
    const name = `${stage}-${props.gatewayRegion}`;
    const { webAcl, refusedLog } = edgeWebAcl(this, 'WebAcl', name, props);
    const distribution = new Distribution(this, 'Distribution', {
      comment: `Sandbox developer gateway, ${name}`,
      domainNames: [props.domainName],
      certificate: Certificate.fromCertificateArn(this, 'Certificate', props.certificateArn),
      minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
      httpVersion: HttpVersion.HTTP2_AND_3,
      webAclId: webAcl.attrArn,
      defaultBehavior: {
        origin: new HttpOrigin(props.originDomainName, {
          protocolPolicy: OriginProtocolPolicy.HTTPS_ONLY,
          originSslProtocols: [OriginSslPolicy.TLS_V1_2],
        }),
        allowedMethods: AllowedMethods.ALLOW_ALL,
        cachePolicy: CachePolicy.CACHING_DISABLED,
        originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
        viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
        compress: false,
      },
      errorResponses: ERROR_STATUSES.map((httpStatus) => ({ httpStatus, ttl: Duration.seconds(0) })),
    });
    (distribution.node.defaultChild as CfnDistribution).addPropertyOverride(
      'DistributionConfig.Origins.0.CustomOriginConfig.OriginMtlsConfig',
      { ClientCertificateArn: props.clientCertificateArn },
    );
    const acknowledge = (id: string, reason: string): void => {
      Validations.of(distribution).acknowledge({ id: `AwsSolutions-${id}`, reason });
    };
    acknowledge('CFR1', 'Callers of the API may be anywhere: a key decides who is served, not a country.');
    acknowledge(
      'CFR3',
      'A log of CloudFront has the paths and queries of callers, where they may have put a key. The access log of the ' +
        'API has what was let through, that of the web ACL what was not.',
    );
    // The stage's own topic is in another region, so alarms of this one cannot publish to it.
    const topic = new AlarmTopic(this, 'AlarmTopic', alarmEmail);
    const context = { stage: name, topic, runbookUrl, production, whenMissing: NO_REQUESTS };
    if (isWatched) {
      addAlarm(this, 'ClientCertificateExpiry', certificateExpiry(props.clientCertificateArn), context);
      addAlarm(this, 'GatewayEdgeErrors', edgeErrors(distribution.distributionId), context);
    }
    addOutputs(this, {
      DomainTarget: distribution.distributionDomainName,
      RefusedLogGroup: refusedLog,
      AlarmTopicArn: topic.topicArn,
    });
  }
}

/** A certificate of your own is not renewed by AWS. */
const certificateExpiry = (certificateArn: string): AlarmDefinition => ({
  metric: new Metric({
    namespace: 'AWS/CertificateManager',
    metricName: 'DaysToExpiry',
    dimensionsMap: { CertificateArn: certificateArn },
    statistic: Stats.MINIMUM,
    period: Duration.days(1),
  }),
  threshold: 30,
  goesOffBelow: true,
  over: ONE_OF_ONE,
  meaning:
    'The client certificate that CloudFront shows to the API expires in less than 30 days. Then all requests fail.',
  firstStep: 'Renew it as the runbook says: a truststore with both issuers first, then the import.',
  whenMissing: 'No data means that it has expired or does not exist. A new one has its first data within a day.',
  missingIsBad: true,
});

const edgeErrors = (distributionId: string): AlarmDefinition => ({
  pages: true,
  metric: edgeErrorPercent(distributionId),
  threshold: 5,
  meaning: `At least 5 % of CloudFront’s answers before the API, and ${FEWEST_ERRORS} or more a minute, were 5xx in three of five minutes.`,
  firstStep:
    'With ServerErrors it is the API; without it CloudFront does not get through: its client certificate, the ' +
    'truststore, or the DNS of edgeOriginDomainName. Simulated 5xx count, too: the saved query simulations shows them.',
});

const WINDOW_SECONDS = 60;
/** API Gateway's word: a client that handles one handles the other. */
const TOO_MANY = 'too-many-requests';

/**
 * Limits the requests of an address in any minute, and refuses known bad addresses. Refused requests reach neither
 * CloudFront's bill nor the API. They are logged with the address, and without headers that may contain a key. `name`
 * distinguishes the edge from others of the account.
 */
function edgeWebAcl(
  scope: Construct,
  id: string,
  name: string,
  props: EdgeStackProps,
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
            limit: props.addressRequestsPerMinute,
          },
        },
        action: {
          block: {
            customResponse: {
              responseCode: 429,
              customResponseBodyKey: TOO_MANY,
              responseHeaders: [
                { name: 'Retry-After', value: String(WINDOW_SECONDS) },
                { name: HEADERS.shouldRetry, value: 'true' },
              ],
            },
          },
        },
        visibilityConfig: visible('RequestsOfOneAddress'),
      },
    ],
  });
  // WAF accepts only log groups with this prefix. The name is unique, so that a retained group does not block the next
  // stack.
  const refusedLog = `aws-waf-logs-sandbox-gateway-${name}-${Fn.select(2, Fn.split('/', Stack.of(scope).stackId))}`;
  logRefused(scope, webAcl, refusedLog, props);
  return { webAcl, refusedLog };
}

function logRefused(
  scope: Construct,
  webAcl: CfnWebACL,
  logGroupName: string,
  { logRetention: retention = RetentionDays.ONE_WEEK, production }: EdgeStackProps,
): void {
  const group = new LogGroup(scope, 'RefusedRequests', {
    logGroupName,
    retention,
    removalPolicy: logRemovalPolicy(production),
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

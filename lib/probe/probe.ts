import { readFileSync } from 'node:fs';
import { ArnFormat, Duration, Stack, type CfnElement } from 'aws-cdk-lib';
import { MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { Canary, Code, Runtime, RuntimeFamily, Schedule, Test } from 'aws-cdk-lib/aws-synthetics';
import { Construct } from 'constructs';
import { PING_PATH } from '../../functions/gateway/operations/ping.ts';
import { HEADERS, HEALTH_PATH } from '../../functions/shared/names.ts';
import { ownBucket } from '../own-bucket.ts';
import { acknowledgeWildcard } from '../wildcards.ts';

/** Node 22, without a browser: the newest runtime of November 2026. The CDK has no name for it yet. */
const RUNTIME = new Runtime('syn-nodejs-5.4', RuntimeFamily.NODEJS);
const EVERY = Duration.minutes(1);
/** Rounds of each request. A new version gets a tenth of them: in 88 of 100 runs it answers at least one. */
const ROUNDS = 20;
/** The separate steps of the probe, by name. Each has an alarm. A failed step also fails the run. */
const STEPS = { ours: 'our-answers', every: 'every-answer', portal: 'portal' } as const;
const KEPT = Duration.days(7);
const REPORTS_KEPT = Duration.days(30);
const NAMESPACE = 'CloudWatchSynthetics';

export interface ProbeProps {
  /** Origin of the gateway. */
  readonly apiUrl: string;
  /** Origin of the portal; undefined: it asks for none. */
  readonly portalOrigin: string | undefined;
  /** The secret with the probe's own key, for pings; undefined: it calls the health check only. */
  readonly keySecretArn: string | undefined;
}

/**
 * Calls the API from outside every minute, and requests the portal's page if the stage has one. It is a canary of
 * CloudWatch Synthetics, and no function of this stack. So it sees CloudFront from any region, as people do.
 */
export class Probe extends Construct {
  readonly canaryName: string;
  /** Percent of the runs in which the API answered with anything but 200, or not at all. No data: there was no run. */
  readonly failed: MathExpression;
  /** Percent of the runs in which an answer of the gateway's own functions was not 200. */
  readonly wrongAnswers: MathExpression;
  /**
   * Percent of the runs in which the portal answered wrongly; undefined: the stage has no portal of its own.
   */
  readonly portalFailed: MathExpression | undefined;

  constructor(scope: Construct, id: string, { apiUrl, portalOrigin, keySecretArn }: ProbeProps) {
    super(scope, id);
    // Synthetics' reports of the runs contain no key and no answer's body.
    const bucket = ownBucket(
      this,
      'Artifacts',
      'It holds reports of the probe’s own runs for 30 days: who reads them is of no interest.',
      { lifecycleRules: [{ expiration: REPORTS_KEPT }] },
    );
    const canary = new Canary(this, 'Canary', {
      runtime: RUNTIME,
      test: Test.custom({
        code: Code.fromInline(readFileSync(new URL('script.cjs', import.meta.url), 'utf8')),
        handler: 'index.handler',
      }),
      schedule: Schedule.rate(EVERY),
      timeout: EVERY,
      environmentVariables: {
        API_URL: apiUrl,
        HEALTH_PATH,
        PING_PATH,
        ROUNDS: String(ROUNDS),
        REQUEST_ID_HEADER: HEADERS.requestId,
        OUR_ANSWERS_STEP: STEPS.ours,
        EVERY_ANSWER_STEP: STEPS.every,
        PORTAL_STEP: STEPS.portal,
        KEY_SECRET_ARN: keySecretArn ?? '',
        PORTAL_ORIGIN: portalOrigin ?? '',
      },
      artifactsBucketLocation: { bucket },
      successRetentionPeriod: KEPT,
      failureRetentionPeriod: KEPT,
      provisionedResourceCleanup: true,
    });
    grantProbe(canary, bucket, keySecretArn);
    this.canaryName = canary.canaryName;
    this.failed = failedPercent(canary, STEPS.every);
    this.wrongAnswers = failedPercent(canary, STEPS.ours);
    this.portalFailed = portalOrigin === undefined ? undefined : failedPercent(canary, STEPS.portal);
  }
}

/** Adds the probe's own key to the CDK's role, whose wildcards are those of AWS's page on roles for canaries. */
function grantProbe({ role, node }: Canary, bucket: IBucket, keySecretArn: string | undefined): void {
  if (keySecretArn !== undefined) {
    const actions = ['secretsmanager:GetSecretValue'];
    const granted = role.addToPrincipalPolicy(new PolicyStatement({ actions, resources: [keySecretArn] }));
    // No run without it.
    if (granted.policyDependable) node.defaultChild?.node.addDependency(granted.policyDependable);
  }
  const stack = Stack.of(bucket);
  const logs = { service: 'logs', resource: 'log-group', arnFormat: ArnFormat.COLON_RESOURCE_NAME };
  const wildcards = {
    [`<${stack.getLogicalId(bucket.node.defaultChild as CfnElement)}.Arn>/*`]:
      'The bucket is the probe’s own: it puts the report of each run there.',
    '*': 'One action lists names only, the other is held to the namespace of Synthetics: neither knows resources.',
    [stack.formatArn({ ...logs, resourceName: '/aws/lambda/cwsyn-*' })]:
      'Synthetics names the probe’s function, and with it the log group, when it makes it: `cwsyn-` and the probe’s name.',
  };
  for (const [resource, reason] of Object.entries(wildcards)) acknowledgeWildcard(role, resource, reason);
}

const failedPercent = ({ canaryName }: Canary, step: string): MathExpression =>
  new MathExpression({
    expression: '100 - succeeded',
    usingMetrics: {
      succeeded: new Metric({
        namespace: NAMESPACE,
        metricName: 'SuccessPercent',
        dimensionsMap: { CanaryName: canaryName, StepName: step },
        statistic: Stats.AVERAGE,
        period: EVERY,
      }),
    },
    label: 'failed, percent',
    period: EVERY,
  });

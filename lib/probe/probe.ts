import { readFileSync } from 'node:fs';
import { Duration } from 'aws-cdk-lib';
import { MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { Canary, Code, Runtime, RuntimeFamily, Schedule, Test } from 'aws-cdk-lib/aws-synthetics';
import { Construct } from 'constructs';
import { ROUTES } from '../../functions/routes.ts';
import { HEADERS, HEALTH_PATH } from '../../functions/wiring.ts';
import type { StageSettings } from '../settings.ts';
import { artifactsBucket, probeRole } from './probe-permissions.ts';

/** Node 22, without a browser. */
const RUNTIME = new Runtime('syn-nodejs-5.2', RuntimeFamily.NODEJS);
const EVERY = Duration.minutes(1);
/** Of each request. A new version has a tenth of them: of so many it answers one or more in 88 of 100 runs. */
const ROUNDS = 20;
const PING_PATH = ROUTES.find(({ method, path }) => method === 'POST' && path.endsWith('/ping'))?.path ?? '';
const STEP = 'our-answers';
const KEPT = Duration.days(7);
const NAMESPACE = 'CloudWatchSynthetics';

/** Calls the API from outside every minute: a canary of CloudWatch Synthetics, which is no function of this stack. */
export class Probe extends Construct {
  readonly canaryName: string;
  /** Percent of the runs that failed: whatever came back but 200, or nothing. */
  readonly failed: MathExpression;
  /** Percent of the runs in which an answer of the gateway's own functions was not 200. */
  readonly wrongAnswers: MathExpression;

  constructor(scope: Construct, id: string, apiUrl: string, { probeKeySecretArn }: StageSettings) {
    super(scope, id);
    const bucket = artifactsBucket(this, 'Artifacts');
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
        STEP,
        KEY_SECRET_ARN: probeKeySecretArn ?? '',
      },
      artifactsBucketLocation: { bucket },
      role: probeRole(this, 'Role', { bucket, namespace: NAMESPACE, keySecretArn: probeKeySecretArn }),
      successRetentionPeriod: KEPT,
      failureRetentionPeriod: KEPT,
      provisionedResourceCleanup: true,
    });
    this.canaryName = canary.canaryName;
    const name = { CanaryName: canary.canaryName };
    this.failed = failedPercent(name);
    this.wrongAnswers = failedPercent({ ...name, StepName: STEP });
  }
}

const failedPercent = (dimensionsMap: Record<string, string>): MathExpression =>
  new MathExpression({
    expression: '100 - succeeded',
    usingMetrics: {
      succeeded: new Metric({
        namespace: NAMESPACE,
        metricName: 'SuccessPercent',
        dimensionsMap,
        statistic: Stats.AVERAGE,
        period: EVERY,
      }),
    },
    label: 'failed, percent',
    period: EVERY,
  });

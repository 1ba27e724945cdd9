import { Duration } from 'aws-cdk-lib';
import { NO_REQUESTS, THREE_OF_FIVE, type AlarmDefinition, type Urgency } from './alarm-definition.ts';
import type { Monitored } from './metrics.ts';

/** Alarms of one function: its crashes and its throttles. */
export const functionAlarms = (
  name: string,
  live: Monitored['functions']['metered'],
  urgency: Urgency,
): Record<string, AlarmDefinition> => ({
  [`${name}Errors`]: {
    urgency,
    metric: live.metricErrors({ period: Duration.minutes(1) }),
    threshold: 1,
    over: THREE_OF_FIVE,
    meaning: `The ${name.toLowerCase()} function crashed or timed out in three of five minutes; it answers its own failures.`,
    firstStep: 'Roll back if it began with a deployment; run the saved query “crashes and timeouts”.',
    whenMissing: NO_REQUESTS,
    rollsBack: true,
  },
  [`${name}Throttles`]: {
    urgency,
    metric: live.metricThrottles({ period: Duration.minutes(1) }),
    threshold: 1,
    over: THREE_OF_FIVE,
    meaning: `Lambda had no room for the ${name.toLowerCase()} function in three of five minutes: callers got 503 without our error body.`,
    firstStep:
      'Compare concurrent executions with the quota of the account; raise it or lower meteredRequestsPerSecond.',
    whenMissing: NO_REQUESTS,
  },
});

/** Alarms of the probe. */
export const probeAlarms = ({
  failed,
  wrongAnswers,
  portalFailed,
}: NonNullable<Monitored['probe']>): Record<string, AlarmDefinition> => ({
  Probe: {
    urgency: 'page',
    metric: failed,
    threshold: 1,
    over: THREE_OF_FIVE,
    meaning: 'In three of five minutes the probe did not get what it must get, or did not run.',
    firstStep: 'Call the health check yourself; the log of the probe’s run says what it got.',
    whenMissing: 'No data means that the probe does not run, which is an alarm: nothing else checks from outside.',
    missingIsBad: true,
  },
  ProbeAnswers: {
    urgency: 'page',
    metric: wrongAnswers,
    threshold: 1,
    over: THREE_OF_FIVE,
    meaning:
      'In three of five minutes the gateway answered the probe, whose key is good, with something else than 200.',
    firstStep: 'Roll back if it began with a deployment; the log of the probe’s run says what it got.',
    whenMissing: 'No data means no alarm here: the alarm Probe reports it.',
    rollsBack: true,
  },
  ...(portalFailed && {
    PortalProbe: {
      urgency: 'page',
      metric: portalFailed,
      threshold: 1,
      over: THREE_OF_FIVE,
      meaning:
        'In three of five minutes the portal did not give the probe its page, a file of it, or the answer of its API.',
      firstStep: 'Open the portal yourself; the log of the probe’s run says what it got.',
      whenMissing: 'No data means no alarm here: the alarm Probe reports it.',
    },
  }),
});

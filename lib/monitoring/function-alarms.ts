import { NO_REQUESTS, THREE_OF_FIVE, type AlarmDefinition } from './alarm-definition.ts';
import { MINUTE, type Monitored } from './metrics.ts';

/** Alarms of one function: its crashes and its throttles. */
export const functionAlarms = (
  name: string,
  live: Monitored['functions']['metered'],
  pages: boolean,
): Record<string, AlarmDefinition> => ({
  [`${name}Errors`]: {
    pages,
    metric: live.metricErrors({ period: MINUTE }),
    over: THREE_OF_FIVE,
    meaning: `The ${name.toLowerCase()} function crashed or timed out in three of five minutes; it answers its own failures.`,
    firstStep: 'Roll back if it began with a deployment; run the saved query “crashes and timeouts”.',
    whenMissing: NO_REQUESTS,
    rollsBack: true,
  },
  [`${name}Throttles`]: {
    pages,
    metric: live.metricThrottles({ period: MINUTE }),
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
    pages: true,
    metric: failed,
    over: THREE_OF_FIVE,
    meaning: 'In three of five minutes the probe did not get what it must get, or did not run.',
    firstStep: 'Call the health check yourself; the log of the probe’s run says what it got.',
    whenMissing: 'No data means that the probe does not run, which is an alarm: nothing else checks from outside.',
    missingIsBad: true,
  },
  ProbeAnswers: {
    pages: true,
    metric: wrongAnswers,
    over: THREE_OF_FIVE,
    meaning:
      'In three of five minutes the gateway answered the probe, whose key is good, with something else than 200.',
    firstStep: 'Roll back if it began with a deployment; the log of the probe’s run says what it got.',
    whenMissing: 'No data means no alarm here: the alarm Probe reports it.',
    rollsBack: true,
  },
  ...(portalFailed && {
    PortalProbe: {
      pages: true,
      metric: portalFailed,
      over: THREE_OF_FIVE,
      meaning:
        'In three of five minutes the portal did not give the probe its page, a file of it, or the answer of its API.',
      firstStep: 'Open the portal yourself; the log of the probe’s run says what it got.',
      whenMissing: 'No data means no alarm here: the alarm Probe reports it.',
    },
  }),
});

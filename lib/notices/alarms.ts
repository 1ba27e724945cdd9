import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import { NOTICES_METRICS } from '../../functions/wiring.ts';
import { AT_ONCE, NOTHING_COUNTED, TWO_OF_THREE, type AlarmDefinition } from '../monitoring/alarm-definition.ts';
import {
  dead,
  FIVE_MINUTES,
  iteratorAge,
  leftOut,
  oldest,
  ownCount,
  reputation,
  type MonitoredNotices,
} from './metrics.ts';

const NOTHING_TO_TELL = 'No data means that there was nothing to tell.';
const MS_PER_MINUTE = 60_000;
const SECONDS_PER_HOUR = 3_600;

/** The alarms of the notices, by name. */
export const noticesAlarms = ({
  stage,
  live,
  mails,
  webhooks,
  changes,
  sendsMail,
}: MonitoredNotices): Record<string, AlarmDefinition> => ({
  NoticesErrors: {
    urgency: 'tomorrow',
    metric: live.metricErrors({ period: FIVE_MINUTES }),
    threshold: 1,
    over: TWO_OF_THREE,
    meaning: 'The notices function crashed or timed out in two of three times five minutes.',
    firstStep: 'Roll back if it began with a deployment; its log has the error. Nothing is lost meanwhile.',
    whenMissing: NOTHING_TO_TELL,
    rollsBack: true,
  },
  NoticesFailing: {
    urgency: 'tomorrow',
    metric: ownCount(stage, NOTICES_METRICS.failures),
    threshold: 10,
    over: TWO_OF_THREE,
    meaning: 'Ten changes or messages in five minutes failed, and are tried again.',
    firstStep: 'Look for WARN in the log of the notices function: SES or DynamoDB throttles, or there is a defect.',
    whenMissing: NOTHING_COUNTED,
  },
  NoticesUnreadable: {
    urgency: 'tomorrow',
    metric: ownCount(stage, NOTICES_METRICS.recordsUnreadable),
    threshold: 1,
    over: AT_ONCE,
    meaning: 'A change or a counter could not be read or handled, so its notice is missing.',
    firstStep: 'The log of the notices function names its keys: look at the item, then at the code that wrote it.',
    whenMissing: NOTHING_COUNTED,
  },
  NoticesLate: {
    urgency: 'tomorrow',
    metric: iteratorAge(live),
    threshold: 15 * MS_PER_MINUTE,
    over: TWO_OF_THREE,
    meaning: 'The notices function is 15 minutes behind the changes of the table.',
    firstStep:
      'Compare with NoticesErrors. Records that wait for hours are skipped, and go into the bucket of failures.',
    whenMissing: NOTHING_TO_TELL,
  },
  NoticesLeftOut: {
    urgency: 'tomorrow',
    metric: new MathExpression({
      expression: Object.keys(leftOut(changes))
        .map((name) => `FILL(${name}, 0)`)
        .join(' + '),
      usingMetrics: leftOut(changes),
      label: 'changes left out',
      period: FIVE_MINUTES,
    }),
    threshold: 1,
    over: AT_ONCE,
    meaning: 'A change failed for hours, so its notice is missing.',
    firstStep: 'Find the cause in the log of the notices function, then give it the object in the bucket of failures.',
    whenMissing: NOTHING_TO_TELL,
  },
  NoticesDead: {
    urgency: 'tomorrow',
    metric: new MathExpression({
      expression: 'FILL(mails, 0) + FILL(webhooks, 0)',
      usingMetrics: { mails: dead(mails, 'mails'), webhooks: dead(webhooks, 'webhooks') },
      label: 'dead letters',
      period: FIVE_MINUTES,
    }),
    threshold: 1,
    over: AT_ONCE,
    meaning: 'Mails or deliveries failed for a day, and are not tried any more.',
    firstStep: 'Look at the log of the notices function for their cause, then move the messages back to their queue.',
    whenMissing: NOTHING_TO_TELL,
  },
  NoticesWaiting: {
    urgency: 'tomorrow',
    metric: new MathExpression({
      expression: 'MAX([mails, webhooks])',
      usingMetrics: { mails: oldest(mails, 'mails'), webhooks: oldest(webhooks, 'webhooks') },
      label: 'oldest message, seconds',
      period: FIVE_MINUTES,
    }),
    threshold: 2 * SECONDS_PER_HOUR,
    over: TWO_OF_THREE,
    meaning: 'A mail or a delivery has waited for two hours.',
    firstStep: 'Compare with NoticesErrors and NoticesFailing; look whether SES throttles or has paused the account.',
    whenMissing: NOTHING_TO_TELL,
  },
  ...(sendsMail && {
    MailBounces: {
      urgency: 'tomorrow' as const,
      metric: reputation('Reputation.BounceRate'),
      // SES looks at an account from 5 % on, and pauses it from 10 % on.
      threshold: 0.04,
      over: AT_ONCE,
      meaning:
        '4 % of this account’s mails came back. SES reviews the account from 5 % on, and pauses it from 10 % on.',
      firstStep: 'Look for an account that invites many addresses which do not exist, and speak to its owners.',
      whenMissing: 'No data means no mail.',
    },
    MailComplaints: {
      urgency: 'tomorrow' as const,
      metric: reputation('Reputation.ComplaintRate'),
      // SES looks at an account from 0.1 % on, and pauses it from 0.5 % on.
      threshold: 0.001,
      over: AT_ONCE,
      meaning:
        'One of a thousand mails of this account was marked as spam. SES reviews the account, and pauses it at five.',
      firstStep: 'Look for an account that invites people who do not know it, and speak to its owners.',
      whenMissing: 'No data means no mail.',
    },
  }),
});

import { NOTICES_METRICS } from '../../functions/shared/names.ts';
import { ONE_OF_ONE, NOTHING_COUNTED, TWO_OF_THREE, type AlarmDefinition } from '../monitoring/alarm-definition.ts';
import { FIVE_MINUTES, HOUR, MINUTE, sum } from '../monitoring/metrics.ts';
import { dead, iteratorAge, leftOut, ownCount, reputation, type MonitoredNotices } from './metrics.ts';

const MS_PER_MINUTE = 60_000;

/** The alarms of the notices, by name. */
export function noticesAlarms(monitored: MonitoredNotices): Record<string, AlarmDefinition> {
  const { stage, live, liveDaily, mails, webhooks, daily, sendsMail } = monitored;
  return {
    NoticesErrors: {
      metric: sum({ notices: live.metricErrors(), daily: liveDaily.metricErrors() }, 'errors', FIVE_MINUTES),
      over: TWO_OF_THREE,
      meaning: 'The notices function crashed or timed out in two of three times five minutes.',
      firstStep: 'Roll back if it began with a deployment; its log has the error. Nothing is lost meanwhile.',
      rollsBack: true,
    },
    NoticesFailing: {
      metric: ownCount(stage, NOTICES_METRICS.failures),
      threshold: 10,
      over: TWO_OF_THREE,
      meaning: 'Ten changes or messages in five minutes failed, and are tried again.',
      firstStep: 'Look for WARN in the log of the notices function: SES or DynamoDB throttles, or there is a defect.',
      whenMissing: NOTHING_COUNTED,
    },
    NoticesUnreadable: {
      metric: ownCount(stage, NOTICES_METRICS.recordsUnreadable),
      over: ONE_OF_ONE,
      meaning: 'A change or a counter could not be read or handled, so its notice is missing.',
      firstStep: 'The log of the notices function names its keys: look at the item, then at the code that wrote it.',
      whenMissing: NOTHING_COUNTED,
    },
    NoticesLate: {
      metric: iteratorAge(live),
      threshold: 15 * MS_PER_MINUTE,
      over: TWO_OF_THREE,
      meaning: 'The notices function is 15 minutes behind the changes of the table.',
      firstStep:
        'Compare with NoticesErrors. Records that wait for hours are skipped, and go into the bucket of failures.',
    },
    NoticesLeftOut: {
      metric: sum(leftOut(monitored), 'changes left out', FIVE_MINUTES),
      over: ONE_OF_ONE,
      meaning: 'A change, a bounce or an hourly run failed for hours, so its notice is missing.',
      firstStep:
        'Find the cause in the log of the notices function, then give it the object in the bucket of failures.',
    },
    NoticesDead: {
      metric: sum(
        { mails: dead(mails, 'mails'), webhooks: dead(webhooks, 'webhooks'), daily: dead(daily, 'daily work') },
        'dead letters',
        FIVE_MINUTES,
      ),
      over: ONE_OF_ONE,
      meaning: 'Mails, deliveries or daily work failed for a day, and are not tried any more.',
      firstStep: 'Look at the log of the notices function for their cause, then move the messages back to their queue.',
    },
    NoticesWaiting: {
      metric: ownCount(stage, NOTICES_METRICS.messagesStuck),
      over: ONE_OF_ONE,
      meaning: 'A mail or a delivery has failed for an hour, by a fault of ours.',
      firstStep: 'Run the saved query “failed work”: it has the cause. With SES: aws sesv2 get-account.',
      whenMissing: NOTHING_COUNTED,
    },
    NoticesBadVersion: {
      metric: ownCount(stage, NOTICES_METRICS.batchesFailed, MINUTE),
      over: ONE_OF_ONE,
      meaning: 'A whole batch of changes, or a message, failed by a defect and not by a store, a queue or SES.',
      firstStep: 'Roll back if it began with a deployment. What failed is tried again, and then kept in the bucket.',
      whenMissing: NOTHING_COUNTED,
      rollsBack: true,
    },
    NoticesDay: {
      // Not filled with 0: a series without any point might stay without one, and no data must be bad.
      metric: ownCount(stage, NOTICES_METRICS.daysComplete, HOUR),
      goesOffBelow: true,
      missingIsBad: true,
      over: { evaluationPeriods: 30, datapointsToAlarm: 30 },
      meaning:
        'For 30 hours no run has looked at all that ends, and at what was charged: a notice, or a verification, may be missing.',
      firstStep: 'Run the saved query “failed work” over a day, and look at NoticesDead.',
      whenMissing: 'No data means no such run. A new stage has its first within hours.',
    },
    LedgerInconsistent: {
      metric: ownCount(stage, NOTICES_METRICS.ledgerDifferences),
      over: ONE_OF_ONE,
      meaning: 'The nightly verification has found a ledger that is not consistent, by two looks.',
      firstStep: 'The saved query “ledgers” has project and period; run ledger verify for them.',
      whenMissing: NOTHING_COUNTED,
    },
    ...(sendsMail && {
      MailsHeldUp: {
        metric: ownCount(stage, NOTICES_METRICS.mailsHeldUp),
        over: ONE_OF_ONE,
        meaning: 'SES takes no mail for a reason of ours: its sandbox, a lost verification, a pause, a permission.',
        firstStep: 'The log has the error’s name; aws sesv2 get-account and get-email-identity show the rest.',
        whenMissing: NOTHING_COUNTED,
      },
      MailBounces: {
        metric: reputation('Reputation.BounceRate'),
        // SES looks at an account from 5 % on, and pauses it from 10 % on.
        threshold: 0.04,
        over: ONE_OF_ONE,
        meaning:
          '4 % of this account’s mails came back. SES reviews the account from 5 % on, and pauses it from 10 % on.',
        firstStep: 'Look for an account that invites many addresses which do not exist, and speak to its owners.',
        whenMissing: 'No data means no mail.',
      },
      MailComplaints: {
        metric: reputation('Reputation.ComplaintRate'),
        // SES looks at an account from 0.1 % on, and pauses it from 0.5 % on.
        threshold: 0.001,
        over: ONE_OF_ONE,
        meaning:
          'One of a thousand mails of this account was marked as spam. SES reviews the account, and pauses it at five.',
        firstStep: 'Look for an account that invites people who do not know it, and speak to its owners.',
        whenMissing: 'No data means no mail.',
      },
    }),
  };
}

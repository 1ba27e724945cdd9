import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { NOTICES_SERVICE, type NoticesMetricName } from '../../functions/shared/names.ts';
import { countsOf, FIVE_MINUTES, HOUR, type Counts } from '../monitoring/metrics.ts';
import type { Stage } from '../stack-names.ts';
import type { MessageQueue } from './message-queue.ts';
import type { TableChanges } from './stream.ts';

/** The monitored resources. */
export interface MonitoredNotices {
  readonly stage: Stage;
  readonly live: IFunction;
  /** The function of daily work. */
  readonly liveDaily: IFunction;
  readonly mails: MessageQueue;
  readonly webhooks: MessageQueue;
  readonly daily: MessageQueue;
  readonly changes: TableChanges;
  readonly sendsMail: boolean;
}

/** A custom count of the notices function. */
export const ownCount: Counts<NoticesMetricName> = countsOf(NOTICES_SERVICE, FIVE_MINUTES);

/** The age of the last record that the function read from the stream, in milliseconds. */
export const iteratorAge = (live: IFunction): Metric =>
  live.metric('IteratorAge', { statistic: Stats.MAXIMUM, period: FIVE_MINUTES, label: 'stream' });

/**
 * Records whose retries are exhausted, and asynchronous events, such as a bounce or an hour, whose tries are over. They
 * are in the bucket of failures; if the bucket did not take them, they are lost (Lambda, "Event source mapping
 * metrics"). The keys are names for expressions.
 */
export const leftOut = ({ changes, live }: MonitoredNotices): Record<string, Metric> => ({
  ...Object.fromEntries(
    Object.entries(changes.mappingIds).flatMap(([name, EventSourceMappingUUID]) =>
      (['OnFailureDestinationDeliveredEventCount', 'DroppedEventCount'] as const).map((metricName) => [
        `${name}${metricName}`,
        new Metric({
          namespace: 'AWS/Lambda',
          metricName,
          dimensionsMap: { EventSourceMappingUUID },
          statistic: Stats.SUM,
          period: FIVE_MINUTES,
        }),
      ]),
    ),
  ),
  asyncDropped: live.metric('AsyncEventsDropped', { statistic: Stats.SUM, period: FIVE_MINUTES }),
});

/** Messages that failed all day. */
export const dead = ({ deadLetters }: MessageQueue, label: string): Metric =>
  deadLetters.metricApproximateNumberOfMessagesVisible({ statistic: Stats.MAXIMUM, period: FIVE_MINUTES, label });

/** A share of all mails that the AWS account sends in the region, from 0 to 1, as SES judges it. */
export const reputation = (metricName: 'Reputation.BounceRate' | 'Reputation.ComplaintRate'): Metric =>
  new Metric({ namespace: 'AWS/SES', metricName, statistic: Stats.MAXIMUM, period: HOUR });

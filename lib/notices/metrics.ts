import { Duration } from 'aws-cdk-lib';
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { METRIC_NAMESPACE, NOTICES_SERVICE, type NoticesMetricName, type Stage } from '../../functions/wiring.ts';
import type { MessageQueue } from './message-queue.ts';
import type { TableChanges } from './table-changes.ts';

/** The monitored resources. */
export interface MonitoredNotices {
  readonly stage: Stage;
  readonly live: IFunction;
  readonly mails: MessageQueue;
  readonly webhooks: MessageQueue;
  readonly changes: TableChanges;
  readonly sendsMail: boolean;
}

export const FIVE_MINUTES = Duration.minutes(5);
const HOUR = Duration.hours(1);

/** A custom count of the notices function. */
export const ownCount = (stage: Stage, metricName: NoticesMetricName): Metric =>
  new Metric({
    namespace: METRIC_NAMESPACE,
    metricName,
    dimensionsMap: { service: NOTICES_SERVICE, stage },
    statistic: Stats.SUM,
    period: FIVE_MINUTES,
  });

/** The age of the last record that the function read from the stream, in milliseconds. */
export const iteratorAge = (live: IFunction): Metric =>
  live.metric('IteratorAge', { statistic: Stats.MAXIMUM, period: FIVE_MINUTES, label: 'stream' });

/**
 * Records whose retries are exhausted. They are in the bucket of failures; if the bucket did not take them, they are
 * lost (Lambda, "Event source mapping metrics"). The keys are names for expressions.
 */
export const leftOut = ({ mappingIds }: TableChanges): Record<string, Metric> =>
  Object.fromEntries(
    Object.entries(mappingIds).flatMap(([name, EventSourceMappingUUID]) =>
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
  );

/** The age of the oldest message, in seconds. */
export const oldest = ({ queue }: MessageQueue, label: string): Metric =>
  queue.metricApproximateAgeOfOldestMessage({ statistic: Stats.MAXIMUM, period: FIVE_MINUTES, label });

/** Messages that failed all day. */
export const dead = ({ deadLetters }: MessageQueue, label: string): Metric =>
  deadLetters.metricApproximateNumberOfMessagesVisible({ statistic: Stats.MAXIMUM, period: FIVE_MINUTES, label });

/** A share of all mails that the AWS account sends in the region, from 0 to 1, as SES judges it. */
export const reputation = (metricName: 'Reputation.BounceRate' | 'Reputation.ComplaintRate'): Metric =>
  new Metric({ namespace: 'AWS/SES', metricName, statistic: Stats.MAXIMUM, period: HOUR });

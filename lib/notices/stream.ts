import { Duration } from 'aws-cdk-lib';
import {
  type IEventSourceDlq,
  type IFunction,
  EventSourceMapping,
  FilterCriteria,
  FilterRule,
  MetricType,
  StartingPosition,
} from 'aws-cdk-lib/aws-lambda';
import { ObjectOwnership, type IBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { ownBucket } from '../own-bucket.ts';
import { STREAM_FILTERS, type StreamFilter } from '../../functions/notices/names.ts';

/** How long failed records are kept. */
const KEPT = Duration.days(30);

/**
 * How the two mappings read. A batch that fails is halved until the failing record is alone. That record is tried for a
 * bounded time, in which a failed store or queue may recover. Then it is skipped, since the records behind it wait.
 * Records that no attempt can handle are skipped earlier, by the function itself.
 */
const READING = {
  changes: { batchSize: 100, maxRecordAge: Duration.hours(6) },
  // In large batches, of Lambda's longest time: a project's counter changes with each request, and one check per batch is
  // enough. So a threshold is told up to five minutes after it is reached.
  counters: { batchSize: 1_000, maxBatchingWindow: Duration.minutes(5), maxRecordAge: Duration.hours(1) },
} as const;

/** The stream of the Gateway table as an event source of the function, and the bucket for failed records. */
export class TableChanges extends Construct {
  readonly failures: IBucket;
  /** The ids of the mappings by name, once they exist. */
  readonly mappingIds: Record<string, string> = {};

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.failures = ownBucket(
      this,
      'Failures',
      'Lambda alone writes it and the platform team reads it; each object tells its invocation.',
      { objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED, lifecycleRules: [{ expiration: KEPT }] },
    );
  }

  /** From the beginning of the stream, so changes of the day before the first deployment get their notices. */
  serve(live: IFunction, streamArn: string): void {
    // The role gets this permission with all others.
    const onFailure: IEventSourceDlq = { bind: () => ({ destination: this.failures.bucketArn }) };
    for (const [name, reading] of Object.entries(READING)) {
      const mapping = new EventSourceMapping(this, name, {
        ...reading,
        target: live,
        eventSourceArn: streamArn,
        startingPosition: StartingPosition.TRIM_HORIZON,
        filters: STREAM_FILTERS[name as keyof typeof READING].map(filterOf),
        bisectBatchOnError: true,
        reportBatchItemFailures: true,
        onFailure,
        // Reports how many records were skipped.
        metricsConfig: { metrics: [MetricType.EVENT_COUNT] },
      });
      this.mappingIds[name] = mapping.eventSourceMappingId;
    }
  }
}

const filterOf = ({ events, pk, sk, isTrue }: StreamFilter) =>
  FilterCriteria.filter({
    eventName: FilterRule.or(...events),
    dynamodb: {
      Keys: { pk: { S: FilterRule.beginsWith(pk) }, sk: { S: sk.flatMap((prefix) => FilterRule.beginsWith(prefix)) } },
      ...(isTrue !== undefined && { NewImage: { [isTrue]: { BOOL: FilterRule.isEqual(true) as readonly boolean[] } } }),
    },
  });

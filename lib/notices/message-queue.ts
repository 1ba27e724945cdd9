import { Duration } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { Queue, QueueEncryption, RedrivePermission, type IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';

/** A message is given again after this time. It must be longer than the function's own. */
const GIVEN_AGAIN = Duration.minutes(4);
/** A day of tries; then a message is a dead letter. */
const MAX_RECEIVED = 360;
/** The longest that SQS keeps one. */
const KEPT = Duration.days(14);

/**
 * A queue of mails or of deliveries, and where its messages end that failed all day. It is a standard queue, and fair
 * between accounts, since each message has the account as its group.
 */
export class MessageQueue extends Construct {
  readonly queue: IQueue;
  readonly deadLetters: IQueue;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    const common = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true, retentionPeriod: KEPT };
    const deadLetters = new Queue(this, 'DeadLetters', common);
    const queue = new Queue(this, 'Queue', {
      ...common,
      visibilityTimeout: GIVEN_AGAIN,
      deadLetterQueue: { queue: deadLetters, maxReceiveCount: MAX_RECEIVED },
      redriveAllowPolicy: { redrivePermission: RedrivePermission.DENY_ALL },
    });
    this.queue = queue;
    this.deadLetters = deadLetters;
  }

  /** Gives the messages to the function, one at a time: what one of them meets delays no other. */
  serve(live: IFunction, atOnce: number): void {
    new EventSourceMapping(this, 'Mapping', {
      target: live,
      eventSourceArn: this.queue.queueArn,
      batchSize: 1,
      maxConcurrency: atOnce,
      reportBatchItemFailures: true,
    });
  }
}

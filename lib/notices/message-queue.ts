import { Duration } from 'aws-cdk-lib';
import { type IFunction, EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { Queue, QueueEncryption, RedrivePermission, type IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';

/** A message is delivered again after this time. It must be longer than the function's timeout. */
const GIVEN_AGAIN = Duration.minutes(4);
/** After a day of attempts a message is a dead letter. */
const MAX_RECEIVED = 360;
/** The longest retention of SQS. */
const KEPT = Duration.days(14);

/**
 * A queue of mails or of deliveries, with a queue for messages that failed all day. It is a standard queue, and fair
 * between accounts, since the account is the group of each message.
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

  /** The function gets one message at a time, so a failing message delays no other. */
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

import { Duration } from 'aws-cdk-lib';
import { type IFunction, EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { Queue, QueueEncryption, RedrivePermission, type IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';

/**
 * A message is delivered again after this many timeouts of its function: Lambda may have to try an invocation again
 * (AWS, "Creating and configuring an Amazon SQS event source mapping").
 */
const GIVEN_AGAIN = 6;
/** After a day of attempts a message is a dead letter. */
const TRIED = Duration.days(1);
/** The longest retention of SQS. */
const KEPT = Duration.days(14);

/**
 * A queue of mails, of deliveries or of daily work, with a queue for messages that failed all day. It is a standard
 * queue, and fair between accounts, since the account is the group of each message.
 *
 * @param timeout that of the function that it is for
 */
export class MessageQueue extends Construct {
  readonly queue: IQueue;
  readonly deadLetters: IQueue;

  constructor(scope: Construct, id: string, timeout: Duration) {
    super(scope, id);
    const common = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true, retentionPeriod: KEPT };
    const deadLetters = new Queue(this, 'DeadLetters', common);
    const visibilityTimeout = Duration.seconds(GIVEN_AGAIN * timeout.toSeconds());
    const maxReceiveCount = Math.floor(TRIED.toSeconds() / visibilityTimeout.toSeconds());
    const queue = new Queue(this, 'Queue', {
      ...common,
      visibilityTimeout,
      deadLetterQueue: { queue: deadLetters, maxReceiveCount },
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

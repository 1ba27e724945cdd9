import { createHash } from 'node:crypto';
import { startAwsService, type AwsService } from './aws-service.ts';
import { judge, type OnCall } from './door/judgement.ts';
import { Refusal } from './door/signature.ts';
import { policies } from './iam.ts';

/** A message of a batch, as it was sent. */
interface SentMessage {
  readonly Id: string;
  readonly MessageBody: string;
  readonly MessageGroupId?: string;
  readonly DelaySeconds?: number;
}

/** An Amazon SQS with any number of queues. */
export interface TestSqs extends AwsService {
  /** The batches that were sent, in order, also what was not taken of them. */
  readonly batches: { readonly queue: string; readonly messages: readonly SentMessage[] }[];
  /** Messages with this text in their body are not taken. */
  refused: string | undefined;
  /** Of messages that are not taken, whether the answer names them. */
  isSilent: boolean;
}

const NEEDED = { resource: 'queues', action: 'sqs:SendMessage', leadingKeys: [] } as const;

/** Plays `SendMessageBatch` of SQS's JSON API, for callers that sign and are allowed to send messages. */
export async function startSqs(onCall?: OnCall): Promise<TestSqs> {
  const allowed = await policies();
  const started = await startAwsService(
    { 'Content-Type': 'application/x-amz-json-1.0' },
    (request) => {
      judge(request, { service: 'sqs' }, { needs: () => [NEEDED], allowed, onCall });
      const isBatch = request.headers['x-amz-target'] === 'AmazonSQS.SendMessageBatch';
      if (!isBatch) throw new Refusal('InvalidAction', 'It is no SendMessageBatch.');
      const { QueueUrl, Entries } = JSON.parse(request.body.toString()) as { QueueUrl: string; Entries: SentMessage[] };
      sqs.batches.push({ queue: new URL(QueueUrl).pathname, messages: Entries });
      if (Entries.length > 10) throw new Refusal('TooManyEntriesInBatchRequest', 'There are more than 10.');
      const isTaken = ({ MessageBody }: SentMessage): boolean =>
        sqs.refused === undefined || !MessageBody.includes(sqs.refused);
      const Failed = Entries.filter((entry) => !isTaken(entry)).map(({ Id }) => ({ Id, Code: 'InternalError' }));
      return JSON.stringify({
        Successful: Entries.filter(isTaken).map(({ Id, MessageBody }) => ({
          ...{ Id, MessageId: Id, MD5OfMessageBody: createHash('md5').update(MessageBody).digest('hex') },
        })),
        ...(!sqs.isSilent && { Failed }),
      });
    },
    ({ name, message }) => [400, JSON.stringify({ __type: `com.amazonaws.sqs#${name}`, message })],
  );
  const sqs: TestSqs = { ...started, batches: [], refused: undefined, isSilent: false };
  return sqs;
}

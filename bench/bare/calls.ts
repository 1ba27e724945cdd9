import {
  BatchGetCommand,
  PutCommand,
  TransactWriteCommand,
  UpdateCommand,
  type BatchGetCommandInput,
  type DynamoDBDocumentClient,
  type PutCommandInput,
  type TransactWriteCommandInput,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';

/** The calls of one ping, as the gateway made them. A refusal puts an event where a success has its transaction. */
export interface PingCalls {
  readonly update: UpdateCommandInput;
  readonly batchGet: BatchGetCommandInput;
  readonly transactWrite?: TransactWriteCommandInput;
  readonly put?: PutCommandInput;
}

/** Makes the calls of a ping as the gateway makes them, the first two at once, and nothing else: the floor. */
export async function makeCalls(
  client: DynamoDBDocumentClient,
  { update, batchGet, transactWrite, put }: PingCalls,
): Promise<void> {
  await Promise.all([client.send(new UpdateCommand(update)), client.send(new BatchGetCommand(batchGet))]);
  if (transactWrite) await client.send(new TransactWriteCommand(transactWrite));
  if (put) await client.send(new PutCommand(put));
}

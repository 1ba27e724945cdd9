import { randomUUID } from 'node:crypto';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  PutCommand,
  TransactWriteCommand,
  UpdateCommand,
  type DynamoDBDocumentClient,
  type PutCommandInput,
  type TransactWriteCommandInput,
} from '@aws-sdk/lib-dynamodb';

/** The command names of the low-level client. */
const COMMANDS = {
  UpdateItemCommand: UpdateCommand,
  BatchGetItemCommand: BatchGetCommand,
  TransactWriteItemsCommand: TransactWriteCommand,
  PutItemCommand: PutCommand,
} as const;

/** The calls of one ping: two in parallel, then a transaction, or a put if the ping is refused. */
export type PingCalls = readonly { readonly commandName: keyof typeof COMMANDS; readonly input: object }[];

/** Makes only the calls of a ping, as the gateway makes them. No code around them can be faster. */
export async function makeCalls(client: DynamoDBDocumentClient, calls: PingCalls): Promise<void> {
  const send = ({ commandName, input }: PingCalls[number]): Promise<unknown> =>
    client.send(new (COMMANDS[commandName] as typeof PutCommand)(input as PutCommandInput));
  await Promise.all(calls.slice(0, 2).map(send));
  for (const call of calls.slice(2)) await send(call);
}

/** Records the calls that a document client makes for a ping that is admitted. */
export async function recordCalls(client: DynamoDBClient, ping: () => Promise<unknown>): Promise<PingCalls> {
  const calls: { commandName: string; input: object }[] = [];
  const name = 'recordCalls';
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      ({ input }) => {
        calls.push({ commandName, input });
        return next({ input });
      },
    // This step runs before the document client converts values to attributes.
    { step: 'initialize', priority: 'high', name },
  );
  await ping();
  client.middlewareStack.remove(name);
  const isExpected = calls.length === 3 && calls.every(({ commandName }) => commandName in COMMANDS);
  if (!isExpected) throw new Error('the ping was not served as expected');
  return calls as unknown as PingCalls;
}

/** The same calls for another ping: a new token, and items that do not exist yet. */
export const again = (calls: PingCalls): PingCalls =>
  calls.map(({ commandName, input }) => ({ commandName, input: renamed(input) }));

function renamed<T extends Partial<PutCommandInput & TransactWriteCommandInput>>(input: T): T {
  const { Item, TransactItems } = input;
  const items = TransactItems?.map((item) => (item.Put ? { ...item, Put: renamed(item.Put) } : item));
  return {
    ...input,
    ...(Item && { Item: { ...Item, sk: `bench#${randomUUID()}` } }),
    ...(items && { TransactItems: items, ClientRequestToken: randomUUID() }),
  };
}

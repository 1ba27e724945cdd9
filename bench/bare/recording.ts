import { randomUUID } from 'node:crypto';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { PutCommandInput } from '@aws-sdk/lib-dynamodb';
import type { PingCalls } from './calls.ts';

const CALLS: Readonly<Record<string, keyof PingCalls>> = {
  UpdateItemCommand: 'update',
  BatchGetItemCommand: 'batchGet',
  TransactWriteItemsCommand: 'transactWrite',
  PutItemCommand: 'put',
};

/** The calls that a document client over this one makes for a ping that is admitted. */
export async function recordCalls(client: DynamoDBClient, ping: () => Promise<unknown>): Promise<PingCalls> {
  const calls: Partial<Record<keyof PingCalls, object>> = {};
  const name = 'recordCalls';
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      (args) => {
        const call = CALLS[commandName];
        if (call) calls[call] = args.input;
        return next(args);
      },
    // Before the document client turns values into attributes.
    { step: 'initialize', priority: 'high', name },
  );
  try {
    await ping();
  } finally {
    client.middlewareStack.remove(name);
  }
  const settled = calls.transactWrite ?? calls.put;
  if (!calls.update || !calls.batchGet || !settled) throw new Error('the ping was not served as expected');
  return calls as unknown as PingCalls;
}

/** The same calls as those of another ping: under a token of their own, with items that are not there yet. */
export function anew({ transactWrite, put, ...calls }: PingCalls): PingCalls {
  const items = transactWrite?.TransactItems?.map((item) => (item.Put ? { ...item, Put: renamed(item.Put) } : item));
  return {
    ...calls,
    ...(items && { transactWrite: { TransactItems: items, ClientRequestToken: randomUUID() } }),
    ...(put && { put: renamed(put) }),
  };
}

const renamed = <T extends Pick<PutCommandInput, 'Item'>>(put: T): T => ({
  ...put,
  Item: { ...put.Item, sk: `bench#${randomUUID()}` },
});

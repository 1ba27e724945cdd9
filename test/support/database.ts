import { Agent } from 'node:http';
import { DeleteCommand, paginateQuery, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { AccountStore } from '../../functions/accounts/store/account-store.ts';
import { createClient, documentClient } from '../../functions/shared/store/client.ts';
import { LOCAL_TABLES } from '../../local/settings.ts';
import { addressAs, type CallerName } from './iam-proxy/callers.ts';

declare const ENGINE: string;

/**
 * The connections of all clients of a suite. They close when they are idle, because tests do not destroy their clients,
 * and an engine with 20,000 open connections answers nobody.
 */
const connections = new Agent({ keepAlive: true, timeout: 5_000 });

/**
 * Clients of the engine of this jest project, with the permissions of the caller. `test` may do anything. So its calls
 * go to the engine directly, without the IAM proxy, which takes a fifth of a call's time.
 */
export function testDatabase(caller: CallerName = 'test') {
  const endpoint = process.env[`TEST_${caller === 'test' ? 'DIRECT' : 'ENDPOINT'}_${ENGINE}`];
  if (!endpoint) throw new Error(`no ${ENGINE} runs`);
  // Long timeouts: many requests on two cores must not look like an emulator that is down.
  const requestHandler = { connectionTimeout: 15_000, requestTimeout: 15_000, httpAgent: connections };
  const client = createClient({ ...addressAs(caller, endpoint), requestHandler });
  return { client, documents: documentClient(client), tables: LOCAL_TABLES };
}

type Tables = Pick<AccountStore, 'client' | 'tables'>;

/** All current items of a partition; without a table, of the Gateway table. */
export async function partition(
  { client, tables }: Tables,
  pk: string,
  TableName = tables.gateway,
): Promise<Record<string, unknown>[]> {
  const query = { KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': pk }, ConsistentRead: true };
  const pages = await Array.fromAsync(paginateQuery({ client }, { TableName, ...query }));
  return pages.flatMap(({ Items = [] }) => Items);
}

/** Stores an item in the Gateway table, as it is. */
export const putItem = ({ client, tables }: Tables, Item: object) =>
  client.send(new PutCommand({ TableName: tables.gateway, Item }));

/** Deletes the item with this key; without a table, of the Gateway table. */
export const deleteItem = (
  { client, tables }: Tables,
  { pk, sk }: { readonly pk?: unknown; readonly sk?: unknown },
  TableName = tables.gateway,
) => client.send(new DeleteCommand({ TableName, Key: { pk, sk } }));

/** A value with the members of an object and of a set in one order: the database returns them in any. */
export function inOrder(value: unknown): unknown {
  if (value instanceof Set) return [...(value as Set<string>)].sort();
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * Records the calls of a client, without the SDK's repeats: their names and inputs, and a round trip whenever a call
 * starts while no other is in flight.
 */
export function recordCalls(client: ReturnType<typeof createClient>) {
  const record = { commands: [] as string[], inputs: [] as unknown[], roundTrips: 0 };
  let inFlight = 0;
  client.middlewareStack.add(
    (next, context) => async (args) => {
      record.commands.push((context.commandName ?? '').replace(/Command$/, ''));
      record.inputs.push(args.input);
      if (inFlight === 0) record.roundTrips++;
      inFlight++;
      try {
        return await next(args);
      } finally {
        inFlight--;
      }
    },
    { step: 'initialize', name: 'recordCalls' },
  );
  return record;
}

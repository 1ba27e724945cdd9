import { randomUUID } from 'node:crypto';
import { DeleteCommand, PutCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { AccountStore } from '../../functions/accounts/store/account-store.ts';
import type { UsageEvent } from '../../functions/shared/request/usage-event.ts';
import { eventKey, itemKey, type ItemKey } from '../../functions/shared/store/items.ts';
import { createTables } from '../../local/tables.ts';
import { testGateway } from './gateway.ts';
import { someEvent } from './usage-events.ts';

/** Writes to the tables of a project directly, as no gateway does. */
export function booksByHand({ client, tables }: AccountStore, projectId: string, period = '2030-01') {
  const event = (given: Partial<UsageEvent> = {}): UsageEvent =>
    someEvent({ projectId, requestId: randomUUID(), period, ...given });
  const put = (TableName: string, Item: ItemKey & Record<string, unknown>) =>
    client.send(new PutCommand({ TableName, Item }));
  return {
    event,
    /** Stores an event. Its key and its attributes may differ from those that the gateway would write. */
    putEvent: async (given: Partial<UsageEvent> = {}, stored: Record<string, unknown> = {}): Promise<UsageEvent> => {
      const made = event(given);
      await put(tables.usage, { ...eventKey(made), ...made, ...stored });
      return made;
    },
    deleteEvent: (removed: UsageEvent) =>
      client.send(new DeleteCommand({ TableName: tables.usage, Key: eventKey(removed) })),
    putCounter: (units: unknown, ofPeriod = period) =>
      put(tables.gateway, { ...itemKey.quota(projectId, ofPeriod), units }),
    deleteCounter: () =>
      client.send(new DeleteCommand({ TableName: tables.gateway, Key: itemKey.quota(projectId, period) })),
    /** Charges as the gateway does: counter and event in one transaction. */
    charge: async (given: Partial<UsageEvent> = {}): Promise<void> => {
      const made = event(given);
      const Update = {
        TableName: tables.gateway,
        Key: itemKey.quota(projectId, period),
        UpdateExpression: 'ADD #units :units',
        ExpressionAttributeNames: { '#units': 'units' },
        ExpressionAttributeValues: { ':units': made.units },
      };
      const Put = { TableName: tables.usage, Item: { ...eventKey(made), ...made } };
      await client.send(new TransactWriteCommand({ TransactItems: [{ Update }, { Put }] }));
    },
  };
}

/**
 * Makes separate tables. The shared ones hold the projects of every test, also wrong ones. Their names end as those of
 * the shared ones do, so that the permissions of a role are checked here, too.
 */
export async function ownTables() {
  const { store, operatorClient: client } = testGateway();
  const suffix = randomUUID();
  const tables = { gateway: `${suffix}-Gateway`, usage: `${suffix}-Usage` };
  await createTables(client, tables);
  return { client, store: { ...store, tables } };
}

/** Limits every page of every query and scan to a number of items. */
export const itemsPerPage = ({ client }: AccountStore, Limit: number) =>
  client.middlewareStack.add(
    (next, context) => (args) =>
      next(
        context.commandName === 'QueryCommand' || context.commandName === 'ScanCommand'
          ? { ...args, input: { ...args.input, Limit } }
          : args,
      ),
    { step: 'initialize', name: 'itemsPerPage' },
  );

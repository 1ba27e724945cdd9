import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { createClient, documentClient } from '../../../functions/store/client.ts';
import { LOCAL_TABLES, localAddress } from '../../../local/settings.ts';
import type { Entry } from './journal.ts';

/** The items of both tables, as texts to look into, each without what belongs into it (docs/architecture.md, "Data model"). */
export async function itemsOf(endpoint: string): Promise<Entry[]> {
  // Patient: what a whole run stored is a lot, and the product's own timeouts are a request's.
  const requestHandler = { connectionTimeout: 15_000, requestTimeout: 15_000 };
  const client = documentClient(createClient({ ...localAddress(0), endpoint, requestHandler }));
  const entries: Entry[] = [];
  for (const TableName of [LOCAL_TABLES.gateway, LOCAL_TABLES.usage]) {
    for await (const page of paginateScan({ client }, { TableName, ConsistentRead: true })) {
      for (const item of page.Items ?? []) {
        entries.push(entryOf(TableName, item));
      }
    }
  }
  client.destroy();
  return entries;
}

/** One of them. */
export function entryOf(table: string, item: object): Entry {
  const output = `an item of ${table} with ${Object.keys(item).sort().join(', ')}`;
  const shown = table === LOCAL_TABLES.usage ? without(item, 'clientRequestId') : withoutPeople(item);
  return { output, text: JSON.stringify(shown), mayShow: [] };
}

const without = (item: object, ...names: readonly string[]): object =>
  Object.fromEntries(Object.entries(item).filter(([name]) => !names.includes(name)));

/** Sort keys of the items that name people, and by which attributes; the hint for the sign-out is a token that does. */
const NAMING: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^(USER|ACCOUNT|MEMBER#.*)$/, ['email', 'name']],
  [/^ACCOUNT#/, ['invitedBy']],
  [/^SESSION#/, ['idToken']],
];

function withoutPeople(item: object): object {
  const { sk = '' } = item as { sk?: string };
  return without(item, ...(NAMING.find(([pattern]) => pattern.test(sk))?.[1] ?? []));
}

import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { createClient, documentClient } from '../../../functions/store/client.ts';
import { LOCAL_TABLES, localAddress } from '../../../local/settings.ts';
import type { Entry } from './journal.ts';

/** The items of both tables, as texts to look into; a usage event without its `clientRequestId`, the one exemption. */
export async function itemsOf(endpoint: string): Promise<Entry[]> {
  // Patient: what a whole run stored is a lot, and the product's own timeouts are a request's.
  const requestHandler = { connectionTimeout: 15_000, requestTimeout: 15_000 };
  const client = documentClient(createClient({ ...localAddress(0), endpoint, requestHandler }));
  const entries: Entry[] = [];
  for (const TableName of [LOCAL_TABLES.gateway, LOCAL_TABLES.usage]) {
    for await (const page of paginateScan({ client }, { TableName, ConsistentRead: true })) {
      for (const item of page.Items ?? []) {
        const { clientRequestId: _exempt, ...event } = item as Record<string, unknown>;
        const source = `an item of ${TableName} with ${Object.keys(item).sort().join(', ')}`;
        const text = JSON.stringify(TableName === LOCAL_TABLES.usage ? event : item);
        entries.push({ output: source, text, mayShowClientRequestIds: false });
      }
    }
  }
  client.destroy();
  return entries;
}

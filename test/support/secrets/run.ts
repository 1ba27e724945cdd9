import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { createClient, documentClient } from '../../../functions/store/client.ts';
import { LOCAL_KEY_TAG_SECRET, LOCAL_TABLES, localAddress } from '../../../local/settings.ts';
import { JOURNAL_VARIABLE, noteSecret, type Entry } from './journal.ts';
import { findLeaks } from './leaks.ts';

/** Makes a directory that only its owner can read, for the notes of a run. */
export function openJournal(): void {
  process.env[JOURNAL_VARIABLE] = mkdtempSync(join(tmpdir(), 'gateway-secrets-'));
  noteSecret('secret of key tags', LOCAL_KEY_TAG_SECRET);
}

/**
 * Ends a run: looks for every secret of it in all that it emitted, and in every item of the tables. Throws what leaked
 * where, without the secrets. The notes are removed in any case.
 */
export async function assertNothingLeaked(endpoints: readonly string[]): Promise<void> {
  const directory = process.env[JOURNAL_VARIABLE];
  if (directory === undefined) return;
  try {
    const notes = readdirSync(directory).flatMap((file) => linesOf(join(directory, file)));
    const items = await Promise.all(endpoints.map(itemsOf));
    const leaks = findLeaks([...notes, ...items.flat()]);
    if (leaks.length === 0) return;
    const byPlace = Map.groupBy(leaks, ({ kind, source }) => `${kind} in ${source}`);
    const shown = [...byPlace].map(([place, found]) => `  ${place} (${found.length}), first: ${found[0]?.context}`);
    throw new Error(`${leaks.length} secrets in clear:\n${shown.join('\n')}`);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

const linesOf = (file: string): Entry[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Entry);

/** The items of both tables, as texts to look into; a usage event without its `clientRequestId`, the one exemption. */
async function itemsOf(endpoint: string): Promise<Entry[]> {
  const client = documentClient(createClient({ ...localAddress(0), endpoint }));
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

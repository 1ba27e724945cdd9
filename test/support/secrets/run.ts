import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LOCAL_KEY_TAG_SECRET } from '../../../local/settings.ts';
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
    const leaks = findLeaks([...notes, ...(await itemsAt(endpoints))]);
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

/** What the tables of the run hold. A run that used none does not load the client for it. */
async function itemsAt(endpoints: readonly string[]): Promise<Entry[]> {
  if (endpoints.length === 0) return [];
  const { itemsOf } = await import('./items.ts');
  return (await Promise.all(endpoints.map(itemsOf))).flat();
}

import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LOCAL_KEY_TAG_SECRET } from '../../../local/settings.ts';
import { JOURNAL_VARIABLE, noteSecret, type Entry } from './journal.ts';
import { findLeaks } from './leaks.ts';

/** Makes a directory that only its owner can read, for the notes of a run. It goes with this process, however that ends. */
export function openJournal(): void {
  const directory = mkdtempSync(join(tmpdir(), 'gateway-secrets-'));
  process.env[JOURNAL_VARIABLE] = directory;
  noteSecret('secret of key tags', LOCAL_KEY_TAG_SECRET);
  // The system closes the pipe, also on kill -9. In a group of its own, for Ctrl-C.
  const remover = spawn('sh', ['-c', 'cat; rm -r "$0"', directory], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  remover.unref();
}

/**
 * Ends a run: looks for every secret of it in all that it emitted, and in every item of the tables. Throws what leaked
 * where, without the secrets.
 */
export async function assertNothingLeaked(endpoints: readonly string[]): Promise<void> {
  const directory = process.env[JOURNAL_VARIABLE];
  if (directory === undefined) return;
  const notes = readdirSync(directory).flatMap((file) => linesOf(join(directory, file)));
  const leaks = findLeaks([...notes, ...(await itemsAt(endpoints))]);
  if (leaks.length === 0) return;
  const byPlace = Map.groupBy(leaks, ({ kind, source }) => `${kind} in ${source}`);
  const shown = [...byPlace].map(([place, found]) => `  ${place} (${found.length}), first: ${found[0]?.context}`);
  throw new Error(`${leaks.length} secrets in clear:\n${shown.join('\n')}`);
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

import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LOCAL_KEY_TAG_SECRET } from '../../../local/settings.ts';
import { JOURNAL_VARIABLE, noteSecret, type Entry } from './journal.ts';
import { findLeaks } from './leaks.ts';

/**
 * Creates a directory for the notes of a run that only its owner can read. It is deleted when this process ends, even
 * by a signal.
 */
export function openJournal(): void {
  const directory = mkdtempSync(join(tmpdir(), 'gateway-secrets-'));
  process.env[JOURNAL_VARIABLE] = directory;
  noteSecret('secret of key tags', LOCAL_KEY_TAG_SECRET);
  // The system closes the pipe, even after kill -9. Its own process group protects it from Ctrl-C.
  const remover = spawn('sh', ['-c', 'cat; rm -r "$0"', directory], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  remover.unref();
}

/**
 * Ends a run: searches for every secret in all output and in every item of the tables. Throws with the kind and place
 * of each leak, without the secrets.
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

/** The items of the run's tables. A run without tables does not load the client. */
async function itemsAt(endpoints: readonly string[]): Promise<Entry[]> {
  if (endpoints.length === 0) return [];
  const { itemsOf } = await import('./items.ts');
  return (await Promise.all(endpoints.map(itemsOf))).flat();
}

import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { chmodSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';

/** Reads a JSON file by its schema; undefined: it is absent or damaged, and another may replace it. */
export async function readPrivateFile<T>(path: string, schema: v.GenericSchema<unknown, T>): Promise<T | undefined> {
  try {
    return v.parse(schema, JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return undefined;
  }
}

/** Writes a JSON file that only its owner can read, all of it or nothing, whatever mode an earlier one had. */
export async function replacePrivateFile(path: string, value: object): Promise<void> {
  const temporary = `${path}.${process.pid}`;
  await rm(temporary, { force: true });
  await writeFile(temporary, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  await rename(temporary, path);
}

/** What we and the engines keep there; `*-wal`, `*-shm` and `*-journal` are SQLite's. */
const OURS = /^((demo|identity)\.json|dynoxide\.sqlite(-\w+)?|shared-local-instance\.db(-\w+)?)$/;

/**
 * Makes a data directory that only its owner can enter, if there is none; in one that is there, our files become their
 * owner's alone. Throws what the system says when it cannot. New files: see `local/supervisor.ts`.
 */
export function openDataDirectory(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    if (entry.isFile() && OURS.test(entry.name)) chmodSync(join(directory, entry.name), 0o600);
  }
}

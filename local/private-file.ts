import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { chmodSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';

/** Reads a JSON file by its schema; undefined: it is absent or damaged, and may be replaced. */
export async function readPrivateFile<T>(path: string, schema: v.GenericSchema<unknown, T>): Promise<T | undefined> {
  try {
    return v.parse(schema, JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return undefined;
  }
}

/** Writes a JSON file that only its owner can read, completely or not at all, whatever mode an earlier file had. */
export async function replacePrivateFile(path: string, value: object): Promise<void> {
  const temporary = `${path}.${process.pid}`;
  await rm(temporary, { force: true });
  await writeFile(temporary, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  await rename(temporary, path);
}

/** The files of this project and of the engines; `*-wal`, `*-shm` and `*-journal` are SQLite's. */
const OURS = /^((demo|identity)\.json|dynoxide\.sqlite(-\w+)?|shared-local-instance\.db(-\w+)?)$/;

/**
 * Makes a data directory that only its owner can enter, if there is none. In an existing one, our files become readable
 * by their owner only. Throws the system's error. New files: see `local/supervisor.ts`.
 */
export function openDataDirectory(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    if (entry.isFile() && OURS.test(entry.name)) chmodSync(join(directory, entry.name), 0o600);
  }
}

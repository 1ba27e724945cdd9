import { readFile, rename, rm, writeFile } from 'node:fs/promises';
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

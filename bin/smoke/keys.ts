import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { readKey } from './values.ts';

/** In place of a key: it is read from stdin, and so in no shell history and no list of processes. */
const FROM_STDIN = '-';

/** The keys of one run. */
export interface SmokeKeys {
  readonly key: string;
  readonly exhaustedKey: string | undefined;
}

/** Reads the keys, those given as `-` from one line of `input` each. Throws an error of one line, without the key. */
export async function readKeys(
  keyText: string,
  exhaustedText: string | undefined,
  input: Readable,
): Promise<SmokeKeys> {
  const wanted = [keyText, exhaustedText].filter((text) => text === FROM_STDIN).length;
  const lines = await firstLines(input, wanted);
  const read = (text: string, name: string): string =>
    readKey(text === FROM_STDIN ? (lines.shift() ?? '').trim() : text, name);
  return {
    key: read(keyText, '<key>'),
    exhaustedKey: exhaustedText === undefined ? undefined : read(exhaustedText, '--exhausted-key'),
  };
}

/** Does not wait for the end of the input, so that at a terminal Enter is enough. */
async function firstLines(input: Readable, count: number): Promise<string[]> {
  const lines: string[] = [];
  if (count === 0) return lines;
  for await (const line of createInterface({ input })) {
    lines.push(line);
    if (lines.length === count) break;
  }
  // An input that stays open would keep the process from its end.
  input.destroy();
  return lines;
}

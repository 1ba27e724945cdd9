import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { parseApiKey, SANDBOX_MODE } from '../../functions/core/api-key.ts';
import { isLoopbackHost } from '../../local/settings.ts';

/*
 * Readers of arguments. Each throws an error of one line that never repeats the argument: it may be a key in the wrong
 * place, or one with a typing error, which no pattern would find and take out.
 */

/** In place of a key: it is read from stdin, and so in no shell history and no list of processes. */
const FROM_STDIN = '-';

/** The keys of one run. */
export interface SmokeKeys {
  readonly key: string;
  readonly exhaustedKey: string | undefined;
}

/** The base of an API, without a trailing slash. */
export function readBaseUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new Error('<url> must be a URL such as https://abc.execute-api.eu-central-1.amazonaws.com.');
  }
  if (url.username !== '' || url.password !== '') throw new Error('<url> must not hold credentials.');
  if (url.pathname !== '/' || /[?#]/.test(text)) throw new Error('<url> must have no path, query or fragment.');
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname)) {
    throw new Error('<url> must be https, except on this machine: the key would travel unencrypted.');
  }
  return url.origin;
}

/** A browser origin, byte for byte as a browser sends it. */
export function readOrigin(text: string): string {
  if (URL.parse(text)?.origin === text) return text;
  throw new Error('--origin must be an origin such as https://portal.example.com.');
}

/** Reads the keys, those given as `-` from one line of `input` each; at a terminal Enter is enough. */
export async function readKeys(key: string, exhaustedKey: string | undefined, input: Readable): Promise<SmokeKeys> {
  const wanted = [key, exhaustedKey].includes(FROM_STDIN);
  const lines = wanted ? createInterface({ input })[Symbol.asyncIterator]() : undefined;
  const read = async (text: string, name: string): Promise<string> => {
    const line = text === FROM_STDIN ? await lines?.next() : undefined;
    return checkedKey(text === FROM_STDIN ? (line?.value ?? '').trim() : text, name);
  };
  try {
    const first = await read(key, '<key>');
    const second = exhaustedKey === undefined ? undefined : await read(exhaustedKey, '--exhausted-key');
    return { key: first, exhaustedKey: second };
  } finally {
    // An input that stays open would keep the process from its end.
    if (wanted) input.destroy();
  }
}

/** A key that the sandbox may take. `name` is the argument it was given in. */
function checkedKey(text: string, name: string): string {
  const key = parseApiKey(text);
  if (key === undefined) throw new Error(`${name} must be an API key; this one has a typing error or is cut off.`);
  if (key.mode !== SANDBOX_MODE) throw new Error(`${name} must be a test key: the sandbox takes no live ones.`);
  return text;
}

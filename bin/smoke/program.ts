import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { Command } from 'commander';
import { parseApiKey, SANDBOX_MODE, withoutApiKeys } from '../../functions/core/api-key.ts';
import { isLoopbackHost } from '../../local/settings.ts';
import { usageErrorText } from '../admin/error-text.ts';
import { json } from '../admin/unseen.ts';
import { reportText, runSmoke } from './report.ts';

const EPILOGUE = `
A run sends seven requests with the key, charges one unit to its project, and takes a minute at most. Nobody else should
use the key or its project meanwhile: the limits are checked to the unit. A note is a documented peculiarity and no
failure. Exit status: 0 as the contract says, 1 a deviation, limits in the way, or no answer at all.

Examples:
  npm run smoke -- http://127.0.0.1:3000 svc_test_…
  npm run smoke -- https://abc.execute-api.eu-central-1.amazonaws.com - < key.txt
  npm run smoke -- https://abc.execute-api.eu-central-1.amazonaws.com - --origin https://portal.example.com --json < key.txt
  npm run smoke -- --portal https://portal.example.com
  cat key.txt exhausted-key.txt | npm run smoke -- https://abc.execute-api.eu-central-1.amazonaws.com - --exhausted-key -`;

/** The smoke test's command line. Throws what a person should read in one line; prints usage errors and help itself. */
export const smokeProgram = (input: Readable): Command =>
  new Command('smoke')
    .description('Checks a deployed stage of the sandbox developer gateway, or a running npm start, over HTTP')
    .argument('<url>', "the API's base, https or on this machine", readBaseUrl)
    .argument('<key>', 'a test key with units and seven requests a minute left; - reads it from stdin')
    .option('--origin <origin>', 'also check that a browser at this origin may read the answers', readOrigin)
    .option('--exhausted-key <key>', 'also check the refusal of a key whose quota is 0 or used up; - reads from stdin')
    .option('--json', 'print one JSON object')
    .addHelpText('after', EPILOGUE)
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(usageErrorText(text)) })
    .action(async (baseUrl: string, key: string, options: { origin?: string; exhaustedKey?: string; json?: true }) => {
      const keys = await readKeys(key, options.exhaustedKey, input);
      const report = await runSmoke(baseUrl, { ...options, ...keys });
      process.stdout.write(withoutApiKeys(options.json ? `${json(report)}\n` : reportText(report)));
      if (!report.ok) process.exitCode = 1;
    });

/*
 * The readers of arguments throw errors of one line that never repeat the argument: it may be a key in the wrong place,
 * or one with a typing error, which no pattern would find and take out.
 */

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
function readOrigin(text: string): string {
  if (URL.parse(text)?.origin === text) return text;
  throw new Error('--origin must be an origin such as https://portal.example.com.');
}

/** Reads keys that the sandbox may take. One given as `-` is a line of `input`: in no shell history, no list of processes. */
async function readKeys(key: string, exhaustedKey: string | undefined, input: Readable) {
  const lines = linesOf(input);
  const read = async (text: string | undefined, name: string): Promise<string | undefined> => {
    const given = text === '-' ? ((await lines.next()).value ?? '').trim() : text;
    if (given === undefined) return undefined;
    const key = parseApiKey(given);
    if (key === undefined) throw new Error(`${name} must be an API key; this one has a typing error or is cut off.`);
    if (key.mode !== SANDBOX_MODE) throw new Error(`${name} must be a test key: the sandbox takes no live ones.`);
    return given;
  };
  try {
    return { key: await read(key, '<key>'), exhaustedKey: await read(exhaustedKey, '--exhausted-key') };
  } finally {
    // An input that stays open would keep the process from its end.
    input.destroy();
  }
}

/** Opens its input when the first line is asked for; at a terminal Enter is enough. */
async function* linesOf(input: Readable): AsyncGenerator<string, undefined> {
  yield* createInterface({ input });
}

import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { Command } from 'commander';
import { parseApiKey } from '../../functions/shared/rules/credentials/api-key.ts';
import { SANDBOX_MODE } from '../../functions/shared/rules/credentials/credential-text.ts';
import { withoutApiKeys } from '../../functions/shared/rules/credentials/credential-text.ts';
import { isLoopbackHost } from '../../local/settings.ts';
import { paragraphs } from '../cli/command-line.ts';
import type { Shell } from '../cli/shell.ts';
import { json } from '../cli/text.ts';
import { reportText, runSmoke } from './report.ts';

const EPILOGUE = `
A run sends seven requests with the key, charges one unit to its project, and takes a minute at most. Nobody else should
use the key or its project meanwhile, since the limits are checked to the unit. A note is a documented peculiarity and
no failure. Exit status: 0 everything matches the contract; 1 a deviation, a limit that prevents a check, or no answer.

With --portal <url>, and no other URL, it checks a portal and needs no key: smoke --portal <url> --help.

Keys come from stdin only, one a line: npm, the shell's history and the list of processes show arguments. At a terminal
it asks for them and does not show them.

Examples:
  npm run smoke -- http://127.0.0.1:3000
  npm run smoke -- https://abc.execute-api.eu-central-1.amazonaws.com < key.txt
  npm run smoke -- https://abc.execute-api.eu-central-1.amazonaws.com --origin https://portal.example.com --json < key.txt
  npm run smoke -- --portal https://portal.example.com
  cat key.txt exhausted-key.txt | npm run smoke -- https://abc.execute-api.eu-central-1.amazonaws.com --exhausted-key`;

interface Options {
  readonly origin?: string;
  readonly exhaustedKey?: true | string;
  readonly json?: true;
}

/** The smoke test's command line. Throws errors of one line for people. */
export const smokeProgram = (shell: Shell): Command =>
  new Command('smoke')
    .description('Checks a deployed stage of the sandbox developer gateway, or a running npm start, over HTTP')
    .argument('<url>', "the API's base, https or on this machine", readBaseUrl)
    .argument(
      '[-]',
      'stdin, from which the key is read: a test key with units and seven requests a minute left',
      readStdin,
    )
    .option('--origin <origin>', 'also check that a browser at this origin may read the answers', readOrigin)
    .option('--exhausted-key [-]', 'also check the refusal of a second key, whose quota is 0 or used up', readStdin)
    .option('--json', 'print one JSON object')
    .addHelpText('after', paragraphs(EPILOGUE))
    .action(async (baseUrl: string, _stdin: unknown, options: Options) => {
      const keys = await readKeys(options.exhaustedKey !== undefined, shell);
      const report = await runSmoke(baseUrl, { ...options, ...keys });
      shell.stdout.write(withoutApiKeys(options.json ? `${json(report)}\n` : reportText(report)));
      if (!report.ok) shell.exitCode = 1;
    });

/*
 * The readers of arguments throw errors of one line that never repeat the argument. It may be a key in the wrong place,
 * or a key with a typing error, which no pattern would find.
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

/** `-` means a key, the next line of stdin. A key as an argument is visible already, so it is refused. */
function readStdin(text: string): string {
  if (text === '-') return text;
  throw new Error(
    'Keys come from stdin only, such as npm run smoke -- <url> < key.txt: npm, the history of the shell and the list of ' +
      'processes show arguments. If the one that was given is a key, and others can see them, revoke it.',
  );
}

/** Reads keys, one a line of stdin. At a terminal Enter is enough, and nothing is shown. */
async function readKeys(hasExhausted: boolean, { stdin, stderr }: Shell) {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const typed = createInterface({ input: stdin, output: nowhere, terminal: stdin.isTTY === true });
  const lines = typed[Symbol.asyncIterator]();
  const read = async (name: string): Promise<string> => {
    if (stdin.isTTY) stderr.write(`Paste ${name} and press Enter; it is not shown.\n`);
    const given = ((await lines.next()).value ?? '').trim();
    if (given === '') throw new Error(`There is no key on stdin for ${name}: npm run smoke -- <url> < key.txt`);
    const key = parseApiKey(given);
    if (key === undefined) throw new Error(`${name} must be an API key; this one has a typing error or is cut off.`);
    if (key.mode !== SANDBOX_MODE) throw new Error(`${name} must be a test key: the sandbox takes no live ones.`);
    return given;
  };
  try {
    return { key: await read('the key'), exhaustedKey: hasExhausted ? await read('the exhausted key') : undefined };
  } finally {
    // An open input would prevent the end of the process.
    stdin.destroy();
  }
}

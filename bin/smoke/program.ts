import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { Command } from 'commander';
import { parseApiKey } from '../../functions/shared/credentials/api-key.ts';
import { SANDBOX_MODE, withoutApiKeys } from '../../functions/shared/credentials/credential-text.ts';
import { isLoopbackHost } from '../../local/settings.ts';
import type { Shell } from '../cli/shell.ts';
import { json } from '../cli/text.ts';
import { runSmoke } from './gateway.ts';
import { runPortalSmoke } from './portal.ts';
import { reportText } from './run.ts';

const ABOUT = `
Keys come from stdin only, one a line. A run sends seven requests with the key and charges one unit; nobody else should
use its project meanwhile. Exit status: 0 as the contract says, or with notes on what is documented; 1 otherwise.

Examples:
  npm run smoke -- http://127.0.0.1:3000
  npm run smoke -- https://api.example.com --origin https://portal.example.com --json < key.txt
  cat key.txt exhausted-key.txt | npm run smoke -- https://api.example.com --exhausted-key
  npm run smoke -- --portal https://portal.example.com`;

type Options = Readonly<Partial<Record<'portal' | 'origin' | 'exhaustedKey' | 'json', string>>>;

export const smokeProgram = (shell: Shell): Command =>
  new Command('smoke')
    .description('Checks a deployed stage of the sandbox developer gateway, or a running npm start, over HTTP')
    .argument('[url]', "the API's base, https or on this machine", readBaseUrl)
    .argument('[-]', 'stdin, from which the key is read: a test key with units and seven requests a minute left', stdin)
    .option(
      '--portal <url>',
      'check a portal at this origin instead; nobody signs in, and it needs no key',
      readBaseUrl,
    )
    .option('--origin <origin>', 'also check that a browser at this origin may read the answers', readOrigin)
    .option('--exhausted-key [-]', 'also check the refusal of a second key, whose quota is 0 or used up', stdin)
    .option('--json', 'print one JSON object')
    .addHelpText('after', ABOUT)
    .action(async (url: string | undefined, _stdin: unknown, options: Options, command: Command) => {
      const { portal, origin, exhaustedKey } = options;
      if ((url === undefined) === (portal === undefined)) command.error('error: give either <url> or --portal <url>');
      const report = portal
        ? await runPortalSmoke(portal)
        : await runSmoke(url ?? '', { ...(await readKeys(exhaustedKey !== undefined, shell)), origin });
      shell.stdout.write(withoutApiKeys(options.json ? `${json(report)}\n` : reportText(report)));
      if (!report.ok) shell.exitCode = 1;
    });

/** Throws an error of one line that never repeats the text: it may be a key in the wrong place. */
function checked<T>(value: T, isRight: boolean, message: string): T {
  if (isRight) return value;
  throw new Error(message);
}
function readBaseUrl(text: string): string {
  const isBase = /^https?:\/\/[^/?#@\\]+\/?$/i.test(text) && URL.canParse(text);
  checked(text, isBase, 'a URL must be like https://abc.example.com, without path, query, fragment or credentials.');
  const { hostname, protocol, origin } = new URL(text);
  const isPrivate = protocol === 'https:' || isLoopbackHost(hostname);
  return checked(origin, isPrivate, 'a URL must be https, except on this machine: the key would travel unencrypted.');
}
const readOrigin = (text: string): string =>
  checked(text, URL.parse(text)?.origin === text, '--origin must be an origin such as https://portal.example.com.');
const stdin = (text: string): string =>
  checked(text, text === '-', 'Keys come from stdin only: others may see arguments. If this was a key, revoke it.');

/** At a terminal Enter is enough, and nothing is shown. */
async function readKeys(hasExhausted: boolean, { stdin: input, stderr }: Shell) {
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output, terminal: input.isTTY === true })[Symbol.asyncIterator]();
  const read = async (name: string): Promise<string> => {
    if (input.isTTY) stderr.write(`Paste ${name} and press Enter; it is not shown.\n`);
    const given = ((await lines.next()).value ?? '').trim();
    const mode = parseApiKey(given)?.mode;
    checked(given, mode !== undefined, `${name} on stdin must be an API key; it is absent, mistyped or cut off.`);
    return checked(given, mode === SANDBOX_MODE, `${name} must be a test key: the sandbox takes no live ones.`);
  };
  try {
    return { key: await read('the key'), exhaustedKey: hasExhausted ? await read('the exhausted key') : undefined };
  } finally {
    // An open input would prevent the end of the process.
    input.destroy();
  }
}

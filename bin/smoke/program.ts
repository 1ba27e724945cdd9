import type { Readable } from 'node:stream';
import { Command } from 'commander';
import { withoutApiKeys } from '../../functions/core/api-key.ts';
import { readBaseUrl, readKeys, readOrigin } from './arguments.ts';
import { reportText, runSmoke } from './report.ts';

const EPILOGUE = `
A run sends seven requests with the key, charges one unit to its project, and takes a minute at most. Nobody else should
use the key or its project meanwhile: the limits are checked to the unit. A note is a documented peculiarity and no
failure. Exit status: 0 as the contract says, 1 a deviation, limits in the way, or no answer at all.

Examples:
  npm run smoke -- http://127.0.0.1:3000 svc_test_…
  npm run smoke -- https://abc.execute-api.eu-central-1.amazonaws.com - < key.txt
  npm run smoke -- https://abc.execute-api.eu-central-1.amazonaws.com - --origin https://portal.example.com --json < key.txt
  cat key.txt exhausted-key.txt | npm run smoke -- https://abc.execute-api.eu-central-1.amazonaws.com - --exhausted-key -`;

interface Options {
  readonly origin?: string;
  readonly exhaustedKey?: string;
  readonly json?: true;
}

/** The smoke test's command line. Throws what a person should read in one line; prints usage errors and help itself. */
export function smokeProgram(input: Readable): Command {
  const program = new Command('smoke')
    .description('Checks a deployed stage of the sandbox developer gateway, or a running npm start, over HTTP')
    .argument('<url>', "the API's base, https or on this machine", readBaseUrl)
    .argument('<key>', 'a test key with units and seven requests a minute left; - reads it from stdin')
    .option('--origin <origin>', 'also check that a browser at this origin may read the answers', readOrigin)
    .option('--exhausted-key <key>', 'also check the refusal of a key whose quota is 0 or used up; - reads from stdin')
    .option('--json', 'print one JSON object')
    .addHelpText('after', EPILOGUE)
    .exitOverride()
    // What is wrong with an argument is told with the argument, which may be a key in the wrong place.
    .configureOutput({ outputError: (text, write) => write(withoutApiKeys(text)) });
  return program.action(async (baseUrl: string, keyText: string) => {
    const { origin, exhaustedKey: exhaustedKeyText, json } = program.opts<Options>();
    const keys = await readKeys(keyText, exhaustedKeyText, input);
    const report = await runSmoke({ baseUrl, origin, ...keys });
    process.stdout.write(withoutApiKeys(json ? `${JSON.stringify(report)}\n` : reportText(report)));
    if (!report.ok) process.exitCode = 1;
  });
}

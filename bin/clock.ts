/** `npm run clock -- +36h`: moves the clock of the `npm start` on `PORT` forward. */
import { Command } from 'commander';
import { CLOCK_HEADER, CLOCK_PATH, FIXED_STATUS, type ClockState } from '../local/clock.ts';
import { localSettings } from '../local/settings.ts';
import { failWithoutReader } from './cli/shell.ts';
import { paragraphs, runProgram } from './cli/command-line.ts';
import { readDuration } from './admin/values.ts';

const EPILOGUE = `
Windows of rate limits, quota periods, expiries, replays and notices follow, so that a test of your client meets them
within a second. The clock never goes back: start again for that. It moves only where npm start has its own database
in memory, without DATA_DIR and AWS_ENDPOINT_URL_DYNAMODB. The pages of the portal follow. The CLI keeps the
machine's clock, so create keys that shall expire before you move it. Exit status: 0 it was moved; 1 anything else.

Examples:
  npm run clock -- +61s    the rate limit begins anew
  npm run clock -- +25h    a stored response has expired
  npm run clock -- +31d    the quota begins anew, and keys of 30 days have expired
  npm run clock            what time it is there`;

const program = new Command('clock')
  .description('Moves the clock of the npm start on this machine forward')
  .argument('[by]', 'how far, such as +90s, +30m, +36h or +31d', readMove)
  .option('--json', 'print one JSON object: now, movedMs')
  .addHelpText('after', paragraphs(EPILOGUE))
  .action(async (byMs: number | undefined, { json }: { readonly json?: true }) => {
    const { port } = localSettings(process.env);
    const url = `http://127.0.0.1:${port}${CLOCK_PATH}`;
    const asked = { method: byMs === undefined ? 'GET' : 'POST', headers: { [CLOCK_HEADER]: String(byMs ?? 0) } };
    const response = await fetch(url, asked).catch((error: unknown) => {
      throw new Error(`No npm start answers on port ${port}. Set PORT as it was started with.`, { cause: error });
    });
    if (!response.ok) throw new Error(`The clock was not moved (${response.status}): ${reasonOf(response)}.`);
    const state = (await response.json()) as ClockState;
    process.stdout.write(
      `${json ? JSON.stringify(state) : `It is ${state.now} there, ${aheadOf(state.movedMs)} of this machine.`}\n`,
    );
  });

const reasonOf = ({ status }: Response): string =>
  status === FIXED_STATUS
    ? 'what is stored would outlive it. Start npm start without DATA_DIR and AWS_ENDPOINT_URL_DYNAMODB'
    : 'it reaches a hundred years';

/** `+36h` in milliseconds. A move back is refused. */
function readMove(text: string): number {
  if (!text.startsWith('+')) throw new Error('Give how far forward, such as +36h: the clock never goes back.');
  return readDuration(text.slice(1));
}

const aheadOf = (movedMs: number): string =>
  movedMs === 0
    ? 'the same as that'
    : `${(movedMs / 3_600_000).toLocaleString('en', { maximumFractionDigits: 2 })} hours ahead`;

failWithoutReader();
// A move back is no option.
const args = process.argv.slice(2).flatMap((text) => (/^-\d/.test(text) ? ['--', text] : [text]));
await runProgram(program, args, process);

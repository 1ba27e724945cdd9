/** `npm run soak`: tries the promises of the tests for longer. Bounded in count and time, on loopback only. */
import { randomInt } from 'node:crypto';
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { isColourful } from '../../bin/admin/table.ts';
import type { SoakPart } from './part.ts';
import { PARTS } from './parts/index.ts';
import { resultText, type PartResult } from './report.ts';

const MAX_SEED = 2 ** 31 - 1;

interface Options {
  readonly seed: number;
  readonly json?: true;
}

const program = new Command('soak')
  .description('Proves the promises of the gateway for longer than the tests do. Without names it runs every part.')
  .argument('[parts...]', Object.keys(PARTS).join(', '), readPart, [])
  .option('--seed <n>', 'repeat the run of this seed', wholeNumber(MAX_SEED), randomInt(MAX_SEED))
  .option('--json', 'print one JSON object')
  .addHelpText(
    'after',
    `
Parts:
${Object.entries(PARTS)
  .map(([name, { promise }]) => `  ${name.padEnd(12)}${promise}`)
  .join('\n')}

Exit status: 0 every promise held, 1 one did not. A failure is repeated with its part, its amount and its seed:
  npm run soak -- model --sequences 500 --seed 42`,
  )
  .exitOverride();
for (const [unit, parts] of Object.entries(Object.groupBy(Object.entries(PARTS), ([, part]) => part.unit))) {
  const each = (parts ?? []).map(([name, { defaultAmount }]) => `${name} (default ${defaultAmount})`);
  program.option(`--${unit} <n>`, `how much to run of ${each.join(', ')}`, wholeNumber(10_000_000));
}
program.action(async (names: string[]) => {
  const options = program.opts<Options & Partial<Record<string, number>>>();
  const chosen = Object.entries(PARTS).filter(([name]) => names.length === 0 || names.includes(name));
  const results: PartResult[] = [];
  if (!options.json) process.stdout.write(`Seed ${options.seed}\n`);
  for (const [name, part] of chosen) {
    const result = await runPart(name, part, options.seed, options[part.unit] ?? part.defaultAmount);
    if (!options.json) process.stdout.write(resultText(result));
    results.push(result);
  }
  const ok = results.every(({ failure }) => failure === undefined);
  if (options.json) process.stdout.write(`${JSON.stringify({ ok, results })}\n`);
  process.exitCode = ok ? 0 : 1;
});

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) throw error;
  process.exitCode = error.exitCode;
}

async function runPart(name: string, part: SoakPart, seed: number, amount: number): Promise<PartResult> {
  const startedAt = performance.now();
  const shown = isColourful(process.stderr, process.env);
  const progress = (done: number): void => {
    if (shown) process.stderr.write(`\r\u001b[K${name}: ${done} of ${amount} ${part.unit}`);
  };
  const result = { part: name, promise: part.promise, seed };
  const seconds = (): number => (performance.now() - startedAt) / 1000;
  try {
    const figures = await part.run({ seed, amount, progress });
    return { ...result, seconds: seconds(), figures };
  } catch (error) {
    return { ...result, seconds: seconds(), figures: { [part.unit]: amount }, failure: textOf(error) };
  } finally {
    if (shown) process.stderr.write('\r\u001b[K');
  }
}

/** An error with its causes. The error of a failed property names only the counterexample. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { stack = error.message, cause } = error;
  return cause === undefined ? stack : `${stack}\nCaused by ${textOf(cause)}`;
}

function readPart(name: string, earlier: string[]): string[] {
  if (!(name in PARTS)) throw new InvalidArgumentError(`There are ${Object.keys(PARTS).join(', ')}.`);
  return [...earlier, name];
}

function wholeNumber(max: number): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : NaN;
    if (!(value > 0 && value <= max)) throw new InvalidArgumentError(`A whole number from 1 to ${max}.`);
    return value;
  };
}

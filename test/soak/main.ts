/** `npm run soak`: tries the promises of the tests for longer. Bounded in count and time, on loopback only. */
import { randomInt } from 'node:crypto';
import { inspect, styleText } from 'node:util';
import { Argument, Command, InvalidArgumentError } from 'commander';
import { isColourful } from '../../bin/cli/table.ts';
import { facts } from '../../bin/cli/text.ts';
import type { Figures, SoakPart } from './part.ts';
import { crash } from './parts/crash.ts';
import { hostile } from './parts/hostile.ts';
import { load } from './parts/load.ts';
import { accounts, model } from './parts/model.ts';

const MAX_SEED = 2 ** 31 - 1;
/** Every part, in the order in which they run. */
const PARTS: Readonly<Record<string, SoakPart>> = {
  model,
  accounts,
  hostile,
  crash,
  load,
};

const program = new Command('soak')
  .description('Proves the promises of the gateway for longer than the tests do. Without names it runs every part.')
  .addArgument(new Argument('[parts...]', 'which to run').choices(Object.keys(PARTS)))
  .option('--seed <n>', 'repeat the run of this seed', wholeNumber(MAX_SEED), randomInt(MAX_SEED))
  .addHelpText(
    'after',
    `
Parts:
${Object.entries(PARTS)
  .map(([name, { promise }]) => `  ${name.padEnd(12)}${promise}`)
  .join('\n')}

Exit status: 0 every promise held, 1 one did not. A failure is repeated with its part, its amount and its seed:
  npm run soak -- model --sequences 500 --seed 42`,
  );
for (const [unit, parts] of Object.entries(Object.groupBy(Object.entries(PARTS), ([, part]) => part.unit))) {
  const each = (parts ?? []).map(([name, { defaultAmount }]) => `${name} (default ${defaultAmount})`);
  program.option(`--${unit} <n>`, `how much to run of ${each.join(', ')}`, wholeNumber(10_000_000));
}
await program
  .action(async (names: string[], options: { readonly seed: number } & Partial<Record<string, number>>) => {
    process.stdout.write(`Seed ${options.seed}\n`);
    for (const [name, part] of Object.entries(PARTS)) {
      if (names.length > 0 && !names.includes(name)) continue;
      if (!(await isKept(name, part, options.seed, options[part.unit] ?? part.defaultAmount))) process.exitCode = 1;
    }
  })
  .parseAsync();

/** Runs one part and prints what it found. */
async function isKept(name: string, part: SoakPart, seed: number, amount: number): Promise<boolean> {
  const startedAt = performance.now();
  const show = (text: string): void => {
    if (isColourful(process.stderr, process.env)) process.stderr.write(`\r\u001b[K${text}`);
  };
  let figures: Figures = { [part.unit]: amount };
  let failure = '';
  try {
    figures = await part.run({ seed, amount, progress: (done) => show(`${name}: ${done} of ${amount} ${part.unit}`) });
  } catch (error) {
    // With its causes: the error of a failed property names only the counterexample.
    failure = `${inspect(error)}\n`;
  }
  show('');
  const label = failure === '' ? styleText('green', 'ok  ') : styleText('red', 'FAIL');
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  const told = `${facts({ ...figures, seconds, seed })}\n${failure}`.replaceAll(/^(?=.)/gm, '      ');
  process.stdout.write(`${label}  ${name}: ${part.promise}\n${told}`);
  return failure === '';
}

function wholeNumber(max: number): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : NaN;
    if (!(value > 0 && value <= max)) throw new InvalidArgumentError(`A whole number from 1 to ${max}.`);
    return value;
  };
}

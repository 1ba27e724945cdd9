/** `npm run mutation:invariants`: breaks each promise on purpose and checks that its test fails. */
import { execFile } from 'node:child_process';
import { promisify, styleText } from 'node:util';
import { Command } from 'commander';
import { INVARIANTS } from './broken-invariants/index.ts';
import type { Invariant } from './broken-invariants/invariant.ts';
import { placesOf, type Place } from './place.ts';

const JEST = [
  ...['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', '--config=test/mutation/jest.config.mjs'],
  // Broken code may go on for ever; its test has failed by then.
  '--forceExit',
];
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
/** The number of processes, each with one broken place. They mostly wait for the engine. */
const AT_ONCE = 2;

interface JestReport {
  readonly testResults: readonly {
    readonly message: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

/** How these tests ended, by name, with one broken place or none. Throws the message of a file that did not run. */
async function outcomes(
  invariants: readonly Invariant[],
  broken?: Pick<Invariant, 'replace'> & Place,
): Promise<Map<string, string>> {
  const env = { ...process.env, ...(broken && { BROKEN_PLACE: JSON.stringify(broken) }) };
  const names = new Set(invariants.map(({ test }) => test.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')));
  const files = new Set(invariants.map(({ testFile }) => testFile));
  const args = [...JEST, '--json', '--silent', `--testNamePattern=^(${[...names].join('|')})$`, ...files];
  const options = { env, maxBuffer: MAX_OUTPUT_BYTES };
  // Jest exits with 1 when a test fails, which is expected here.
  const { stdout } = await promisify(execFile)(process.execPath, args, options).catch(
    (error: unknown) => error as { stdout: string },
  );
  const { testResults } = JSON.parse(stdout) as JestReport;
  const unloaded = testResults.find(({ assertionResults }) => assertionResults.length === 0);
  if (unloaded) throw new Error(`A test file did not run.\n${unloaded.message}`);
  return new Map(testResults.flatMap(({ assertionResults }) => assertionResults.map((r) => [r.fullName, r.status])));
}

/** Why an invariant is not guarded; undefined if its test fails without it. */
async function weakness(invariant: Invariant, intact: Map<string, string>): Promise<string | undefined> {
  const { test, replace } = invariant;
  const [place, ...others] = placesOf(invariant);
  if (!place || others.length > 0) return `the code to break stands ${place ? others.length + 1 : 0} times`;
  if (intact.get(test) !== 'passed') return `with nothing broken its test is ${intact.get(test) ?? 'not there'}`;
  const status = (await outcomes([invariant], { ...place, replace })).get(test);
  return status === 'failed' ? undefined : 'its test passes without it';
}

const program = new Command('mutation:invariants')
  .description('Breaks each promise on purpose, and sees the test that guards it fail.')
  .argument('[text]', 'part of the tests, or of the files, of those to break; without it, all', '')
  .addHelpText('after', '\nExit status: 0 all are guarded, 1 one is not.')
  .parse();
const [text = ''] = program.processedArgs as [string?];
const chosen = INVARIANTS.filter(
  (each) => `${each.testFile} ${each.test}`.includes(text) || placesOf(each).some(({ file }) => file.includes(text)),
);
if (chosen.length === 0) program.error(`No invariant and no file of one is named '${text}'.`);
const intact = await outcomes(chosen);
const left = chosen.values();
let weak = 0;
const breakSome = async (): Promise<void> => {
  for (const each of left) {
    const why = await weakness(each, intact);
    if (why !== undefined) weak++;
    const label = why === undefined ? styleText('green', 'guarded') : styleText('red', 'WEAK   ');
    const told = why === undefined ? '' : `\n         ${why}: ${each.find} → ${each.replace}`;
    process.stdout.write(`${label}  ${each.testFile}: ${each.test}${told}\n`);
  }
};
await Promise.all(Array.from({ length: AT_ONCE }, breakSome));
process.stdout.write(`${chosen.length - weak} of ${chosen.length} invariants are guarded.\n`);
if (weak > 0) process.exitCode = 1;

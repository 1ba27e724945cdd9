/**
 * `npm run mutation`: changes the code that the ledger rests on in every small way that Stryker knows, and sees the
 * tests fail. Takes the files to mutate; without any, all of stryker.config.mjs. What survivors.yaml explains counts as
 * surviving and is run with `--all` only, also when it is explained no more. Exit status: 1 for a survivor that it does
 * not explain, and for an explanation of what does not survive or is not there.
 */
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import type { schema } from '@stryker-mutator/api/core';
import { Stryker } from '@stryker-mutator/core';
import { isColourful, table } from '../../bin/admin/text.ts';
import { synthesisedPolicies } from '../support/stack.ts';
import { chooseEngine } from './engine.ts';
import { compare, type Survivor } from './survivors.ts';

const REPORT = 'coverage/mutation/report.json';

const { values, positionals: files } = parseArgs({ options: { all: { type: 'boolean' } }, allowPositionals: true });
chooseEngine();
Object.assign(process.env, await synthesisedPolicies());
await new Stryker({
  jsonReporter: { fileName: REPORT },
  plugins: ['@stryker-mutator/jest-runner', new URL('explained.ts', import.meta.url).href],
  // With all, nor stands what an earlier run found.
  ...(values.all ? { force: true } : { checkers: ['explained'] }),
  ...(files.length > 0 && { mutate: files }),
}).runMutationTest();
const report = JSON.parse(readFileSync(REPORT, 'utf8')) as schema.MutationTestResult;
// What a test file tells outside of its tests is an error to Stryker. Of a process that ended twice nothing is known.
for (const mutant of Object.values(report.files).flatMap(({ mutants }) => mutants)) {
  const { status, statusReason = '' } = mutant;
  if (status === 'RuntimeError') mutant.status = statusReason.startsWith('Test runner crashed') ? 'Survived' : 'Killed';
}
const { unexplained, stale } = compare(report);
const text = ({ file, line, mutator, was, is }: Survivor): string =>
  `${file}:${line} ${mutator}\n  - ${was}\n  + ${is}\n`;
process.stdout.write(`\n${scores(report)}\n`);
for (const survivor of unexplained) process.stdout.write(`survives, unexplained: ${text(survivor)}`);
for (const entry of stale) process.stdout.write(`explained, but does not survive: ${text(entry)}`);
if (unexplained.length + stale.length > 0) process.exitCode = 1;

/** What became of the mutants of each folder. The score is the share of those that were killed, in percent. */
function scores(of: schema.MutationTestResult): string {
  const folders = Map.groupBy(Object.entries(of.files), ([file]) => dirname(file));
  const rows = [...folders, ['all', Object.entries(of.files)] as const].map(([folder, members]) => {
    const statuses = members.flatMap(([, { mutants }]) => mutants.map(({ status }) => status));
    const count = (status: schema.MutantStatus): number => statuses.filter((each) => each === status).length;
    const killed = count('Killed') + count('Timeout');
    const [survived, notCovered, explained] = [count('Survived'), count('NoCoverage'), count('CompileError')];
    const score = ((100 * killed) / (killed + survived + notCovered + explained)).toFixed(1);
    return [folder, statuses.length, killed, survived, notCovered, explained, score];
  });
  return table(
    ['Folder', 'Mutants', 'Killed', 'Survived', 'Not covered', 'Explained', 'Score'],
    rows,
    isColourful(process.stdout, process.env),
  );
}

/**
 * Does not run a mutant that survivors.yaml explains: one that survives meets all its tests, up to a minute and a half,
 * and one that is killed a single one. Stryker knows one way not to run a mutant while it runs: it "does not compile".
 */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { type Checker, type CheckResult, CheckStatus } from '@stryker-mutator/api/check';
import type { Mutant } from '@stryker-mutator/api/core';
import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin';
import { isExplained, survivorOf } from './survivors.ts';

class Explained implements Checker {
  init(): Promise<void> {
    return Promise.resolve();
  }

  group(mutants: Mutant[]): Promise<string[][]> {
    const files = Map.groupBy(mutants, ({ fileName }) => fileName);
    return Promise.resolve([...files.values()].map((members) => members.map(({ id }) => id)));
  }

  /** Of mutants of one file. */
  check(mutants: Mutant[]): Promise<Record<string, CheckResult>> {
    const [path = ''] = mutants.map(({ fileName }) => fileName);
    const source = readFileSync(path, 'utf8');
    const results = mutants.map((mutant) => [mutant.id, resultOf(relative('', path), source, mutant)] as const);
    return Promise.resolve(Object.fromEntries(results));
  }
}

function resultOf(file: string, source: string, { location: { start, end }, ...mutant }: Mutant): CheckResult {
  // What a checker gets counts lines and columns from 0, what a report holds from 1.
  const location = { start: fromOne(start), end: fromOne(end) };
  return isExplained(survivorOf(file, source, { ...mutant, location }))
    ? { status: CheckStatus.CompileError, reason: 'explained in test/mutation/survivors.yaml' }
    : { status: CheckStatus.Passed };
}

const fromOne = ({ line, column }: Mutant['location']['start']): Mutant['location']['start'] => ({
  line: line + 1,
  column: column + 1,
});

export const strykerPlugins = [declareClassPlugin(PluginKind.Checker, 'explained', Explained)];

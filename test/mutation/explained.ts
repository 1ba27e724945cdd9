/**
 * Does not run a mutant that survivors.yaml explains: one that survives meets all its tests, up to a minute and a half,
 * and one that is killed a single one. Stryker knows one way not to run a mutant while it runs: it "does not compile".
 */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { type Checker, type CheckResult, CheckStatus } from '@stryker-mutator/api/check';
import type { Mutant } from '@stryker-mutator/api/core';
import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin';
import { certainlyExplained, survivorOf } from './survivors.ts';

const EXPLAINED: CheckResult = {
  status: CheckStatus.CompileError,
  reason: 'explained in test/mutation/survivors.yaml',
};
const PASSED: CheckResult = { status: CheckStatus.Passed };

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
    const survivors = mutants.map(({ location: { start, end }, ...mutant }) => {
      // What a checker gets counts lines and columns from 0, what a report holds from 1.
      const location = { start: fromOne(start), end: fromOne(end) };
      const survivor = survivorOf(relative('', path), source, { ...mutant, location });
      return { ...survivor, id: mutant.id, place: JSON.stringify(location) };
    });
    const explained = certainlyExplained(survivors);
    const results = survivors.map((each) => [each.id, explained.has(each) ? EXPLAINED : PASSED] as const);
    return Promise.resolve(Object.fromEntries(results));
  }
}

const fromOne = ({ line, column }: Mutant['location']['start']): Mutant['location']['start'] => ({
  line: line + 1,
  column: column + 1,
});

export const strykerPlugins = [declareClassPlugin(PluginKind.Checker, 'explained', Explained)];

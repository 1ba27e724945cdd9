/**
 * Runs the test files that cover a mutant until one of them fails: first those that take the least time for each mutant
 * of the same source that they have killed. Stryker names the covering tests only: Jest would load every file to find
 * them, and cannot bail when it is run by a program.
 */
import TestRunner from 'jest-runner';
import { dryRun, keepDryRun, keepKill, killsOf } from './dry-run.mjs';
import { hitsIn } from './first-failure.mjs';

const total = (numbers) => numbers.reduce((sum, each) => sum + each, 0);

export default class CoveringRunner extends TestRunner {
  async runTests(tests, watcher, options) {
    const shown = dryRun(this._globalConfig.rootDir);
    if (shown) await this.runWithMutant(shown, tests, watcher, options);
    else await this.runWithout(tests, watcher, options);
  }

  async runWithout(tests, watcher, options) {
    const files = {};
    this.on('test-file-success', ([{ path }, { testResults, perfStats }]) => {
      const loadMs = perfStats.runtime - total(testResults.map(({ duration }) => duration ?? 0));
      const of = ({ fullName, duration }) => ({ ms: duration ?? 0, hits: hitsIn(path, fullName) });
      files[path] = { loadMs, tests: Object.fromEntries(testResults.map((test) => [test.fullName, of(test)])) };
    });
    await super.runTests(tests, watcher, options);
    keepDryRun(this._globalConfig.rootDir, files);
  }

  async runWithMutant(shown, tests, watcher, options) {
    const { testNamePattern, rootDir, nonFlagArgs } = this._globalConfig;
    const source = nonFlagArgs.join();
    const kills = killsOf(rootDir, source);
    const wanted = new RegExp(testNamePattern ?? '', 'i');
    const covering = tests
      .map((test) => {
        const file = shown[test.path];
        const covers = Object.keys(file.tests).filter((name) => wanted.test(name));
        const ms = file.loadMs + total(covers.map((name) => file.tests[name].ms));
        return { test, covers, msPerKill: ms / (1 + (kills.get(test.path) ?? 0)) };
      })
      .filter(({ covers }) => covers.length > 0)
      .sort((a, b) => a.msPerKill - b.msPerKill);

    let killedBy;
    this.on('test-file-success', ([{ path }, { numFailingTests }]) => {
      if (numFailingTests > 0) killedBy = path;
    });
    this.on('test-file-failure', ([{ path }]) => (killedBy = path));
    for (const { test } of covering) if (killedBy === undefined) await super.runTests([test], watcher, options);
    if (killedBy !== undefined) keepKill(rootDir, source, killedBy);
  }
}

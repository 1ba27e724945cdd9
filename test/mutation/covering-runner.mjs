/**
 * Runs the test files that cover a mutant, one by one until one of them fails. Stryker names the covering tests only:
 * Jest would load every file to find them, and cannot bail when it is run by a program.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import TestRunner from 'jest-runner';

export default class CoveringRunner extends TestRunner {
  async runTests(tests, watcher, options) {
    const { testNamePattern } = this._globalConfig;
    const listing = join(this._globalConfig.rootDir, 'tests-of-files.json');
    const known = existsSync(listing) ? JSON.parse(readFileSync(listing, 'utf8')) : {};
    const covers = ({ path }) =>
      testNamePattern === undefined ||
      (known[path]?.some((name) => new RegExp(testNamePattern, 'i').test(name)) ?? true);

    let failed = false;
    this.on('test-file-success', ([{ path }, { numFailingTests, testResults }]) => {
      failed ||= numFailingTests > 0;
      known[path] = testResults.map(({ fullName }) => fullName);
    });
    this.on('test-file-failure', () => (failed = true));
    for (const test of tests.filter(covers)) if (!failed) await super.runTests([test], watcher, options);

    // The first run is the one without a mutant.
    if (!existsSync(listing)) writeFileSync(listing, JSON.stringify(known));
  }
}

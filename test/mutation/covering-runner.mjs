/**
 * Runs the test files that cover a mutant, the quickest first, until one of them fails. Stryker names the covering tests
 * only: Jest would load every file to find them, and cannot bail when it is run by a program.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import TestRunner from 'jest-runner';

export default class CoveringRunner extends TestRunner {
  async runTests(tests, watcher, options) {
    const { testNamePattern, rootDir } = this._globalConfig;
    // Written by the first run, which is the one without a mutant.
    const listing = join(rootDir, 'test-files.json');
    const files = existsSync(listing) ? JSON.parse(readFileSync(listing, 'utf8')) : {};
    const wanted = new RegExp(testNamePattern ?? '', 'i');
    const covering = tests
      .filter(({ path }) => files[path]?.names.some((name) => wanted.test(name)) ?? true)
      .sort((a, b) => (files[a.path]?.durationMs ?? 0) - (files[b.path]?.durationMs ?? 0));

    let failed = false;
    this.on('test-file-success', ([{ path }, { numFailingTests, testResults, perfStats }]) => {
      failed ||= numFailingTests > 0;
      files[path] = { names: testResults.map(({ fullName }) => fullName), durationMs: perfStats.runtime };
    });
    this.on('test-file-failure', () => (failed = true));
    for (const test of covering) if (!failed) await super.runTests([test], watcher, options);
    if (!existsSync(listing)) writeFileSync(listing, JSON.stringify(files));
  }
}

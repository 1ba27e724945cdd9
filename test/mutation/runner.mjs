/**
 * Runs the tests for a mutant, one file after another, up to the first failure: the handlers on mocks first, then what
 * is small. Stryker cannot ask jest for this (`bail`), and would load every other file of tests for each mutant.
 */
import { statSync } from 'node:fs';
import TestRunner from 'jest-runner';

const costOf = ({ path }) => (path.includes('/test/handlers/') ? 0 : statSync(path).size);

export default class MutantRunner extends TestRunner {
  async runTests(tests, watcher, options) {
    let foundMutant = false;
    const forget = this.on('test-file-success', ([, result]) => {
      foundMutant = result.numFailingTests > 0;
    });
    for (const test of [...tests].sort((a, b) => costOf(a) - costOf(b))) {
      if (!foundMutant) await super.runTests([test], watcher, options);
    }
    forget();
  }
}

import { ENGINES } from '../../local/engines.ts';
import { LOADED_BY_NODE } from '../support/loaded-by-node.mjs';

/**
 * The tests that judge a mutant of the gateway. Those of `accounts` and `portal` send requests too: they would run for
 * each mutant of the ledger, and find no other. A mutant of another subject needs the tests of that subject.
 */
const TESTS = process.env.MUTATION_TESTS ?? '{chain,handlers,rules,store}/*';

/** The tests for mutated code, in one project on one engine, without those that start processes. */
export default {
  rootDir: '../..',
  transform: {
    // The first that fits: the provider's configuration belongs to the realm of its library.
    [LOADED_BY_NODE]: '<rootDir>/test/support/loaded-by-node.mjs',
    '\\.ts$': '<rootDir>/test/support/strip-types.mjs',
  },
  transformIgnorePatterns: [],
  extensionsToTreatAsEsm: ['.ts'],
  testEnvironment: '<rootDir>/test/support/environment.mjs',
  setupFiles: ['<rootDir>/test/support/use-engine.mjs'],
  runner: '<rootDir>/test/mutation/runner.mjs',
  // A mutant that hangs is found by the first test that waits for it.
  testTimeout: 30_000,
  testMatch: [`<rootDir>/test/${TESTS}.test.ts`],
  globals: { ENGINE: Object.keys(ENGINES).find((name) => ENGINES[name]() !== undefined) },
};

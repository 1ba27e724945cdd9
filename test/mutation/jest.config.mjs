import { ENGINES } from '../../local/engines.ts';
import { LOADED_BY_NODE } from '../support/loaded-by-node.mjs';

/**
 * The tests for mutated code, in one project on one engine: those of rules and handlers, without those that start
 * processes and without the random sequences.
 */
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
  testTimeout: 120_000,
  testMatch: [
    '<rootDir>/test/{accounts,chain,handlers,notices,openapi,portal,rules,store,usage}/**/*.test.ts',
    '<rootDir>/test/infra/page-headers.test.ts',
  ],
  globals: { ENGINE: Object.keys(ENGINES).find((name) => ENGINES[name]() !== undefined) },
};

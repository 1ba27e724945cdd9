import { LOADED_OUTSIDE } from '../support/outside.mjs';

/** The tests that broken code meets, on one engine: all but those that start processes, and the random sequences, which
 * every mutant would run in full. */
export default {
  rootDir: '../..',
  transform: {
    '\\.ts$': '<rootDir>/test/mutation/breaking-transform.mjs',
    [LOADED_OUTSIDE]: '<rootDir>/test/support/outside.mjs',
  },
  transformIgnorePatterns: [],
  extensionsToTreatAsEsm: ['.ts'],
  testEnvironment: '<rootDir>/test/support/environment.mjs',
  // A test of `npm run mutation` that hangs is ended by first-failure.mjs; a slow machine is none.
  testTimeout: 120_000,
  testMatch: [
    '<rootDir>/test/{accounts,core,handlers,middleware,openapi,portal,store,usage}/**/*.test.ts',
    '<rootDir>/test/infra/page-headers.test.ts',
  ],
  globals: { ENGINE: process.env.MUTATION_ENGINE, THOROUGH: true },
};

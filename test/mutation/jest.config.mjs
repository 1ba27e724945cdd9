/** The tests that broken code meets: all but those that start processes, on the one engine that `onEngine` started. */
export default {
  rootDir: '../..',
  transform: { '\\.ts$': '<rootDir>/test/mutation/breaking-transform.mjs' },
  extensionsToTreatAsEsm: ['.ts'],
  testEnvironment: 'node',
  // A mutant that hangs is ended by Stryker; a slow machine is none.
  testTimeout: 120_000,
  testMatch: ['<rootDir>/test/{contract,core,middleware,data,handlers,property}/**/*.test.ts'],
  globals: { ENGINE: process.env.MUTATION_ENGINE },
};

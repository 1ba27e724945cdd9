/** Mutation testing of what the ledger rests on: `npm run mutation` (test/mutation/main.ts) starts what it needs. */
import { fileURLToPath } from 'node:url';

/** Ignored by git and by every tool. */
const REPORTS = 'coverage/mutation';
const pathOf = (name) => fileURLToPath(new URL(`test/mutation/${name}`, import.meta.url));

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  mutate: ['functions/{accounts,core,ledger,metered,middleware,portal,store,usage}/**/*.ts'],
  testRunner: 'jest',
  testRunnerNodeArgs: ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
  jest: {
    configFile: 'test/mutation/jest.config.mjs',
    config: { testEnvironment: pathOf('first-failure.mjs'), runner: pathOf('covering-runner.mjs') },
  },
  coverageAnalysis: 'perTest',
  // The types are removed unread.
  disableTypeChecks: false,
  concurrency: 2,
  // A last resort: first-failure.mjs ends what goes on for too long. That much longer than all its tests take on a crowded
  // machine, as a mutant that times out counts as killed.
  timeoutMS: 20_000,
  timeoutFactor: 3,
  dryRunTimeoutMinutes: 30,
  // Every run of ES modules leaves some of them in memory.
  maxTestRunnerReuse: 40,
  // What was found of a mutant stands until its file or a test that covers it changes.
  incremental: true,
  incrementalFile: `${REPORTS}/incremental.json`,
  reporters: ['html', 'json', 'progress-append-only'],
  htmlReporter: { fileName: `${REPORTS}/report.html` },
  tempDirName: `${REPORTS}/sandbox`,
  cleanTempDir: 'always',
  ignorePatterns: ['coverage', 'cdk.out', '.data'],
  warnings: { slow: false },
};

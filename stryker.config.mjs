/** Mutation testing, with Stryker as it comes (docs/contributing.md, "Long tests"). */
import { fileURLToPath } from 'node:url';

/** Ignored by git and by every tool. */
const REPORTS = 'coverage/mutation';

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  // What charges, refuses and replays. Another subject is named with its tests.
  mutate: ['functions/{gateway,shared}/**/*.ts'],
  testRunner: 'jest',
  testRunnerNodeArgs: ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
  // Absolute: Stryker looks for it from its own place.
  jest: {
    configFile: 'test/mutation/jest.config.mjs',
    config: { testEnvironment: fileURLToPath(new URL('test/mutation/environment.mjs', import.meta.url)) },
  },
  coverageAnalysis: 'perTest',
  thresholds: { high: 95, low: 90, break: 90 },
  // The types are removed unread.
  disableTypeChecks: false,
  dryRunTimeoutMinutes: 30,
  // Every run of ES modules leaves some of them in memory.
  maxTestRunnerReuse: 20,
  incremental: true,
  incrementalFile: `${REPORTS}/incremental.json`,
  reporters: ['html', 'clear-text', 'progress-append-only'],
  clearTextReporter: { logTests: false, allowEmojis: false },
  htmlReporter: { fileName: `${REPORTS}/report.html` },
  tempDirName: `${REPORTS}/sandbox`,
  cleanTempDir: 'always',
  ignorePatterns: ['coverage', 'cdk.out', '.data'],
  // Longer than a test may take (test/mutation/jest.config.mjs).
  timeoutMS: 60_000,
  warnings: { slow: false },
};

import { relative } from 'node:path';
import { ENGINES } from './local/engines.ts';
import { LOADED_BY_NODE } from './test/support/loaded-by-node.mjs';

/** `npm run test:full` (test/support/extent.ts). */
const IS_FULL = process.env.TEST_EXTENT === 'full';
/** `npm run test:unit`: what needs nothing but Node. */
const IS_UNIT = process.env.TEST_EXTENT === 'unit';
/** A landing that changes the portal: with the tests of its pages. */
const IS_PAGES = process.env.TEST_EXTENT === 'pages';

/** The files and folders that were named, as ends of paths. What follows `-t` is a name of tests. */
const NAMED = process.argv
  .slice(2)
  .filter((argument, i, all) => !argument.startsWith('-') && !/^(-t|--testNamePattern)$/.test(all[i - 1] ?? ''))
  .map((argument) => `/${relative('.', argument)}`);

/** Suites that drive the chain and the portal's function on a real engine. */
const ON_ENGINES = '{accounts,chain,notices,portal,property,store,usage}/**/*';
/** What a landing confirms on a second engine: conditions and transactions, which are an engine's own rules. */
const CONFIRMED = ['accounts/limits', 'property/model'];
/** What one page shows, and names that are meant to harm: only the portal's own code draws them. */
const PAGES = [
  ...['audit', 'docs', 'finding', 'home', 'hostile-names', 'kept-words', 'key', 'notices', 'press'],
  ...['profile', 'reader', 'requests', 'shift', 'states', 'team', 'try-it', 'usage', 'usage-speed'],
].map((page) => `e2e/portal/${page}`);
/**
 * What only a full run tries, and who names the file or a beginning of its path. A landing tries the same promises by
 * tests that are aimed at them: in process, over the API, and in a browser by what holds for every page.
 */
export const ONLY_IN_FULL = [
  // Load on processes.
  'e2e/kill',
  // Random sequences and figures of everything that can be read.
  'property/usage',
  ...PAGES,
  // Whole matrices: each call of the daily run, each route of a portal.
  'notices/daily-run-crashes',
  'e2e/smoke-portal',
  // What changes with few commits: packages to publish, samples of the documentation, the development server's data.
  'clients/published',
  ...['database-guard', 'demo-data', 'docs-samples'].map((name) => `e2e/${name}`),
];
const LEFT_OUT = ONLY_IN_FULL.filter((name) => !IS_FULL && !(IS_PAGES && PAGES.includes(name)))
  .map((name) => `/test/${name}.test.ts`)
  .filter((file) => !NAMED.some((path) => file.includes(path)));

/** Builds of bundles, pages and packages, with programs of their own. */
const BUILDS = [
  'app/app-build',
  'clients/published',
  'clients/suites',
  'infra/bill-of-materials',
  'infra/portal-bundle',
];
/**
 * What most conditions of writes are noticed by (`test/mutation/breaks.ts`): after the tests on mocks, which evaluate
 * none.
 */
const CONDITIONS = [
  ...['account-store', 'active-keys', 'changes', 'invitations', 'members'].map((name) => `accounts/${name}`),
  ...['idempotency', 'key-caps', 'rate-limit', 'refusals'].map((name) => `chain/${name}`),
  'notices/deliveries',
  ...['manage-authority', 'sessions'].map((name) => `portal/${name}`),
];

const common = {
  // Not in a place that clones share.
  cacheDirectory: '<rootDir>/node_modules/.cache/jest',
  transform: {
    // The first that fits.
    [LOADED_BY_NODE]: '<rootDir>/test/support/loaded-by-node.mjs',
    '\\.ts$': '<rootDir>/test/support/strip-types.mjs',
  },
  transformIgnorePatterns: [],
  extensionsToTreatAsEsm: ['.ts'],
  testEnvironment: '<rootDir>/test/support/environment.mjs',
  testPathIgnorePatterns: LEFT_OUT.map((file) => `${file}$`),
};

const filesOf = (names) => names.map((name) => `<rootDir>/test/${name}.test.ts`);
const onEngine = (engine, displayName, names) => ({
  ...common,
  displayName,
  testMatch: filesOf(names),
  setupFiles: ['<rootDir>/test/support/use-engine.mjs'],
  globals: { ENGINE: engine },
});

const wanted = Object.keys(ENGINES);
const engines = wanted.filter((name) => ENGINES[name]() !== undefined);
const missing = wanted.filter((name) => !engines.includes(name));
if (!IS_UNIT && engines.length === 0) throw new Error('No local database runs here: install Java 17 or newer.');
if (!IS_UNIT && missing.length > 0) {
  process.stderr.write(`Not tested, as this machine cannot run it: ${missing.join(', ')}\n`);
}
if (IS_UNIT && engines.length === 0)
  process.stderr.write('Not tested, without a local database: conditions of writes\n');

export default {
  maxWorkers: 3,
  // To free the memory of its modules takes a worker longer than the half second after which jest ends it.
  workerGracefulExitTimeout: 10_000,
  // At least five times what a test takes: other runs may go on beside this one. A model's full run takes a minute.
  testTimeout: IS_FULL ? 300_000 : 60_000,
  globalSetup: '<rootDir>/test/support/start-run.mjs',
  testSequencer: '<rootDir>/test/support/balanced.mjs',
  globalTeardown: '<rootDir>/test/support/stop-run.mjs',
  projects: [
    {
      ...common,
      displayName: 'unit',
      testMatch: filesOf(['{app,cli,clients,openapi,rules,docs,handlers,infra}/**/*']),
      testPathIgnorePatterns: [...common.testPathIgnorePatterns, ...BUILDS.map((name) => `/test/${name}\\.test\\.ts$`)],
    },
    ...(IS_UNIT
      ? engines.slice(0, 1).map((engine) => onEngine(engine, 'conditions', CONDITIONS))
      : [
          { ...common, displayName: 'builds', testMatch: filesOf(BUILDS) },
          ...engines.map((engine, i) => onEngine(engine, engine, i === 0 || IS_FULL ? [ON_ENGINES] : CONFIRMED)),
          { ...common, displayName: 'e2e', testMatch: filesOf(['e2e/**/*']) },
        ]),
  ],
};

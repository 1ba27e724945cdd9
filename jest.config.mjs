import { ENGINES } from './local/engines.ts';
import { LOADED_BY_NODE } from './test/support/loaded-by-node.mjs';

/** `npm run test:full` (test/support/extent.ts). */
const IS_FULL = process.env.TEST_EXTENT === 'full';
/** `npm run test:unit`: what needs nothing but Node. */
const IS_UNIT = process.env.TEST_EXTENT === 'unit';
/** A landing that changes the portal: with the tests of its pages. */
const IS_PAGES = process.env.TEST_EXTENT === 'pages';

/** Suites that drive the chain and the portal's function on a real engine. */
const ON_ENGINES = '{accounts,chain,notices,portal,property,store,usage}/**/*';
/** What a landing confirms on a second engine: conditions and transactions, which are an engine's own rules. */
const CONFIRMED = ['accounts/limits', 'property/model'];
/**
 * What only a full run tries, and who names the file. A landing tries the same promises by tests that are aimed at
 * them: in process, over the API, and in a browser by what holds for every page.
 */
const ONLY_IN_FULL = [
  // Load on processes.
  'e2e/kill',
  // Random sequences and figures of everything that can be read.
  'property/usage',
  'portal/read-units',
  // What one page shows, and names that are meant to harm: only the portal's own code draws them.
  ...(IS_PAGES
    ? []
    : [
        'e2e/portal/(audit|docs|finding|home|hostile-names|key|key-cap|key-page|notices|press|profile|reader|requests|shift|states|team|try-it|usage|usage-speed)',
      ]),
  // Whole matrices: each call of the daily run, each route of a portal.
  'notices/daily-run-crashes',
  'e2e/smoke-portal',
  // What changes with few commits: packages to publish, samples of the documentation, the development server's data.
  'clients/published',
  'e2e/(database-guard|demo-data|docs-samples)',
]
  .map((files) => `/test/${files}\\.test\\.ts$`)
  .filter((pattern) => !IS_FULL && !process.argv.some((argument) => new RegExp(pattern).test(`/${argument}`)));

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
  testPathIgnorePatterns: ONLY_IN_FULL,
};

const onEngine = (engine, index) => ({
  ...common,
  displayName: engine,
  testMatch: (index === 0 || IS_FULL ? [ON_ENGINES] : CONFIRMED).map((name) => `<rootDir>/test/${name}.test.ts`),
  setupFiles: ['<rootDir>/test/support/use-engine.mjs'],
  globals: { ENGINE: engine },
});

const wanted = IS_UNIT ? [] : Object.keys(ENGINES);
const engines = wanted.filter((name) => ENGINES[name]() !== undefined);
const missing = wanted.filter((name) => !engines.includes(name));
if (!IS_UNIT && engines.length === 0) throw new Error('No local database runs here: install Java 17 or newer.');
if (missing.length > 0) process.stderr.write(`Not tested, as this machine cannot run it: ${missing.join(', ')}\n`);

export default {
  maxWorkers: 3,
  // At least five times what a test takes: other runs may go on beside this one. A model's full run takes a minute.
  testTimeout: IS_FULL ? 300_000 : 60_000,
  globalSetup: '<rootDir>/test/support/start-run.mjs',
  testSequencer: '<rootDir>/test/support/balanced.mjs',
  globalTeardown: '<rootDir>/test/support/stop-run.mjs',
  projects: [
    {
      ...common,
      displayName: 'unit',
      testMatch: ['<rootDir>/test/{app,cli,clients,openapi,rules,docs,handlers,infra}/**/*.test.ts'],
    },
    ...engines.map(onEngine),
    ...(IS_UNIT ? [] : [{ ...common, displayName: 'e2e', testMatch: ['<rootDir>/test/e2e/**/*.test.ts'] }]),
  ],
};

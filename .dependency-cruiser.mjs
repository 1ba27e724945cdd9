// The rules of the folders (docs/architecture.md, "Folders"): imports point one way.
const only = (name, from, allowed, comment, except) => ({
  name,
  comment,
  severity: 'error',
  from: { path: from, ...(except && { pathNot: except }) },
  to: { path: '^(bin|clients|examples|lib|functions|local|portal|test|bench)/', pathNot: [from, ...allowed] },
});

const NAMES = '^functions/(notices|shared)/names\\.ts$';
const SHARED = ['^functions/shared/'];
/** What decides without a table, a setting or a clock: all of `shared` but these. */
const RULES = '^functions/shared/(?!store/|(system|telemetry|node-http)\\.ts$)';
/** How a setting is read: the stacks, the programs and the functions check it by one rule. */
const SETTING_RULES = '^functions/shared/settings/';
/** What the portal's two APIs take, answer and refuse: schemas and texts. */
const CONTRACT = '^functions/(portal/contract/|shared/http/errors\\.ts$)';
/** What the page shows of the gateway: types alone. */
const PAGE_TYPES = '^portal/gateway/types\\.ts$';

export default {
  forbidden: [
    only('rules-know-no-store', RULES, [RULES], 'a rule is pure: it reads no table, no setting and no clock'),
    {
      name: 'shared-has-no-aws-and-no-middy',
      severity: 'error',
      from: { path: '^functions/shared/', pathNot: '^functions/shared/(store/|telemetry\\.ts$)' },
      to: { path: 'node_modules/(@aws-sdk|@smithy|@middy|@aws-lambda-powertools)/' },
    },
    only('shared-is-the-ground', '^functions/shared/', []),
    // What a request goes through. What people manage and what the ledger tells are not its own.
    only('middleware-uses-rules', '^functions/gateway/middleware/', [RULES]),
    only('operations-know-rules-only', '^functions/gateway/operations/', [RULES]),
    only('ledger-is-below-requests', '^functions/gateway/ledger/', SHARED),
    only('gateway-reaches-the-ledger', '^functions/gateway/', SHARED),
    only('accounts-are-on-the-store', '^functions/accounts/', SHARED),
    only('usage-tells-of-accounts', '^functions/usage/', ['^functions/(accounts|gateway/operations)/', ...SHARED]),
    only('portal-manages-and-tells', '^functions/portal/', ['^functions/(accounts|usage)/', ...SHARED]),
    only('notices-tell-of-accounts', '^functions/notices/', ['^functions/(accounts|usage)/', ...SHARED]),
    only('functions-stand-alone', '^functions/', ['^functions/'], 'what runs in Lambda imports nothing from outside'),
    only('clients-stand-alone', '^clients/', [], 'a library is published as its folder alone'),
    only(
      'examples-stand-alone',
      '^examples/',
      ['^clients/typescript/'],
      'a reader copies them; a library is all they know',
      '^examples/cdk/',
    ),
    only('the-example-app-uses-constructs', '^examples/cdk/', ['^lib/']),
    {
      name: 'clients-are-for-their-callers',
      severity: 'error',
      from: { pathNot: '^(test|clients|examples|bin/smoke)/' },
      to: { path: '^clients/' },
    },
    only(
      'portal-app-stands-alone',
      '^portal/(?!build/)',
      ['^functions/portal/contract/'],
      'it runs in a browser; its contract is all it knows of the project',
    ),
    {
      name: 'portal-app-knows-types',
      comment: 'the schemas of the contract are for the function and for tests',
      severity: 'error',
      from: { path: '^portal/(?!build/)' },
      to: { path: '^functions/', dependencyTypesNot: ['type-only'] },
    },
    only(
      'the-build-of-the-page-writes-contracts',
      '^portal/build/',
      ['^lib/(bundling|portal/(app-files|page-headers))\\.ts$', CONTRACT, PAGE_TYPES, RULES],
      'it has the page’s files and documents from schemas, and knows of the CDK what serves them',
    ),
    only(
      'the-contract-is-for-a-browser-too',
      '^functions/portal/contract/',
      [RULES],
      'the page compiles it: no types of Node or AWS',
    ),
    only(
      'lib-knows-names-only',
      '^lib/',
      [NAMES, SETTING_RULES, '^functions/gateway/operations/(index|ping)\\.ts$'],
      'handlers are named by path, never imported; the probe sends a ping',
    ),
    only(
      'bench-measures-the-product',
      '^bench/',
      ['^(functions|lib|local)/', '^bin/cli/table\\.ts$'],
      'what is measured is what runs; of the entry points it borrows their tables only',
    ),
    {
      name: 'bench-is-a-leaf',
      severity: 'error',
      from: { pathNot: '^(test|bench)/' },
      to: { path: '^bench/' },
    },
    {
      name: 'tests-are-leaves',
      severity: 'error',
      from: { pathNot: '^test/' },
      to: { path: '^test/' },
    },
    {
      name: 'examples-are-leaves',
      severity: 'error',
      from: { pathNot: '^(test|examples)/' },
      to: { path: '^examples/' },
    },
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-undeclared-package',
      severity: 'error',
      from: {},
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'no-unresolved',
      severity: 'error',
      from: {},
      // What CloudWatch Synthetics has and npm has not.
      to: { couldNotResolve: true, pathNot: '^@aws/synthetics-core$' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // Built from src, which is cruised.
    exclude: { path: '^clients/typescript/dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};

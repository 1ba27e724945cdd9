// The house rules of the layout (README, "Architecture"): imports point one way.
const only = (name, from, allowed, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: from },
  to: { path: '^(bin|examples|lib|functions|local|test|bench)/', pathNot: [from, ...allowed] },
});

export default {
  forbidden: [
    only('core-is-pure', '^functions/core/', [], 'core holds the rules and knows nobody'),
    {
      name: 'core-has-no-aws-and-no-middy',
      severity: 'error',
      from: { path: '^functions/core/' },
      to: { path: 'node_modules/(@aws-sdk|@smithy|@middy|@aws-lambda-powertools)/' },
    },
    only('middleware-uses-rules', '^functions/middleware/', ['^functions/core/', '^functions/contract\\.ts$']),
    only('data-uses-rules', '^functions/data/', ['^functions/core/', '^functions/contract\\.ts$']),
    only('functions-stand-alone', '^functions/', ['^functions/'], 'what runs in Lambda imports nothing from outside'),
    only(
      'examples-stand-alone',
      '^examples/',
      [],
      'a reader copies them; the contract is all they know of the project',
    ),
    only('lib-knows-names-only', '^lib/', ['^functions/contract\\.ts$'], 'handlers are named by path, never imported'),
    only(
      'bench-measures-the-product',
      '^bench/',
      ['^(functions|lib|local)/', '^bin/admin/text\\.ts$'],
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
    { name: 'no-unresolved', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};

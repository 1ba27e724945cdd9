import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['cdk.out/', 'node_modules/', 'coverage/', 'examples/typescript/api-types.ts', 'portal/api/types.ts'] },
  // JavaScript as CloudWatch Synthetics runs it, with modules that are only there; test/infra/probe.test.ts runs it.
  { ignores: ['lib/probe/script.cjs'] },
  tseslint.configs.strictTypeChecked,
  tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/consistent-type-definitions': ['error', 'interface'],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true }],
      // An empty string in the environment or in a header is as good as none.
      '@typescript-eslint/prefer-nullish-coalescing': ['error', { ignorePrimitives: { string: true } }],
      eqeqeq: 'error',
    },
  },
  {
    // The clock, randomness and the environment have one door each; everything else takes them as parameters.
    files: ['functions/**/*.ts'],
    ignores: ['functions/runtime.ts', 'functions/portal/runtime.ts', 'functions/system.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: 'Take a Clock.' },
        { object: 'Math', property: 'random', message: 'Take a source of randomness.' },
        { object: 'process', property: 'env', message: 'Read the environment in runtime.ts.' },
        { object: 'v', property: 'maxLength', message: 'It counts UTF-16 units. Take maxCharacters.' },
      ],
      'no-restricted-syntax': [
        'error',
        { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: 'Take a Clock.' },
      ],
    },
  },
  { files: ['portal/**/*.{ts,tsx}'], extends: [reactHooks.configs.flat['recommended-latest']] },
  { files: ['**/*.mjs'], extends: [tseslint.configs.disableTypeChecked] },
);

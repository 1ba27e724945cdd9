import { fileURLToPath } from 'node:url';

/** The directory that the paths below, and the bundler, start from. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/**
 * Packages that the SDK imports on demand only. Lambda passes credentials in the environment, where the SDK looks first,
 * and DynamoDB and Secrets Manager have no event streams.
 */
const NEVER_LOADED = [
  '@aws-sdk/credential-provider-http',
  '@aws-sdk/credential-provider-ini',
  '@aws-sdk/credential-provider-process',
  '@aws-sdk/credential-provider-sso',
  '@aws-sdk/credential-provider-web-identity',
  '@smithy/credential-provider-imds',
  '@smithy/core/event-streams',
];

/** How a function becomes one file, as options of esbuild: for the stack that deploys it, and for who measures it. */
export const BUNDLING = {
  format: 'esm',
  platform: 'node',
  target: 'node24',
  mainFields: ['module', 'main'],
  minify: true,
  sourcemap: true,
  // Names and lines are enough for a stack trace; the sources are in the repository.
  sourcesContent: false,
  legalComments: 'none',
  // The SDK of the runtime is larger and slower to load than the parts that are used.
  external: NEVER_LOADED,
  alias: { 'node:http': './functions/node-http.ts' },
} as const;

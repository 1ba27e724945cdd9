import { fileURLToPath } from 'node:url';

/** The root of the paths below, and of the bundler. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/**
 * Packages that the SDK imports on demand only. Lambda passes credentials in the environment, where the SDK looks
 * first, and DynamoDB and Secrets Manager have no event streams.
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

/** How a function becomes one file, as options of esbuild: for the stack that deploys it, and for measurements. */
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
  // The runtime's own SDK is larger and slower to load than the parts in use.
  external: NEVER_LOADED,
  alias: { 'node:http': './functions/shared/node-http.ts' },
} as const;

import { fileURLToPath } from 'node:url';

/** The directory that the paths below, and the bundler, start from. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Parts of the SDK that load on demand, and on Lambda with DynamoDB never do. */
const NEVER_LOADED = ['@smithy/credential-provider-imds', '@smithy/core/event-streams'];

/** What the SDK loads at once, but of which the functions need less. */
const REPLACED = {
  '@aws-sdk/credential-provider-node': './functions/bundle/credential-provider.ts',
  '@aws-sdk/endpoint-cache': './functions/bundle/endpoint-cache.ts',
  'node:http': './functions/bundle/node-http.ts',
};

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
  alias: REPLACED,
} as const;

/** Replaces a package's file by what Node itself loads from it (environment.mjs). */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** The packages that Node loads itself, as a pattern for jest. */
export const LOADED_OUTSIDE = `/node_modules/(${[
  '@aws-sdk/(core|client-[a-z0-9-]+)/dist-cjs/(.+/)?index',
  '@smithy/[a-z-]+/dist-cjs/(.+/)?index',
  'ajv/dist/2020',
  'ajv-formats/dist/index',
  'playwright-core/index',
].join('|')})\\.js$`;

const OWN = readFileSync(new URL(import.meta.url));

export default {
  getCacheKey: (_source, path) => createHash('sha256').update(`${OWN}\0${path}`).digest('hex'),
  process: (_source, path) => ({ code: `module.exports = globalThis.outside(${JSON.stringify(path)});` }),
};

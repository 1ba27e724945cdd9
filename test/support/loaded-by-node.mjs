/** Replaces a module by what Node itself loads from the file (environment.mjs). */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** Packages without state of the gateway's, whose values are not asked for their class: a Set of another realm is none. */
const PACKAGES = [
  '@aws-sdk/(core|client-[a-z0-9-]+)/dist-cjs/(.+/)?index',
  '@smithy/[a-z-]+/dist-cjs/(.+/)?index',
  '(hono|js-yaml|oidc-provider|valibot)/.+',
  'ajv/dist/2020',
  'ajv-formats/dist/index',
  'playwright-core/index',
];

/** What Node loads itself, as a pattern for jest. The contracts are read and their validators made once a worker. */
export const LOADED_BY_NODE = `(/node_modules/(${PACKAGES.join('|')})\\.m?js|/portal/build/openapi\\.ts|/local/(identity|openapi)/\\w+\\.ts)$`;

const require = createRequire(import.meta.url);
const OWN = readFileSync(new URL(import.meta.url));

/** The module as an ES module with the same names. */
function asEsModule(path) {
  const names = Object.keys(require(path)).filter((name) => !['__esModule', 'module.exports'].includes(name));
  const values = names.map((name, i) => `_${i} = all[${JSON.stringify(name)}]`);
  return `const ${[`all = globalThis.outside(${JSON.stringify(path)})`, ...values].join(', ')};
export { ${names.map((name, i) => `_${i} as ${JSON.stringify(name)}`).join(', ')} };`;
}

export default {
  getCacheKey: (source, path) =>
    createHash('sha256').update(`${process.version}\0${OWN}\0${path}\0${source}`).digest('hex'),
  process: (_source, path, { supportsStaticESM }) => ({
    code: supportsStaticESM ? asEsModule(path) : `module.exports = globalThis.outside(${JSON.stringify(path)});`,
  }),
};

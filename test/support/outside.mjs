/** In place of a package's file: what Node itself loads of it (environment.mjs). */
import { createHash } from 'node:crypto';

export default {
  getCacheKey: (_source, path) => createHash('sha256').update(path).digest('hex'),
  process: (_source, path) => ({ code: `module.exports = globalThis.outside(${JSON.stringify(path)});` }),
};

/**
 * Turns TypeScript into ES modules for jest, as Node itself does: spaces replace the types, so that lines and columns
 * stay.
 */
import { createHash } from 'node:crypto';
import { stripTypeScriptTypes } from 'node:module';

export default {
  getCacheKey: (source, path) => createHash('sha256').update(`${process.version}\0${path}\0${source}`).digest('hex'),
  process: (source) => ({ code: stripTypeScriptTypes(source) }),
};

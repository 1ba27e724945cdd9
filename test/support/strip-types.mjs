/**
 * Turns TypeScript into ES modules for jest, as Node itself does: spaces replace the types, so that lines and columns
 * stay.
 */
import { createHash } from 'node:crypto';
import { stripTypeScriptTypes } from 'node:module';

/** What `test/mutation/breaks.ts` turns round in one file, for the tests alone. */
const { file, find, replacement } = JSON.parse(process.env.TEST_BREAK ?? '{}');
const broken = (source, path) => (file && path.endsWith(file) ? source.replace(find, () => replacement) : source);

export default {
  getCacheKey: (source, path) =>
    createHash('sha256')
      .update(`${process.version}\0${path}\0${broken(source, path)}`)
      .digest('hex'),
  process: (source, path) => ({ code: stripTypeScriptTypes(broken(source, path)) }),
};

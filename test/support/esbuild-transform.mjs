/** Turns TypeScript into the ES modules that jest runs, by removing the types. */
import { createHash } from 'node:crypto';
import { transformSync, version } from 'esbuild';

export default {
  getCacheKey: (source, path) => createHash('sha256').update(`${version}\0${path}\0${source}`).digest('hex'),
  process: (source, sourcefile) => {
    const options = { loader: 'ts', format: 'esm', target: 'node22', sourcemap: 'inline', sourcefile };
    return { code: transformSync(source, options).code };
  },
};

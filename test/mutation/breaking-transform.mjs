/** The transform of the tests, which breaks one place of the code when test/mutation/invariants.ts says so. */
import transform from '../support/strip-types.mjs';

const broken = process.env.BROKEN_PLACE && JSON.parse(process.env.BROKEN_PLACE);
const changed = (source, path) =>
  broken && path.endsWith(`/${broken.file}`)
    ? source.slice(0, broken.start) + broken.replace + source.slice(broken.end)
    : source;

export default {
  getCacheKey: (source, path) => transform.getCacheKey(changed(source, path), path),
  process: (source, path) => transform.process(changed(source, path), path),
};

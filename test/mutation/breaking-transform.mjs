/** The transform of the tests, which breaks one place of the code when test/mutation/invariants.ts says so. */
import transform from '../support/strip-types.mjs';
import { placesOf } from './place.ts';

const broken = process.env.BROKEN_INVARIANT && JSON.parse(process.env.BROKEN_INVARIANT);
const changed = (source, path) =>
  broken && path.endsWith(`/${broken.file}`) ? source.replace(placesOf(broken.find), () => broken.replace) : source;

export default {
  getCacheKey: (source, path) => transform.getCacheKey(changed(source, path), path),
  process: (source, path) => transform.process(changed(source, path), path),
};

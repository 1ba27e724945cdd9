import { expect, test } from '@jest/globals';
import { INVARIANTS } from './broken-invariants/index.ts';
import { placesOf } from './place.ts';

test.each(INVARIANTS)('what `npm run mutation:invariants` breaks stands once: $test: $find', (invariant) => {
  expect(placesOf(invariant)).toHaveLength(1);
});

import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { INVARIANTS } from './broken-invariants/index.ts';
import { placesOf } from './place.ts';

test.each(INVARIANTS)('what `npm run mutation:invariants` breaks stands once: $invariant', ({ file, find }) => {
  expect(readFileSync(file, 'utf8').match(placesOf(find))).toHaveLength(1);
});

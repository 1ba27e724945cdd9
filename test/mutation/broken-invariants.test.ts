import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { format } from 'prettier';
import { INVARIANTS } from './broken-invariants/index.ts';
import { placesOf } from './place.ts';

/** Narrower than the project's, so that nearly every statement is laid out in another way. */
const NARROW = { parser: 'typescript', singleQuote: true, printWidth: 60 };

const byFile = Map.groupBy(INVARIANTS, ({ file }) => file);

describe('what `npm run mutation:invariants` breaks stands once', () => {
  test.each([...byFile])('in %s, also when that is laid out in another way', async (file, invariants) => {
    const source = readFileSync(file, 'utf8');
    const other = await format(source, NARROW);
    expect(other).not.toBe(source);
    for (const { invariant, find } of invariants) {
      const places = [source, other].map((text) => text.match(placesOf(find))?.length ?? 0);
      expect([invariant, ...places]).toEqual([invariant, 1, 1]);
    }
  });
});

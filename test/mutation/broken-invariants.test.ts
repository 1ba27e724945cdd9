import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { format } from 'prettier';
import { INVARIANTS } from './broken-invariants/index.ts';
import { partOf } from '../support/extent.ts';
import { placesOf } from './place.ts';

/** Narrower than the project's, so that nearly every statement is laid out in another way. */
const NARROW = { parser: 'typescript', singleQuote: true, printWidth: 60 };

const byFile = Map.groupBy(INVARIANTS, ({ file }) => file);

describe('what `npm run mutation:invariants` breaks stands once', () => {
  const expectOnce = (invariants: typeof INVARIANTS, source: string): void => {
    for (const { invariant, find } of invariants)
      expect([invariant, source.match(placesOf(find))?.length ?? 0]).toEqual([invariant, 1]);
  };

  test.each([...byFile])('in %s', (file, invariants) => {
    expectOnce(invariants, readFileSync(file, 'utf8'));
  });

  test.each(partOf([...byFile], 4, 0))('in %s when that is laid out in another way', async (file, invariants) => {
    const source = readFileSync(file, 'utf8');
    const other = await format(source, NARROW);
    expect(other).not.toBe(source);
    expectOnce(invariants, other);
  });
});

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { ping } from '../../functions/gateway/operations/ping.ts';

/**
 * What people read: documents, the contract, and the pages. The guide's sample operation has units of its own, and the
 * units of the page about cost are those of the database.
 */
const READ = ['*.md', 'openapi.yaml', 'portal/*.tsx', ':!docs/contributing.md', ':!docs/cost-and-limits.md'];
/** Sentences that tell what a ping costs, wherever a line ends. The first group is the number. */
const COSTS = [
  /\b(?:costs?|charges)\s+(\d+|one)\s+(?:request\s+)?units?\b/gi,
  /\b(\d+|one)\s+units?\s+(?:is|are|was|were)\s+charged\b/gi,
  /\b(\d+) for the ping\b/gi,
  /action=\{<Muted>(\d+) units?</gi,
];

test('every sentence about the units of a ping says those of its definition', () => {
  const files = execFileSync('git', ['ls-files', '--', ...READ], { encoding: 'utf8' })
    .trim()
    .split('\n');
  const told = files.flatMap((file) => {
    const text = readFileSync(file, 'utf8');
    return COSTS.flatMap((pattern) =>
      Array.from(text.matchAll(pattern), ([sentence, number = '']) => ({
        file,
        sentence,
        units: number.toLowerCase() === 'one' ? 1 : Number(number),
      })),
    );
  });
  expect(told.filter(({ units }) => units !== ping.units)).toEqual([]);
  // Else the patterns no longer find what the documents say.
  expect(told.length).toBeGreaterThan(5);
});

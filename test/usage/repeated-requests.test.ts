import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { repeatedRequests } from '../../functions/usage/repeated-requests.ts';

test.each([100, 50_000])('among %d requests those are found that were noted twice, wherever they stand', (count) => {
  const ids = Array.from({ length: count }, () => randomUUID());
  const requests = repeatedRequests();
  for (const id of ids) requests.note(id);
  expect(requests.candidates.size).toBe(0);
  const again = [ids[0], ids[count / 2], ids[count - 1]].map(String);
  for (const id of [...again, randomUUID()]) requests.note(id);
  expect([...requests.candidates]).toEqual(again);
});

test('candidates are bounded', () => {
  const requests = repeatedRequests();
  for (let i = 0; i < 22_000; i++) requests.note(String(i % 11_000));
  expect(requests.candidates.size).toBe(10_000);
});

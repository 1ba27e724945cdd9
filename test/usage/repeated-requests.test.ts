import { randomUUID } from 'node:crypto';
import { expect, jest, test } from '@jest/globals';
import { repeatedRequests } from '../../functions/usage/repeated-requests.ts';

test.each([100, 50_000])('among %d requests those are found that were noted twice, wherever they stand', (count) => {
  const ids = Array.from({ length: count }, () => randomUUID());
  const requests = repeatedRequests();
  for (const id of ids) requests.note(id);
  expect(requests.candidates.size).toBe(0);
  const again = ids.filter((_, place) => place % 7 === 0 || place === count - 1);
  for (const id of [...again, randomUUID()]) requests.note(id);
  expect([...requests.candidates]).toEqual(again);
});

test.each([
  [9_000, 9_000],
  [50_000, 10_000],
])('of %d requests %d ids are kept: the others take no memory of their own', (count, kept) => {
  const requests = repeatedRequests();
  const add = jest.spyOn(Set.prototype, 'add');
  for (let i = 0; i < count; i++) requests.note(String(i));
  const added = add.mock.calls.length;
  add.mockRestore();
  expect(added).toBe(kept);
});

test('candidates are bounded', () => {
  const requests = repeatedRequests();
  for (let i = 0; i < 22_000; i++) requests.note(String(i % 11_000));
  expect(requests.candidates.size).toBe(10_000);
});

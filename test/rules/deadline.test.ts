import { getEventListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { before } from '../../functions/shared/deadline.ts';
import { testDeadline } from '../support/deadline.ts';

test.each([
  ['ends meanwhile', false],
  ['was over before', true],
])('nobody waits for work beyond a deadline that %s', async (_, isOver) => {
  const controller = new AbortController();
  if (isOver) controller.abort();
  const waiting = before(testDeadline(controller), new Promise<never>(() => undefined));
  controller.abort();
  await expect(Promise.race([waiting, setImmediate()])).rejects.toThrow('it took longer than the request has');
});

test('work before a deadline comes to what it does, and leaves nothing at the deadline', async () => {
  const deadline = testDeadline();
  expect(await before(deadline, Promise.resolve(7))).toBe(7);
  await expect(before(deadline, Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(getEventListeners(deadline, 'abort')).toEqual([]);
});

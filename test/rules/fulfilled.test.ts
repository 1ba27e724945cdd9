import { setImmediate } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { allFulfilled } from '../../functions/shared/fulfilled.ts';

test('parallel work returns its values in its order', async () => {
  expect(await allFulfilled([setImmediate('one'), Promise.resolve(2)])).toEqual(['one', 2]);
});

test('parallel work is awaited to its end, also when some of it fails', async () => {
  const late = Promise.withResolvers<string>();
  let isOver = false;
  const all = allFulfilled([late.promise, Promise.reject(new Error('early'))]).finally(() => {
    isOver = true;
  });
  all.catch(() => undefined);
  await setImmediate();
  expect(isOver).toBe(false);
  late.resolve('done');
  await expect(all).rejects.toThrow('early');
});

test('of several failures the earliest in the list is thrown, whichever came first', async () => {
  const late = Promise.withResolvers<never>();
  const all = allFulfilled([late.promise, Promise.reject(new Error('second'))]);
  late.reject(new Error('first'));
  await expect(all).rejects.toThrow('first');
});

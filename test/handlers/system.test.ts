import { describe, expect, test } from '@jest/globals';
import { system } from '../../functions/shared/system.ts';

test('a request that starts now has four seconds, and knows how many are left', () => {
  const startedAt = performance.now();
  const deadline = system.startDeadline();
  const leftMs = deadline.leftMs();
  const passedMs = performance.now() - startedAt;
  expect([Math.round(leftMs) <= 4_000, leftMs >= 3_999 - passedMs, deadline.aborted]).toEqual([true, true, false]);
  expect(deadline.leftMs()).toBeLessThanOrEqual(leftMs);
});

describe('sleep', () => {
  test('ends when its signal does, before or meanwhile, and not with its time', async () => {
    const deadline = new AbortController();
    const sleeping = system.sleep(2_000, deadline.signal);
    deadline.abort();
    await expect(sleeping).rejects.toThrow('aborted');
    await expect(system.sleep(2_000, deadline.signal)).rejects.toThrow('aborted');
  });

  test('lasts its time otherwise', async () => {
    const startedAt = performance.now();
    await system.sleep(30, new AbortController().signal);
    // A timer counts from the begun round of the event loop, in whole milliseconds.
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(28);
  });
});

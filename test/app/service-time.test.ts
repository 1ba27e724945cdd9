import { beforeEach, expect, jest, test } from '@jest/globals';
import type * as Clock from '../../portal/api/clock.ts';

const TOLD_MS = Date.UTC(2026, 10, 27, 12);
const DAY_MS = 86_400_000;
/** By its path: the types of a browser are not those of these tests. */
const CLOCK = new URL('../../portal/api/clock.ts', import.meta.url).pathname;
let clock: typeof Clock;

beforeEach(async () => {
  jest.resetModules();
  jest.useFakeTimers({ now: TOLD_MS - 33 * DAY_MS, doNotFake: ['nextTick', 'queueMicrotask'] });
  clock = (await import(CLOCK)) as typeof Clock;
});

/** An answer of the portal that says this time, `afterMs` after it was asked for; this device has that clock meanwhile. */
function answered(told: number | undefined, afterMs = 0): void {
  const sentAtMs = Date.now();
  jest.setSystemTime(sentAtMs + afterMs);
  const headers = new Headers(told === undefined ? {} : { 'X-Service-Time': new Date(told).toISOString() });
  clock.noteTime({ headers }, sentAtMs);
}

test('the time of a page is the portal’s, whatever the clock of its device says', () => {
  answered(TOLD_MS, 50);
  expect(clock.nowMs()).toBe(TOLD_MS);
  expect(clock.today()).toBe('2026-11-27');
  jest.setSystemTime(Date.now() + 1_000);
  expect(clock.nowMs()).toBe(TOLD_MS + 1_000);
});

test('before the first answer there is no time, so that no range is asked for', () => {
  expect(() => clock.nowMs()).toThrow('No answer has told the time yet.');
});

test('a slow answer moves it no further than it must, and a clock that was set, there or here, is followed', () => {
  answered(TOLD_MS);
  // Written at once, and ten seconds on its way: the time was right.
  answered(TOLD_MS, 10_000);
  expect(clock.nowMs()).toBe(TOLD_MS + 10_000);
  answered(TOLD_MS + 31 * DAY_MS);
  expect(clock.nowMs()).toBe(TOLD_MS + 31 * DAY_MS);
  jest.setSystemTime(TOLD_MS + 300 * DAY_MS);
  answered(TOLD_MS + 31 * DAY_MS);
  expect(clock.nowMs()).toBe(TOLD_MS + 31 * DAY_MS);
});

test('an older function tells no time: the device’s stands, and what is known stays', () => {
  answered(undefined);
  expect(clock.nowMs()).toBe(Date.now());
  answered(TOLD_MS);
  answered(undefined);
  expect(clock.nowMs()).toBe(TOLD_MS);
});

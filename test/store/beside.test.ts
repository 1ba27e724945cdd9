import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { besideCheck } from '../../functions/store/beside.ts';
import type { StoreReader } from '../../functions/store/items.ts';

/** A reader of a store that answers at once, what it was asked, and a check that is not answered yet. */
function setUp(deadline?: StoreReader['deadline']) {
  const asked: string[] = [];
  const send = (call: string): Promise<void> => Promise.resolve(void asked.push(call));
  const reader = { client: { send }, deadline } as unknown as StoreReader;
  const check = Promise.withResolvers<string>();
  const deadlines: StoreReader['deadline'][] = [];
  const reading = async (own: StoreReader): Promise<string> => {
    deadlines.push(own.deadline);
    const { send: ask } = own.client as unknown as { send: typeof send };
    await ask('first');
    await ask('second');
    return 'read';
  };
  return { asked, deadlines, check, both: besideCheck(reader, check.promise, reading) };
}

describe('what is read beside a check', () => {
  test('is asked for once, and further when the check is answered', async () => {
    const { asked, check, both } = setUp();
    await setImmediate();
    expect(asked).toEqual(['first']);
    check.resolve('known');
    expect(await both).toEqual(['known', 'read']);
    expect(asked).toEqual(['first', 'second']);
  });

  test('has no deadline where who asks has none', async () => {
    const { check, both, deadlines } = setUp();
    check.resolve('known');
    await both;
    expect(deadlines).toEqual([undefined]);
  });

  test('has as long as who asks, and ends when the check refuses', async () => {
    const deadline = Object.assign(new AbortController().signal, { leftMs: () => 7 });
    const { check, both, deadlines } = setUp(deadline);
    const [own] = deadlines;
    expect([own?.leftMs(), own?.aborted]).toEqual([7, false]);
    check.reject(new Error('refused'));
    await expect(both).rejects.toThrow('refused');
    expect([own?.aborted, deadline.aborted]).toEqual([true, false]);
  });

  test('is not asked for again when the check refuses, which is what is told', async () => {
    const { asked, check, both } = setUp();
    await setImmediate();
    check.reject(new Error('refused'));
    await expect(both).rejects.toThrow('refused');
    expect(asked).toEqual(['first']);
  });
});

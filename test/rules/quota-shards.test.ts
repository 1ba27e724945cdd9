import { describe, expect, test } from '@jest/globals';
import { readCap } from '../support/caps.ts';
import {
  chargeStep,
  isOneLayout,
  exhaustedLimit,
  unitsUsed,
  type Quota,
  type QuotaCounter,
} from '../../functions/shared/request/quota-shards.ts';

/** A counter of 10 units in shards of one layout, with the rest of each shard. */
const counterOf = (left: readonly number[], generation = 5): QuotaCounter => ({
  units: 10,
  layout: { generation, shards: left.length, limit: 10 },
  shards: left.map((leftHere, index) => ({ index, left: leftHere, generation })),
});
const quotaOf = (counter: QuotaCounter, more: Partial<Quota> = {}): Quota => ({
  quotaLimit: 10,
  shards: counter.shards.length,
  counter,
  ...more,
});
const none = new Set<number>();
const stepOf = (quota: Quota, cost = 1, { busy = none, random = 0 } = {}) =>
  chargeStep(quota, cost, busy, () => random);

describe('a charge', () => {
  test('is made on the counter itself where there are no shards', () => {
    expect(stepOf({ quotaLimit: 10, shards: 1, counter: { units: 9, shards: [] } })).toEqual({ on: 'counter' });
  });

  test('is made on a shard that has enough left, and was not busy, by chance', () => {
    const quota = quotaOf(counterOf([0, 2, 1, 2]));
    const indexAt = (random: number, cost = 1, busy = none) => {
      const step = stepOf(quota, cost, { busy, random });
      return step.on === 'shard' ? step.shard.index : step.on;
    };
    expect([0, 0.4, 0.99].map((random) => indexAt(random))).toEqual([1, 2, 3]);
    expect([0, 0.99].map((random) => indexAt(random, 2))).toEqual([1, 3]);
    expect(indexAt(0, 1, new Set([1]))).toBe(2);
    expect(indexAt(0, 2, new Set([1, 3]))).toBe(1);
  });

  test.each([10, undefined])('is never made, under a limit of %s, on a shard that is no longer wanted', (limit) => {
    // A manual change may have put units there.
    const counter = { ...counterOf([1, 1, 1]), layout: { generation: 5, shards: 2, limit } };
    const step = stepOf(quotaOf(counter, { quotaLimit: limit, shards: 2 }), 1, { random: 0.99 });
    expect(step).toEqual({ on: 'shard', shard: { index: 1, left: 1, generation: 5 } });
  });

  test('that finds shards of a later layout than the counter counts all that was lent as used, and makes one after both', () => {
    const torn = { ...counterOf([1, 2, 2], 5), shards: counterOf([1, 2, 2], 7).shards };
    expect(stepOf(quotaOf(torn))).toEqual({ on: 'nothing', by: 'project' });
    const { shards, layout } = counterOf([2, 1, 1], 8);
    expect(stepOf(quotaOf(torn, { quotaLimit: 15 }))).toEqual({
      on: 'all',
      to: { units: 15, layout: { ...layout, limit: 15 }, shards },
    });
  });

  test('of more than any shard has is made of all, and what is left is lent evenly', () => {
    expect(stepOf(quotaOf(counterOf([1, 2, 2])), 3)).toEqual({
      on: 'all',
      to: counterOf([1, 1, 0], 6),
    });
  });

  test.each<[string, Partial<Quota>, number[]]>([
    ['a higher limit', { quotaLimit: 20 }, [5, 5, 4]],
    ['a lower limit', { quotaLimit: 8 }, [1, 1, 0]],
    ['no limit', { quotaLimit: undefined }, [0, 0, 0]],
    ['more shards', { shards: 4 }, [1, 1, 1, 1]],
    ['fewer shards', { shards: 2 }, [2, 2, 0]],
    ['no shards', { shards: 1 }, [0, 0, 0]],
  ])('under %s lays out anew what is left', (_, more, left) => {
    const counter = counterOf([1, 2, 2]);
    const step = stepOf(quotaOf(counter, more));
    if (step.on !== 'all') throw new Error(step.on);
    expect(step.to.shards.map((shard) => shard.left)).toEqual(left);
    expect(new Set(step.to.shards.map(({ generation }) => generation))).toEqual(new Set([6]));
    expect(unitsUsed(step.to)).toBe(unitsUsed(counter) + 1);
    expect(isOneLayout(step.to)).toBe(true);
  });

  test('of more than is left is made of nothing', () => {
    expect(stepOf(quotaOf(counterOf([1, 0, 1])), 3)).toEqual({ on: 'nothing', by: 'project' });
    expect(stepOf(quotaOf(counterOf([1, 0, 1]), { quotaLimit: 5 }))).toEqual({ on: 'nothing', by: 'project' });
  });

  test.each<[string, Partial<Quota>, number, ReturnType<typeof exhaustedLimit>]>([
    ['of the last units of both is refused by neither', {}, 2, undefined],
    ['of more than the key has left is refused by the key', { quotaLimit: 11 }, 3, 'key'],
    ['of more than the project has left is refused by the project', { cap: readCap('k', 9, 4) }, 3, 'project'],
    ['of more than both have left is refused by the project', {}, 3, 'project'],
    ['of a key with a cap, in a project without a limit, is refused by the key', { quotaLimit: undefined }, 3, 'key'],
    ['of a key whose cap was lowered below what is spent is refused', { cap: readCap('k', 3, 4) }, 1, 'key'],
  ])('%s', (_, more, cost, by) => {
    const quota = quotaOf(counterOf([1, 0, 1]), { cap: readCap('k', 6, 4), ...more });
    expect(exhaustedLimit(quota, cost)).toBe(by);
    expect(stepOf(quota, cost)).toMatchObject(by ? { on: 'nothing', by } : { on: 'all' });
  });
});

test('items of two layouts, and a layout of which a shard is missing, are not one', () => {
  const { layout, shards, units } = counterOf([1, 2, 2]);
  const [first, ...others] = shards;
  const older = first && { ...first, generation: 4 };
  expect(
    [shards, others, [older, ...others]].map((seen) => isOneLayout({ units, layout, shards: seen } as QuotaCounter)),
  ).toEqual([true, false, false]);
  expect(isOneLayout({ units, shards })).toBe(false);
});

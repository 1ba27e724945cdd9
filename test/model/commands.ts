import * as fc from 'fast-check';
import { CAP_PERIODS, type CapPeriod } from './world.ts';
import { CREDENTIALS, INPUTS, type Credential, type InputName, type OperationName } from './requests.ts';

/** The offset of each instance's clock from true time: exact, lagging, leading and broken. */
export const INSTANCE_SKEWS_MS = [0, -90_000, 90_000, 600_000] as const;

/** Indices of keys and projects count modulo their number. */
export type Command =
  | {
      readonly do: 'ping';
      readonly operation: OperationName;
      readonly at: number;
      readonly as: Credential;
      readonly key: number;
      readonly input: InputName;
      readonly idempotencyKey: string | null;
    }
  | { readonly do: 'wait'; readonly ms: number }
  /** Waits until this long before or after the next beginning of a minute, a day or a month. */
  | { readonly do: 'waitUntil'; readonly next: 'minute' | 'day' | 'month'; readonly offsetMs: number }
  | {
      readonly do: 'createKey';
      readonly project: number;
      readonly mode: 'test' | 'live';
      readonly scoped: boolean;
      readonly rpm: number;
      readonly cap: number | null;
      readonly per: CapPeriod | null;
      readonly lifetimeMs: number | null;
    }
  | { readonly do: 'revoke' | 'rotate' | 'pause' | 'unpause'; readonly key: number }
  | { readonly do: 'expire'; readonly key: number; readonly inMs: number }
  | { readonly do: 'setRpm'; readonly key: number; readonly rpm: number }
  /** Of a key of a budget: the limit of the budget. `per`: the period of the cap; null: as it is. */
  | { readonly do: 'setCap'; readonly key: number; readonly cap: number | 'none'; readonly per: CapPeriod | null }
  /** A key comes to spend from the budget of another key of its project, if that has a cap that counts once. */
  | { readonly do: 'share'; readonly key: number; readonly of: number }
  | { readonly do: 'suspend' | 'resume'; readonly project: number }
  | { readonly do: 'setQuota'; readonly project: number; readonly limit: number | 'none' }
  /** The number of items in which the quota is counted. No answer may depend on it. */
  | { readonly do: 'setShards'; readonly project: number; readonly shards: number };

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const SOME = 8;
/** Few values, so that several ends meet in the same millisecond. */
const SPANS_MS = [30_000, MINUTE_MS];

const index = fc.nat(SOME);
const rpm = fc.constantFrom(1, 2, 3, 60);
/** Mostly valid requests, because a refused request does not reach the later steps. */
const mostly = <T>(usual: readonly T[], seldom: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...usual) }, { weight: 1, arbitrary: fc.constantFrom(...seldom) });

const ping = fc.record({
  do: fc.constant('ping' as const),
  operation: mostly<OperationName>(['ping'], ['triple', 'upTo', 'upTo']),
  at: mostly([0, 1, 2], [3]),
  as: fc.oneof({ weight: 12, arbitrary: fc.constant('key' as const) }, fc.constantFrom(...CREDENTIALS)),
  key: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, index),
  input: mostly<InputName>(
    ['empty', 'a', 'aAgain', 'b', 'ANSWER_LOST', 'one', 'five'],
    Object.keys(INPUTS) as InputName[],
  ),
  idempotencyKey: fc.constantFrom(
    null,
    'model-idempotency-key-1',
    'model-idempotency-key-1',
    'model-idempotency-key-2',
  ),
});
const wait = fc.oneof(
  fc.record({
    do: fc.constant('wait' as const),
    ms: fc.oneof(fc.nat(2 * MINUTE_MS), fc.constantFrom(...SPANS_MS, 16 * MINUTE_MS, DAY_MS - 1000, DAY_MS)),
  }),
  fc.record({
    do: fc.constant('waitUntil' as const),
    next: fc.constantFrom('minute', 'day', 'month'),
    offsetMs: fc.constantFrom(-MINUTE_MS, -1, 0, MINUTE_MS),
  }),
);
const per = fc.option(fc.constantFrom('once' as const, ...CAP_PERIODS), { freq: 3 });
const change = fc.oneof(
  fc.record({
    do: fc.constant('createKey' as const),
    project: index,
    mode: mostly<'test' | 'live'>(['test'], ['live']),
    scoped: mostly([true], [false]),
    rpm,
    cap: fc.option(fc.constantFrom(0, 1, 2, 4), { freq: 1 }),
    per,
    lifetimeMs: fc.option(fc.constantFrom(MINUTE_MS, DAY_MS), { freq: 2 }),
  }),
  fc.record({ do: fc.constantFrom('revoke' as const, 'rotate'), key: index }),
  fc.record({ do: fc.constantFrom('pause' as const, 'unpause', 'unpause'), key: index }),
  fc.record({ do: fc.constant('expire' as const), key: index, inMs: fc.constantFrom(0, ...SPANS_MS) }),
  fc.record({ do: fc.constant('setRpm' as const), key: index, rpm }),
  fc.record({
    do: fc.constant('setCap' as const),
    key: index,
    cap: fc.constantFrom(0, 1, 2, 4, 1000, 'none' as const),
    per,
  }),
  fc.record({ do: fc.constant('share' as const), key: index, of: index }),
  fc.record({ do: fc.constantFrom('suspend' as const, 'resume', 'resume'), project: index }),
  fc.record({
    do: fc.constant('setQuota' as const),
    project: index,
    limit: fc.constantFrom(0, 1, 2, 3, 5, 1000, 'none' as const),
  }),
  fc.record({ do: fc.constant('setShards' as const), project: index, shards: fc.constantFrom(1, 2, 3, 7) }),
);

/** The steps, in order. */
export interface Sequence {
  readonly quotaPeriod: 'month' | 'day';
  readonly commands: readonly Command[];
}

export const sequences = (maxCommands: number): fc.Arbitrary<Sequence> =>
  fc.record({
    quotaPeriod: fc.constantFrom('month', 'day'),
    commands: fc.array(
      fc.oneof({ weight: 8, arbitrary: ping }, { weight: 2, arbitrary: wait }, { weight: 2, arbitrary: change }),
      { minLength: 1, maxLength: maxCommands, size: 'max' },
    ),
  });

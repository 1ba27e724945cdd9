import { expect } from '@jest/globals';
import { createKey, revokeKey } from '../../functions/accounts/api-keys.ts';
import { suspendProject, updateProject } from '../../functions/accounts/projects.ts';
import { testGateway } from './gateway.ts';
import type { TestResponse } from './http.ts';
import { forgedKey, unknownKey } from './keys.ts';
import { testClock } from './reports.ts';
import { MINUTE_MS } from './times.ts';
import { triple } from './test-operation.ts';
import { alone, leaveProjectUnprocessed, meanwhile, plain, shared, SPACIOUS, under, type Prepare } from './visits.ts';

/** One path of a request through the gateway: its calls and its result. */
export interface Path {
  readonly name: string;
  /** Database calls, in order. */
  readonly calls: readonly string[];
  /** The number of first calls that another path has too, with their faults; default: none. */
  readonly tried?: number;
  /** In the form of {@link outcomeOf}. */
  readonly outcome: string;
  /** The outcome of the same request again, if it may differ. */
  readonly again?: RegExp;
  /** Metrics that the admission increases; default: none. */
  readonly metrics?: readonly string[];
  readonly prepare: Prepare;
}

/** The status, then the code, or whether it is a replay, and whether it is simulated. */
export const outcomeOf = ({ status, headers, body }: TestResponse): string =>
  [
    ...[status, body.code, headers['x-service-idempotency-replayed'] && 'replay'],
    headers['x-service-simulated'] && 'simulated',
  ]
    .filter(Boolean)
    .join(' ');

/** A request that simulates a result, under its own Idempotency-Key. */
const simulating = (simulate: string, id: string) => ({
  ...under(id),
  body: { clientRequestId: id, simulate },
});

const FIRST_TRIP = ['UpdateItem', 'BatchGetItem'] as const;
const SETTLED = [...FIRST_TRIP, 'TransactWriteItems'];
const NOTED = [...FIRST_TRIP, 'PutItem'];
/** The calls of an instance that does not know the project's shards yet. */
const SHARDED = [...FIRST_TRIP, 'Query'] as const;

/** The calls of an instance that does not know the key's cap yet. */
const CAPPED = [...FIRST_TRIP, 'BatchGetItem', 'TransactWriteItems'];
/** The highest rate limit of a key with a cap. */
const CAP = { rpm: 1_800 };

/** The first request of a project creates the shards. */
const firstPing = async ({ ping, key }: Parameters<Parameters<typeof shared>[1]>[0]) => [await ping(key)];

/** A request with its own key, which was last used some minutes in the future. */
function withWindow(minutes: number): Parameters<typeof shared>[1] {
  return async ({ store, projectId, clock }, id) => {
    const other = testGateway({ clock: testClock(clock.nowMs + minutes * MINUTE_MS) });
    const scopes = new Set(['sandbox:invoke']);
    const made = await createKey(store, { projectId, mode: 'test', scopes, ...SPACIOUS });
    return { ...made, request: under(id), others: [await other.ping(made.key)] };
  };
}

/** Every path of a ping. */
export const PATHS: readonly Path[] = [
  {
    name: 'a success',
    calls: SETTLED,
    outcome: '200',
    prepare: shared({}, () => ({ request: plain })),
  },
  {
    name: 'a success under an Idempotency-Key',
    calls: SETTLED,
    outcome: '200',
    prepare: shared({}, (_, id) => ({ request: under(id) })),
  },
  {
    name: 'a success of three units',
    calls: SETTLED,
    outcome: '200',
    prepare: shared({}, (_, id) => ({ request: { ...under(id), path: triple.path } })),
  },
  {
    name: 'a success sixteen minutes after the last request',
    calls: [...FIRST_TRIP, 'UpdateItem', 'TransactWriteItems'],
    outcome: '200',
    prepare: shared({}, withWindow(-16)),
  },
  {
    name: 'a success over the window of a broken clock',
    calls: [...FIRST_TRIP, 'UpdateItem', 'TransactWriteItems'],
    outcome: '200',
    metrics: ['RateWindowAheadOfClock'],
    prepare: shared({}, withWindow(3)),
  },
  {
    name: 'a success while the clock lags',
    calls: [...FIRST_TRIP, 'UpdateItem', 'TransactWriteItems'],
    outcome: '200',
    prepare: shared(
      {},
      (_, id) => ({ request: under(id) }),
      async ({ key, clock }) => [await testGateway({ clock: testClock(clock.nowMs + MINUTE_MS) }).ping(key)],
    ),
  },
  {
    name: 'a success although the batch leaves a key unprocessed',
    calls: [...FIRST_TRIP, 'BatchGetItem', 'TransactWriteItems'],
    outcome: '200',
    prepare: shared({}, (_, id) => ({ request: under(id), arrange: leaveProjectUnprocessed })),
  },
  {
    name: 'a replay',
    calls: NOTED,
    outcome: '200 replay',
    prepare: shared({}, async ({ ping, key }, id) => ({ request: under(id), others: [await ping(key, under(id))] })),
  },
  {
    name: 'a replay of a duplicate that commits first',
    calls: [...SETTLED, 'PutItem'],
    outcome: '200 replay',
    prepare: shared({}, ({ ping, key }, id) =>
      meanwhile('TransactWriteItems', under(id), async () => [await ping(key, under(id))]),
    ),
  },
  {
    name: 'a replay of a duplicate that spends the last unit',
    calls: [...FIRST_TRIP, 'TransactGetItems', 'PutItem'],
    outcome: '200 replay',
    prepare: alone({ quotaLimit: 1 }, async ({ ping, key, store, projectId }, id) => {
      const first = await ping(key);
      const duplicate = meanwhile('TransactGetItems', under(id), async () => {
        await updateProject(store, projectId, { quota: 2 });
        return [await ping(key, under(id))];
      });
      duplicate.others.push(first);
      return duplicate;
    }),
  },
  {
    name: 'a replay of a duplicate that spends the last three units',
    calls: [...FIRST_TRIP, 'TransactGetItems', 'PutItem'],
    outcome: '200 replay',
    prepare: alone({ quotaLimit: 5 }, async ({ ping, key, store, projectId }, id) => {
      const request = { ...under(id), path: triple.path };
      const first = await ping(key, { ...plain, path: triple.path });
      const duplicate = meanwhile('TransactGetItems', request, async () => {
        await updateProject(store, projectId, { quota: 6 });
        return [await ping(key, request)];
      });
      duplicate.others.push(first);
      return duplicate;
    }),
  },
  {
    name: 'a conflict',
    calls: NOTED,
    outcome: '409 IDEMPOTENCY_CONFLICT',
    prepare: shared({}, async ({ ping, key }, id) => ({
      request: { ...under(id), body: { clientRequestId: `not ${id}` } },
      others: [await ping(key, under(id))],
    })),
  },
  {
    name: 'a conflict with a duplicate that commits first',
    calls: [...SETTLED, 'PutItem'],
    outcome: '409 IDEMPOTENCY_CONFLICT',
    prepare: shared({}, ({ ping, key }, id) =>
      meanwhile('TransactWriteItems', under(id), async () => [
        await ping(key, { ...under(id), body: { clientRequestId: `not ${id}` } }),
      ]),
    ),
  },
  {
    name: 'a refusal by the rate limit',
    calls: NOTED,
    outcome: '429 RATE_LIMIT_EXCEEDED',
    prepare: shared(
      { rpm: 1 },
      (_, id) => ({ request: under(id) }),
      async ({ ping, key }) => [await ping(key)],
    ),
  },
  {
    name: 'a refusal by the quota',
    calls: NOTED,
    outcome: '429 QUOTA_EXCEEDED',
    prepare: shared(
      { quotaLimit: 1 },
      () => ({ request: plain }),
      async ({ ping, key }) => [await ping(key)],
    ),
  },
  {
    name: 'a refusal by the quota under an Idempotency-Key',
    calls: [...FIRST_TRIP, 'TransactGetItems', 'PutItem'],
    outcome: '429 QUOTA_EXCEEDED',
    prepare: shared(
      { quotaLimit: 1 },
      (_, id) => ({ request: under(id) }),
      async ({ ping, key }) => [await ping(key)],
    ),
  },
  {
    name: 'a refusal by the quota that another request has just used up',
    calls: [...SETTLED, 'PutItem'],
    outcome: '429 QUOTA_EXCEEDED',
    prepare: alone({ quotaLimit: 1 }, ({ ping, key }, id) =>
      Promise.resolve(meanwhile('TransactWriteItems', under(id), async () => [await ping(key)])),
    ),
  },
  {
    name: 'a refusal by the quota with two units left of three',
    calls: NOTED,
    outcome: '429 QUOTA_EXCEEDED',
    prepare: shared({ quotaLimit: 2 }, () => ({ request: { ...plain, path: triple.path } })),
  },
  {
    name: 'a refusal by the quota of which another request has just left one unit',
    calls: [...SETTLED, 'PutItem'],
    outcome: '429 QUOTA_EXCEEDED',
    prepare: alone({ quotaLimit: 4 }, ({ ping, key }, id) => {
      const request = { ...under(id), path: triple.path };
      return Promise.resolve(
        meanwhile('TransactWriteItems', request, async () => [await ping(key, { ...plain, path: triple.path })]),
      );
    }),
  },
  {
    name: 'a success on a shard',
    calls: [...SHARDED, 'TransactWriteItems'],
    outcome: '200',
    prepare: shared({ shards: 3 }, (_, id) => ({ request: under(id) }), firstPing),
  },
  {
    name: 'a success that lays out shards',
    calls: [...SHARDED, 'TransactWriteItems'],
    tried: 3,
    outcome: '200',
    prepare: alone({ shards: 3 }, (_, id) => Promise.resolve({ request: under(id) })),
  },
  {
    name: 'a success on another shard than the one that is used up just before',
    calls: [...SHARDED, 'TransactWriteItems', ...SHARDED.slice(1), 'TransactWriteItems'],
    tried: 3,
    outcome: '200',
    prepare: alone({ shards: 2, quotaLimit: 3 }, async (all, id) => {
      const others = await firstPing(all);
      const made = meanwhile('TransactWriteItems', under(id), async () => [await all.ping(all.key)]);
      made.others.push(...others);
      return made;
    }),
  },
  {
    name: 'a success on shards that there are since it read that there are none',
    calls: [...SETTLED, ...SHARDED.slice(1), 'TransactWriteItems'],
    tried: 2,
    outcome: '200',
    prepare: alone({}, (all, id) =>
      Promise.resolve(
        meanwhile('TransactWriteItems', under(id), async () => {
          await updateProject(all.store, all.projectId, { shards: 2 });
          return [await all.ping(all.key)];
        }),
      ),
    ),
  },
  {
    name: 'a replay of a duplicate that spends the last unit of all shards',
    calls: [...SHARDED, 'TransactWriteItems', 'PutItem'],
    tried: 3,
    outcome: '200 replay',
    prepare: alone({ shards: 2, quotaLimit: 2 }, async (all, id) => {
      const others = await firstPing(all);
      const made = meanwhile('TransactWriteItems', under(id), async () => [await all.ping(all.key, under(id))]);
      made.others.push(...others);
      return made;
    }),
  },
  {
    name: 'a refusal by the quota of shards that other requests have just used up',
    calls: [...SHARDED, 'TransactWriteItems', ...SHARDED.slice(1), 'TransactGetItems', 'PutItem'],
    tried: 3,
    outcome: '429 QUOTA_EXCEEDED',
    prepare: alone({ shards: 2, quotaLimit: 2 }, async (all, id) => {
      const others = await firstPing(all);
      const made = meanwhile('TransactWriteItems', under(id), async () => [await all.ping(all.key)]);
      made.others.push(...others);
      return made;
    }),
  },
  {
    name: 'a success of a key with a cap',
    calls: CAPPED,
    outcome: '200',
    prepare: shared({ ...CAP, unitsLimit: 1_000 }, (_, id) => ({ request: under(id) })),
  },
  {
    name: 'a success of a key with a cap on a shard',
    calls: [...SHARDED, ...CAPPED.slice(2)],
    tried: 4,
    outcome: '200',
    prepare: shared({ ...CAP, unitsLimit: 1_000, shards: 3 }, (_, id) => ({ request: under(id) }), firstPing),
  },
  {
    name: 'a refusal by the cap',
    calls: [...FIRST_TRIP, 'BatchGetItem', 'PutItem'],
    outcome: '429 KEY_QUOTA_EXCEEDED',
    prepare: shared({ ...CAP, unitsLimit: 1 }, () => ({ request: plain }), firstPing),
  },
  {
    name: 'a refusal by the cap that another request has just used up',
    calls: [...CAPPED, 'BatchGetItem', 'TransactGetItems', 'PutItem'],
    tried: 3,
    outcome: '429 KEY_QUOTA_EXCEEDED',
    prepare: alone({ ...CAP, unitsLimit: 1 }, ({ ping, key }, id) =>
      Promise.resolve(meanwhile('TransactWriteItems', under(id), async () => [await ping(key)])),
    ),
  },
  {
    name: 'a replay of a duplicate that spends the last unit of the cap',
    calls: [...CAPPED, 'PutItem'],
    tried: 3,
    outcome: '200 replay',
    prepare: alone({ ...CAP, unitsLimit: 1 }, ({ ping, key }, id) =>
      Promise.resolve(meanwhile('TransactWriteItems', under(id), async () => [await ping(key, under(id))])),
    ),
  },
  {
    name: 'a simulated refusal',
    calls: NOTED,
    outcome: '403 PROJECT_SUSPENDED simulated',
    prepare: shared({}, (_, id) => ({ request: simulating('PROJECT_SUSPENDED', id) })),
  },
  {
    name: 'a simulated failure',
    calls: NOTED,
    outcome: '500 INTERNAL_ERROR simulated',
    prepare: shared({}, (_, id) => ({ request: simulating('INTERNAL_ERROR', id) })),
  },
  {
    name: 'a success whose answer is to be lost',
    calls: SETTLED,
    outcome: '503 SERVICE_UNAVAILABLE simulated',
    again: /^(200 replay|503 SERVICE_UNAVAILABLE simulated)$/,
    prepare: shared({}, (_, id) => ({ request: simulating('ANSWER_LOST', id) })),
  },
  {
    name: 'a replay of a success whose answer was lost as it asked',
    calls: NOTED,
    outcome: '200 replay',
    prepare: shared({}, async ({ ping, key }, id) => {
      const request = simulating('ANSWER_LOST', id);
      return { request, others: [await ping(key, request)] };
    }),
  },
  {
    name: 'a replay, although its own answer is to be lost, of a duplicate that commits first',
    calls: [...SETTLED, 'PutItem'],
    outcome: '200 replay',
    again: /^(200 replay|503 SERVICE_UNAVAILABLE simulated)$/,
    prepare: shared({}, ({ ping, key }, id) =>
      meanwhile('TransactWriteItems', simulating('ANSWER_LOST', id), async () => [
        await ping(key, simulating('ANSWER_LOST', id)),
      ]),
    ),
  },
  {
    name: 'a refusal of the input',
    calls: NOTED,
    outcome: '400 INVALID_REQUEST',
    prepare: shared({}, (_, id) => ({ request: { ...under(id), body: 'no' } })),
  },
  {
    name: 'a refusal of a suspended project',
    calls: NOTED,
    outcome: '403 PROJECT_SUSPENDED',
    prepare: shared(
      {},
      (_, id) => ({ request: under(id) }),
      async ({ store, projectId }) => {
        await suspendProject(store, projectId);
        return [];
      },
    ),
  },
  {
    name: 'a refusal of a revoked key',
    calls: NOTED,
    outcome: '401 API_KEY_REVOKED',
    prepare: shared(
      {},
      (_, id) => ({ request: under(id) }),
      async ({ store, projectId, keyId }) => {
        await revokeKey(store, projectId, keyId);
        return [];
      },
    ),
  },
  {
    name: 'a refusal of an unknown key',
    calls: FIRST_TRIP,
    outcome: '401 INVALID_API_KEY',
    prepare: shared({}, ({ projectId }, id) => ({ key: unknownKey(projectId), request: under(id) })),
  },
  {
    name: 'a refusal of a forged key',
    calls: [],
    outcome: '401 INVALID_API_KEY',
    prepare: shared({}, ({ projectId }, id) => ({ key: forgedKey(projectId), request: under(id) })),
  },
];

/** The outcome of a path's request when it is sent again, for `toEqual`. */
export const againOf = ({ outcome, again = outcome === '200' ? /^200/ : undefined }: Path): unknown =>
  again ? expect.stringMatching(again) : outcome;

/** The first path that meets a condition. */
export function pathWhere(isMeant: (path: Path) => boolean): Path {
  const path = PATHS.find(isMeant);
  if (!path) throw new Error('there is no such path');
  return path;
}

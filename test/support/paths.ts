import { expect } from '@jest/globals';
import { createKey, revokeKey } from '../../functions/accounts/keys/api-keys.ts';
import { storeCap, storeLimit } from './caps.ts';
import { suspendProject, updateProject } from '../../functions/accounts/projects/projects.ts';
import { testGateway } from './gateway.ts';
import type { TestResponse } from './http.ts';
import { forgedKey, unknownKey } from './keys.ts';
import { testClock } from './reports.ts';
import { MINUTE_MS } from './times.ts';
import { triple, upTo } from './test-operation.ts';
import {
  alone,
  leaveProjectUnprocessed,
  meanwhile,
  plain,
  shared,
  SPACIOUS,
  under,
  type First,
  type Make,
  type Prepare,
  type Shared,
  type Visit,
} from './visits.ts';

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
type Row = readonly [
  calls: readonly string[],
  outcome: string,
  prepare: Prepare,
  more?: Pick<Path, 'tried' | 'again' | 'metrics'>,
];

/** The status, then the code, or whether it is a replay, and whether it is simulated. */
export const outcomeOf = ({ status, headers, body }: TestResponse): string =>
  [
    ...[status, body.code, headers['x-service-idempotency-replayed'] && 'replay'],
    headers['x-service-simulated'] && 'simulated',
  ]
    .filter(Boolean)
    .join(' ');

/** Makes the request of an id. */
type RequestOf = (id: string) => Visit['request'];
/** Requests under an Idempotency-Key of their own: of three units, with another body, of no JSON, simulating. */
const tripled: RequestOf = (id) => ({ ...under(id), path: triple.path });
const deviating: RequestOf = (id) => ({ ...under(id), body: { clientRequestId: `not ${id}` } });
const garbled: RequestOf = (id) => ({ ...under(id), body: 'no' });
const simulating =
  (simulate: string): RequestOf =>
  (id) => ({ ...under(id), body: { clientRequestId: id, simulate } });
const losing = simulating('ANSWER_LOST');
/** Requests without a key. */
const unkeyed: RequestOf = () => plain;
/** Of one unit of at most five; without a key of four. */
const upToOne: RequestOf = (id) => ({ ...under(id), path: upTo.path, body: { clientRequestId: id, cost: 1 } });
const unkeyedUpToFour: RequestOf = () => ({ path: upTo.path, body: { cost: 4 } });
const unkeyedTripled: RequestOf = () => ({ ...plain, path: triple.path });

const TRIP = ['UpdateItem', 'BatchGetItem'] as const;
const WRITE = 'TransactWriteItems';
const SETTLED = [...TRIP, WRITE];
const NOTED = [...TRIP, 'PutItem'];
/** Another request settles first. */
const RACED = [...SETTLED, 'PutItem'];
/** The window is written twice. */
const WINDOW = [...TRIP, 'UpdateItem', WRITE];
/** Nothing seems to be left, so the replay record is looked for once more. */
const LOOKED = [...TRIP, 'TransactGetItems', 'PutItem'];
/** The calls of an instance that does not know the project's shards yet. */
const SHARDED = [...TRIP, 'Query', WRITE];
const REREAD = ['BatchGetItem', 'Query'];
/** The calls of an instance that does not know the key's cap yet. */
const CAPPED = [...TRIP, 'BatchGetItem', WRITE];
/** The highest rate limit of a key with a cap. */
const CAP = { rpm: 1_800 };
const REPLAY = '200 replay';
const CONFLICT = '409 IDEMPOTENCY_CONFLICT';
const NO_QUOTA = '429 QUOTA_EXCEEDED';
const NO_CAP = '429 KEY_QUOTA_EXCEEDED';

const asks =
  (requestOf: RequestOf): Make =>
  (_, id) => ({ request: requestOf(id) });
const keyed = asks(under);
/** An answer to another request of the project. */
type Other = (all: Shared, id: string) => Promise<TestResponse>;
const by =
  (requestOf: RequestOf): Other =>
  ({ ping, key }, id) =>
    ping(key, requestOf(id));
const another = by(unkeyed);
/** One request before: it uses up what there is one of, or creates the shards. */
const firstPing: First = async (all) => [await another(all, '')];
/** Another request is answered before. */
const again =
  (requestOf: RequestOf, before = requestOf): Make =>
  async (all, id) => ({ request: requestOf(id), others: [await by(before)(all, id)] });
/** Another request is answered meanwhile: right before the settlement, or before another call. */
const racing =
  (requestOf: RequestOf, other: Other, first: First = () => Promise.resolve([]), at = WRITE): Make =>
  async (all, id) => {
    const others = await first(all);
    const made = meanwhile(at, requestOf(id), async () => [await other(all, id)]);
    made.others.push(...others);
    return made;
  };
/** The same, after a change of the project. */
const afterUpdate =
  (change: Parameters<typeof updateProject>[2], other: Other): Other =>
  async (all, id) => {
    await updateProject(all.store, all.projectId, change);
    return other(all, id);
  };
/** A duplicate is charged, since the quota grows after the request has seen nothing left. */
const lastUnits = (requestOf: RequestOf, before: RequestOf, quota: number): Make => {
  const first: First = async (all) => [await by(before)(all, '')];
  return racing(requestOf, afterUpdate({ quota }, by(requestOf)), first, 'TransactGetItems');
};

/** The key has a cap by a period of its own, and had another, under which a request was charged. */
const cappedBy =
  (suffix: string, limit: number, was?: string): First =>
  async ({ store, key, keyId, ping }) => {
    if (was === undefined) {
      await storeCap(store, key, limit, keyId + suffix);
      return [];
    }
    await storeCap(store, key, limit, keyId + was);
    const others = [await ping(key)];
    await storeCap(store, key, limit, keyId + suffix);
    return others;
  };
/** The limit of the key's budget is changed right before the settlement, after so many units. */
const withBudget =
  (units: number, limit: number, to: number): Make =>
  async (all, id) => {
    const { store, projectId, key, keyId } = all;
    const capId = `${keyId}.o`;
    await storeCap(store, key, 0, capId);
    await storeLimit(store, projectId, capId, limit);
    const others = [];
    for (let n = 0; n < units; n++) others.push(await another(all, id));
    const made = meanwhile(WRITE, under(id), async () => {
      await storeLimit(store, projectId, capId, to);
      return [];
    });
    made.others.push(...others);
    return made;
  };

/** A request with its own key, which was last used some minutes in the future. */
const withWindow =
  (minutes: number): Make =>
  async ({ store, projectId, clock }, id) => {
    const other = testGateway({ clock: testClock(clock.nowMs + minutes * MINUTE_MS) });
    const scopes = new Set(['sandbox:invoke']);
    const made = await createKey(store, { projectId, mode: 'test', scopes, ...SPACIOUS });
    return { ...made, request: under(id), others: [await other.ping(made.key)] };
  };
const lagging: First = async ({ key, clock }) => [
  await testGateway({ clock: testClock(clock.nowMs + MINUTE_MS) }).ping(key),
];
const suspended: First = ({ store, projectId }) => suspendProject(store, projectId).then(() => []);
const revoked: First = ({ store, projectId, keyId }) => revokeKey(store, projectId, keyId).then(() => []);
const unprocessed: Make = (_, id) => ({ request: under(id), arrange: leaveProjectUnprocessed });
const unknown: Make = ({ projectId }, id) => ({ key: unknownKey(projectId), request: under(id) });
const forged: Make = ({ projectId }, id) => ({ key: forgedKey(projectId), request: under(id) });

const ANSWER_LOST = { again: /^(200 replay|503 SERVICE_UNAVAILABLE simulated)$/ };
const BROKEN_CLOCK = { metrics: ['RateWindowAheadOfClock'] };
/** The rows name the calls, the outcome, how it comes to it, and what else there is. */
const ROWS: Readonly<Record<string, Row>> = {
  'a success': [SETTLED, '200', shared({}, asks(unkeyed))],
  'a success under an Idempotency-Key': [SETTLED, '200', shared({}, keyed)],
  'a success of three units': [SETTLED, '200', shared({}, asks(tripled))],
  'a success that tells its units': [SETTLED, '200', shared({}, asks(upToOne))],
  'a replay of a duplicate that tells its units and commits first': [
    RACED,
    REPLAY,
    shared({}, racing(upToOne, by(upToOne))),
  ],
  'a replay of a duplicate that leaves fewer units than it may tell': [
    LOOKED,
    REPLAY,
    alone({ quotaLimit: 5 }, lastUnits(upToOne, unkeyed, 6)),
  ],
  'a refusal by the quota with fewer units left than it may tell': [
    NOTED,
    NO_QUOTA,
    shared({ quotaLimit: 4 }, asks(unkeyedUpToFour)),
  ],
  'a refusal by the quota of which another request has just left fewer units than it tells': [
    RACED,
    NO_QUOTA,
    alone({ quotaLimit: 6 }, racing(unkeyedUpToFour, by(unkeyedTripled))),
  ],
  'a success sixteen minutes after the last request': [WINDOW, '200', shared({}, withWindow(-16))],
  'a success over the window of a broken clock': [WINDOW, '200', shared({}, withWindow(3)), BROKEN_CLOCK],
  'a success while the clock lags': [WINDOW, '200', shared({}, keyed, lagging)],
  'a success although the batch leaves a key unprocessed': [CAPPED, '200', shared({}, unprocessed)],
  'a replay': [NOTED, REPLAY, shared({}, again(under))],
  'a replay of a duplicate that commits first': [RACED, REPLAY, shared({}, racing(under, by(under)))],
  'a replay of a duplicate that spends the last unit': [
    LOOKED,
    REPLAY,
    alone({ quotaLimit: 1 }, lastUnits(under, unkeyed, 2)),
  ],
  'a replay of a duplicate that spends the last three units': [
    LOOKED,
    REPLAY,
    alone({ quotaLimit: 5 }, lastUnits(tripled, unkeyedTripled, 6)),
  ],
  'a conflict': [NOTED, CONFLICT, shared({}, again(deviating, under))],
  'a conflict with a duplicate that commits first': [RACED, CONFLICT, shared({}, racing(under, by(deviating)))],
  'a refusal by the rate limit': [NOTED, '429 RATE_LIMIT_EXCEEDED', shared({ rpm: 1 }, keyed, firstPing)],
  'a refusal by the quota': [NOTED, NO_QUOTA, shared({ quotaLimit: 1 }, asks(unkeyed), firstPing)],
  'a refusal by the quota under an Idempotency-Key': [LOOKED, NO_QUOTA, shared({ quotaLimit: 1 }, keyed, firstPing)],
  'a refusal by the quota that another request has just used up': [
    RACED,
    NO_QUOTA,
    alone({ quotaLimit: 1 }, racing(under, another)),
  ],
  'a refusal by the quota with two units left of three': [
    NOTED,
    NO_QUOTA,
    shared({ quotaLimit: 2 }, asks(unkeyedTripled)),
  ],
  'a refusal by the quota of which another request has just left one unit': [
    RACED,
    NO_QUOTA,
    alone({ quotaLimit: 4 }, racing(tripled, by(unkeyedTripled))),
  ],
  'a success on a shard': [SHARDED, '200', shared({ shards: 3 }, keyed, firstPing)],
  'a success that lays out shards': [SHARDED, '200', alone({ shards: 3 }, keyed), { tried: 3 }],
  'a success on another shard than the one that is used up just before': [
    [...SHARDED, ...REREAD, WRITE],
    '200',
    alone({ shards: 2, quotaLimit: 3 }, racing(under, another, firstPing)),
    { tried: 3 },
  ],
  'a success on shards that there are since it read that there are none': [
    [...SETTLED, ...REREAD, WRITE],
    '200',
    alone({}, racing(under, afterUpdate({ shards: 2 }, another))),
    { tried: 2 },
  ],
  'a replay of a duplicate that spends the last unit of all shards': [
    [...SHARDED, 'PutItem'],
    REPLAY,
    alone({ shards: 2, quotaLimit: 2 }, racing(under, by(under), firstPing)),
    { tried: 3 },
  ],
  'a refusal by the quota of shards that other requests have just used up': [
    [...SHARDED, ...REREAD, 'TransactGetItems', 'PutItem'],
    NO_QUOTA,
    alone({ shards: 2, quotaLimit: 2 }, racing(under, another, firstPing)),
    { tried: 3 },
  ],
  'a success of a key with a cap': [CAPPED, '200', shared({ ...CAP, unitsLimit: 1_000 }, keyed)],
  'a success of a key with a cap on a shard': [
    [...TRIP, 'Query', ...CAPPED.slice(2)],
    '200',
    shared({ ...CAP, unitsLimit: 1_000, shards: 3 }, keyed, firstPing),
    { tried: 4 },
  ],
  'a refusal by the cap': [
    [...TRIP, 'BatchGetItem', 'PutItem'],
    NO_CAP,
    shared({ ...CAP, unitsLimit: 1 }, asks(unkeyed), firstPing),
  ],
  'a refusal by the cap that another request has just used up': [
    [...CAPPED, 'BatchGetItem', 'TransactGetItems', 'PutItem'],
    NO_CAP,
    alone({ ...CAP, unitsLimit: 1 }, racing(under, another)),
    { tried: 3 },
  ],
  'a replay of a duplicate that spends the last unit of the cap': [
    [...CAPPED, 'PutItem'],
    REPLAY,
    alone({ ...CAP, unitsLimit: 1 }, racing(under, by(under))),
    { tried: 3 },
  ],
  'a success of a key whose cap counts once': [CAPPED, '200', shared(CAP, keyed, cappedBy('.o', 1_000))],
  'a success of a key whose cap counts by week, after one by day': [
    CAPPED,
    '200',
    shared(CAP, keyed, cappedBy('.w', 1_000, '.d')),
  ],
  'a success of a budget whose limit is raised just before': [
    [...CAPPED, 'BatchGetItem', WRITE],
    '200',
    alone(CAP, withBudget(1, 2, 3)),
    { tried: 3 },
  ],
  'a refusal by a budget that is stopped just before': [
    [...CAPPED, 'BatchGetItem', 'TransactGetItems', 'PutItem'],
    NO_CAP,
    alone(CAP, withBudget(0, 9, 0)),
    { tried: 3 },
  ],
  'a simulated refusal': [NOTED, '403 PROJECT_SUSPENDED simulated', shared({}, asks(simulating('PROJECT_SUSPENDED')))],
  'a simulated failure': [NOTED, '500 INTERNAL_ERROR simulated', shared({}, asks(simulating('INTERNAL_ERROR')))],
  'a success whose answer is to be lost': [
    SETTLED,
    '503 SERVICE_UNAVAILABLE simulated',
    shared({}, asks(losing)),
    ANSWER_LOST,
  ],
  'a replay of a success whose answer was lost as it asked': [NOTED, REPLAY, shared({}, again(losing))],
  'a replay, although its own answer is to be lost, of a duplicate that commits first': [
    RACED,
    REPLAY,
    shared({}, racing(losing, by(losing))),
    ANSWER_LOST,
  ],
  'a refusal of the input': [NOTED, '400 INVALID_REQUEST', shared({}, asks(garbled))],
  'a refusal of a suspended project': [NOTED, '403 PROJECT_SUSPENDED', shared({}, keyed, suspended)],
  'a refusal of a revoked key': [NOTED, '401 API_KEY_REVOKED', shared({}, keyed, revoked)],
  'a refusal of an unknown key': [TRIP, '401 INVALID_API_KEY', shared({}, unknown)],
  'a refusal of a forged key': [[], '401 INVALID_API_KEY', shared({}, forged)],
};

/** Every path of a ping. */
export const PATHS: readonly Path[] = Object.entries(ROWS).map(([name, [calls, outcome, prepare, more]]) => ({
  name,
  calls,
  outcome,
  prepare,
  ...more,
}));

/** The outcome of a path's request when it is sent again, for `toEqual`. */
export const againOf = ({ outcome, again: told = outcome === '200' ? /^200/ : undefined }: Path): unknown =>
  told ? expect.stringMatching(told) : outcome;

/** The first path that meets a condition. */
export function pathWhere(isMeant: (path: Path) => boolean): Path {
  const path = PATHS.find(isMeant);
  if (!path) throw new Error('there is no such path');
  return path;
}

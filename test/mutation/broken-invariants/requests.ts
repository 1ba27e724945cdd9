import { among, type Invariant } from './invariant.ts';

const REFUSALS = 'test/handlers/refusals.test.ts';
const INPUT = 'test/core/metered-request.test.ts';
const RATE_LIMIT = 'test/handlers/rate-limit.test.ts';
const IDEMPOTENCY = 'test/handlers/idempotency.test.ts';
const PING = 'test/handlers/ping.test.ts';
const FIELDS = 'RateLimit and RateLimit-Policy';
const STORE_ANSWERS = 'test/middleware/store-answers.test.ts';
const SIGNED = 'a call of the client by metered is signed for its region and service, and refused nowhere';
const MOVED_BACK = 'a window 1 minutes ahead of a lagging clock is adopted: it never moves backwards';
const REVOKED = 'a key that may not ping is refused on the very next request after it is revoked';
const ONE_TIME =
  'a ping belongs to the time at which it came in all it writes, however long it takes, and tells how long that was';
const KEPT_A_DAY =
  'an identical request under the same Idempotency-Key is kept for 24 hours, to the second, and executed again from then on';

/** A request of the gateway: authentication, limits and replay. */
export const REQUESTS: readonly Invariant[] = [
  ...among(REFUSALS, [
    ['a revoked key is refused', "'#status = :active'", "'(#status = :active OR #status <> :active)'", REVOKED],
    [
      'an expired key is refused',
      'OR #expiresAtMs > :now)',
      'OR #expiresAtMs > :now OR #expiresAtMs <= :now)',
      'a key that may not ping is refused from its expiry on, to the millisecond',
    ],
    [
      'a key without the scope is refused',
      "'contains(#scopes, :scope)'",
      "'(contains(#scopes, :scope) OR attribute_exists(#scopes))'",
      'a key that may not ping is refused without the scope, also when its scope only contains the needed one as text',
    ],
    [
      'a live key is refused',
      "'#mode = :mode'",
      "'(#mode = :mode OR #mode <> :mode)'",
      'a key that may not ping is refused when it is a live key',
    ],
  ]),
  ...among(INPUT, [
    [
      'a check without a message tells nothing of the input',
      ', message: NO_MESSAGE',
      '',
      'an operation that has no message for a check says that text is not valid.',
    ],
  ]),
  ...among(INPUT, [
    [
      'no member holds an API key',
      'return holder === undefined ?',
      "return holder !== 'clientRequestId' ?",
      'test.triple takes no API key as labels, nor in it: it would be stored',
    ],
  ]),
  ...among(IDEMPOTENCY, [
    [
      'a replay names the request that was executed',
      'state.originalRequestId = stored.requestId;',
      'state.originalRequestId = state.requestId;',
      'an identical request under the same Idempotency-Key and a conflict name the request that was executed, not each other',
    ],
  ]),
  ...among(REFUSALS, [
    [
      'an event keeps why its request was refused',
      'detail: error.detail,',
      '',
      'the event of a refusal keeps the words of its answer, which are ours, also when it is kept once a minute',
    ],
  ]),
  ...among(PING, [
    [
      "the id of a request tells its event's time",
      'requestIdAt(receivedAtMs, randomBytes),\n        receivedAtMs,',
      'requestIdAt(receivedAtMs + 1, randomBytes),\n        receivedAtMs,',
      'a ping has an id that tells the time of its event, whatever became of it',
    ],
  ]),
  ...among(RATE_LIMIT, [
    [
      'a window admits its limit',
      '#${slot} < #rpm',
      '#${slot} <= #rpm',
      'the rate limit admits exactly its number of requests that come at once',
    ],
    ['a window never moves backwards', 'OR #window < :minute', 'OR #window <> :minute', MOVED_BACK],
    [
      'a new window starts at 0',
      'OR #window < :minute) AND attribute_not_exists(#${slot})',
      'OR #window < :minute) AND #mode = :mode',
      'a window that ended a multiple of 16 minutes ago is started over, by a second write',
    ],
    [
      'of two that start a window over one wins',
      "'#window = :replaces'",
      "'(#window = :replaces OR #window <> :replaces)'",
      'a window started over by another just before is counted in, not started over again',
    ],
  ]),
  ...among(REFUSALS, [
    [
      'an admission is never cached',
      'await admit(client, tables.gateway, keyHash, required, nowMs, retry)',
      'await ((dependencies as any)[keyHash] ??= admit(client, tables.gateway, keyHash, required, nowMs, retry))',
      REVOKED,
    ],
    [
      'a project is never cached',
      'readSnapshot(client, tables.gateway, sharded, query, { deadline, ...timing })',
      '((dependencies as any)[query.projectId] ??= readSnapshot(client, tables.gateway, sharded, query, { deadline, ...timing }))',
      'a key that may not ping is refused while its project is suspended, and served again when it is resumed',
    ],
  ]),
  ...among(IDEMPOTENCY, [['an expired record is not served', 'nowMs < item.ttl * MS_PER_SECOND', 'true', KEPT_A_DAY]]),
  ...among(IDEMPOTENCY, [
    [
      'what a batch gave in its first part is kept',
      'found.set(nameOf(item as ItemKey), item);',
      'if (pending.length === 0) found.set(nameOf(item as ItemKey), item);',
      'an identical request under the same Idempotency-Key is replayed, and the quota told, from what a batch gave in two parts',
    ],
  ]),
  ...among(PING, [
    [
      'a charge and its event are of one period',
      'periodAt(receivedAtMs, quotaPeriod)',
      'periodAt(clock.now(), quotaPeriod)',
      ONE_TIME,
    ],
  ]),
  ...among('test/handlers/secrets.test.ts', [
    [
      'a forged key touches no database',
      'hasKeyTag(token, secrets) ? key',
      '(hasKeyTag(token, secrets) || key) ? key',
      'a forged key, its checksum right and another project named in it, costs no call and is answered as an unknown one',
    ],
  ]),
  ...among(PING, [
    ['an event is of the time of its request', 'isoTime(receivedAtMs)', 'isoTime(decidedAtMs)', ONE_TIME],
    ['a request tells how long it took', 'Math.max(0, decidedAtMs - receivedAtMs)', '0', ONE_TIME],
  ]),
  ...among(STORE_ANSWERS, [
    [
      'what decides is read consistently',
      'Keys: [...pending], ConsistentRead: true',
      'Keys: [...pending], ConsistentRead: false',
      'keys that a batch read leaves unprocessed are asked for again',
    ],
    [
      'an unprocessed key is no absent item',
      "throw new StoreUnavailableError('the store left keys of a batch unprocessed');",
      'break;',
      'keys that a batch read leaves unprocessed at every attempt are a failure, never an absent item',
    ],
  ]),
  ...among(STORE_ANSWERS, [
    [
      'an absent project is not active',
      "project?.status === 'active'",
      "project?.status !== 'suspended'",
      'a project that is not there is not served: an absent item must not fail open',
    ],
  ]),
  ...among('test/core/fingerprint.test.ts', [
    [
      'test never answers live',
      'digest(requires.mode, method, path, idempotencyKey)',
      'digest(method, path, idempotencyKey)',
      'a replay key differs by mode, so that test never answers live',
    ],
  ]),
  ...among(IDEMPOTENCY, [
    [
      'another body is a conflict',
      'digest(operation.method, operation.path, canonicalBody)',
      'digest(operation.method, operation.path)',
      'a different request under the same Idempotency-Key is a conflict, charges nothing and leaves the record as it was',
    ],
  ]),
  ...among(IDEMPOTENCY, [
    [
      'one project never answers another',
      '`PROJECT#${projectId}`, sk: `REPLAY#${replayId}`',
      '`PROJECT#`, sk: `REPLAY#${replayId}`',
      'an identical request under the same Idempotency-Key is replayed to another key of the project, and never to another project',
    ],
  ]),
  ...among(RATE_LIMIT, [
    [
      'a refusal leaves its event',
      'if (state.admitted || simulated) await store.appendEvent(decided, state.deadline);',
      'if (state.admitted || simulated) void decided;',
      'the rate limit refuses the 61st request of a minute, records it with 0 units and says when to come back',
    ],
  ]),
  ...among(STORE_ANSWERS, [
    [
      'a success that is not settled is a 503',
      'await settle(state, response ?? {});',
      'await settle(state, response ?? {}).catch(() => undefined);',
      'a settlement in conflict is given up when there is no time for another attempt, and counted: 503, to be retried after a second',
    ],
    [
      'a refusal stays that refusal',
      'telemetry.count(METRICS.usageEventLost);',
      'throw cause;',
      'a store that fails to write the event of a refusal: still that refusal, in the log and in a metric',
    ],
  ]),
  ...among(STORE_ANSWERS, [
    [
      'a replay that is not settled is a 503',
      'await store.appendEvent(decidedEvent(usage, { ...state, caller }, outcome), state.deadline);',
      'await store.appendEvent(decidedEvent(usage, { ...state, caller }, outcome), state.deadline).catch(() => undefined);',
      'a store that fails to write the event of a replay: 503, since the replay is not in the ledger',
    ],
    [
      'a duplicate that spent the last unit is looked for',
      'if (record === undefined && refusing(',
      'if (false && refusing(',
      'a read that shows the quota used up and no record: the record is read once more, for the duplicate that may have spent the last unit',
    ],
  ]),
  ...among('test/middleware/functions-and-routes.test.ts', [
    [
      'each function serves its own routes only',
      '|| all.has(routeKey)',
      '',
      'each function serves its own routes and not those of the other: GET /api/v1/health',
    ],
  ]),
  ...among(IDEMPOTENCY, [
    [
      'a replay ranks before the quota',
      `.use(idempotency(dependencies))
    .use(simulation(dependencies))
    .use(metering(dependencies))`,
      `.use(metering(dependencies))
    .use(idempotency(dependencies))
    .use(simulation(dependencies))`,
      'an identical request under the same Idempotency-Key is replayed when the quota is used up, without a look at the record for a second time',
    ],
  ]),
  ...among('test/handlers/limit-fields.test.ts', [
    [
      'a 429 names only the policy that refused',
      'limits.filter(({ name }) => name === refusedBy)',
      'limits',
      `${FIELDS} of a 429 name only the limit that refused, and Retry-After is not before its end: 0 ms into a second`,
      'fieldsOf',
    ],
    [
      'the end of a limit is not told too early',
      'Math.ceil(epochSeconds - nowMs / MS_PER_SECOND)',
      'Math.floor(epochSeconds - nowMs / MS_PER_SECOND)',
      `${FIELDS} of a 429 name only the limit that refused, and Retry-After is not before its end: 1 ms into a second`,
    ],
    [
      'a 503 names no policy',
      "if (code === 'SERVICE_UNAVAILABLE') return {};",
      '',
      `${FIELDS} are not on a 503, which has the X- headers`,
    ],
  ]),
  ...among('test/middleware/request-context.test.ts', [
    [
      'every problem leads to the page on its code',
      'state.code !== null &&',
      'false &&',
      'a problem leads to the page on its code where a portal is known, whatever failed: https://portal.example.com',
    ],
  ]),
  ...among('test/handlers/ping.test.ts', [
    [
      'a ping takes two sequential round trips',
      'store.admit(key.hash,',
      'await store.admit(key.hash,',
      'an authenticated request takes two sequential round trips for a first ping, in its first minute and in a later one',
    ],
  ]),
  ...among('test/store/door.test.ts', [
    ['a call is signed for its region', '...overrides,', "...overrides, ...{ signingRegion: 'none' },", SIGNED],
    ['a call is signed for its service', '...overrides,', "...overrides, ...{ signingName: 'none' },", SIGNED],
  ]),
  ...among('test/portal/client-secret.test.ts', [
    [
      'a call to Secrets Manager is signed for its region and service',
      'maxAttempts: MAX_ATTEMPTS,',
      "maxAttempts: MAX_ATTEMPTS, ...{ signingRegion: 'none', signingName: 'none' },",
      'in Secrets Manager the current version is read, at each call',
      'secretText',
    ],
  ]),
];

import type { BrokenBy } from './invariant.ts';

const FIELDS = 'RateLimit and RateLimit-Policy';

/** A request of the gateway: authentication, limits and replay. */
export const REQUESTS: BrokenBy = {
  'test/handlers/refusals.test.ts': {
    'a key that may not ping is refused on the very next request after it is revoked': [
      ["'#status = :active'", "'(#status = :active OR #status <> :active)'"],
      [
        'await admit(client, tables.gateway, keyHash, required, nowMs, retry)',
        'await ((dependencies as any)[keyHash] ??= admit(client, tables.gateway, keyHash, required, nowMs, retry))',
      ],
    ],
    'a key that may not ping is refused from its expiry on, to the millisecond': [
      ['OR #expiresAtMs > :now)', 'OR #expiresAtMs > :now OR #expiresAtMs <= :now)'],
    ],
    'a key that may not ping is refused without the scope, also when its scope only contains the needed one as text': [
      ["'contains(#scopes, :scope)'", "'(contains(#scopes, :scope) OR attribute_exists(#scopes))'"],
    ],
    'a key that may not ping is refused when it is a live key': [
      ["'#mode = :mode'", "'(#mode = :mode OR #mode <> :mode)'"],
    ],
    'the event of a refusal keeps the words of its answer, which are ours, also when it is kept once a minute': [
      ['detail: error.detail,', ''],
    ],
    'a key that may not ping is refused while its project is suspended, and served again when it is resumed': [
      [
        'readSnapshot(client, tables.gateway, sharded, query, { deadline, ...timing })',
        '((dependencies as any)[query.projectId] ??= …)',
      ],
    ],
  },
  'test/core/metered-request.test.ts': {
    'an operation that has no message for a check says that text is not valid.': [[', message: NO_MESSAGE', '']],
    'test.triple takes no API key as labels, nor in it: it would be stored': [
      ['return holder === undefined ?', "return holder !== 'clientRequestId' ?"],
    ],
  },
  'test/handlers/idempotency.test.ts': {
    'an identical request under the same Idempotency-Key and a conflict name the request that was executed, not each other':
      [['state.originalRequestId = stored.requestId;', 'state.originalRequestId = state.requestId;']],
    'an identical request under the same Idempotency-Key is kept for 24 hours, to the second, and executed again from then on':
      [['nowMs < item.ttl * MS_PER_SECOND', 'true']],
    'an identical request under the same Idempotency-Key is replayed, with the quota headers, from a batch that came in two parts':
      [['found.set(nameOf(item as ItemKey), item);', 'if (pending.length === 0) …']],
    'a different request under the same Idempotency-Key is a conflict, charges nothing and leaves the record as it was':
      [['digest(operation.method, operation.path, canonicalBody)', 'digest(operation.method, operation.path)']],
    'an identical request under the same Idempotency-Key is replayed to another key of the project, and never to another project':
      [['`PROJECT#${projectId}`, sk: `REPLAY#${replayId}`', '`PROJECT#`, sk: `REPLAY#${replayId}`']],
    'an identical request under the same Idempotency-Key is replayed when the quota is used up, without a look at the record for a second time':
      [
        [
          `.use(idempotency(dependencies))
    .use(simulation(dependencies))
    .use(metering(dependencies))`,
          `.use(metering(dependencies))
    .use(idempotency(dependencies))
    .use(simulation(dependencies))`,
        ],
      ],
  },
  'test/handlers/ping.test.ts': {
    'a ping has an id that tells the time of its event, whatever became of it': [
      [
        'requestIdAt(receivedAtMs, randomBytes),\n        receivedAtMs,',
        'requestIdAt(receivedAtMs + 1, randomBytes),\n        receivedAtMs,',
      ],
    ],
    'a ping belongs to the time at which it came in all it writes, however long it takes, and tells how long that was':
      [
        ['periodAt(receivedAtMs, quotaPeriod)', 'periodAt(clock.now(), quotaPeriod)'],
        ['isoTime(receivedAtMs)', 'isoTime(decidedAtMs)'],
        ['Math.max(0, decidedAtMs - receivedAtMs)', '0'],
      ],
    'an authenticated request takes two sequential round trips for a first ping, in its first minute and in a later one':
      [['store.admit(key.hash,', 'await …']],
  },
  'test/handlers/rate-limit.test.ts': {
    'the rate limit admits exactly its number of requests that come at once': [['#${slot} < #rpm', '#${slot} <= #rpm']],
    'a window 1 minutes ahead of a lagging clock is adopted: it never moves backwards': [
      ['OR #window < :minute', 'OR #window <> :minute'],
    ],
    'a window that ended a multiple of 16 minutes ago is started over, by a second write': [
      ['OR #window < :minute) AND attribute_not_exists(#${slot})', 'OR #window < :minute) AND #mode = :mode'],
    ],
    'a window started over by another just before is counted in, not started over again': [
      ["'#window = :replaces'", "'(#window = :replaces OR #window <> :replaces)'"],
    ],
    'the rate limit refuses the 61st request of a minute, records it with 0 units and says when to come back': [
      [
        'if (state.admitted || simulated) await store.appendEvent(decided, state.deadline);',
        'if (state.admitted || simulated) void decided;',
      ],
    ],
  },
  'test/handlers/secrets.test.ts': {
    'a forged key, its checksum right and another project named in it, costs no call and is answered as an unknown one':
      [['hasKeyTag(token, secrets) ? key', '(hasKeyTag(token, secrets) || key) ? key']],
  },
  'test/middleware/store-answers.test.ts': {
    'keys that a batch read leaves unprocessed are asked for again': [
      ['Keys: [...pending], ConsistentRead: true', 'Keys: [...pending], ConsistentRead: false'],
    ],
    'keys that a batch read leaves unprocessed at every attempt are a failure, never an absent item': [
      ["throw new StoreUnavailableError('the store left keys of a batch unprocessed');", 'break;'],
    ],
    'a project that is not there is not served: an absent item must not fail open': [
      ["project?.status === 'active'", "project?.status !== 'suspended'"],
    ],
    'a settlement in conflict is given up when there is no time for another attempt, and counted: 503, to be retried after a second':
      [['await settle(state, response ?? {});', 'await settle(state, response ?? {}).catch(() => undefined);']],
    'a store that fails to write the event of a refusal: still that refusal, in the log and in a metric': [
      ['telemetry.count(METRICS.usageEventLost);', 'throw cause;'],
    ],
    'a store that fails to write the event of a replay: 503, since the replay is not in the ledger': [
      [
        'await store.appendEvent(decidedEvent(usage, { ...state, caller }, outcome), state.deadline);',
        'await store.appendEvent(decidedEvent(usage, { ...state, caller }, outcome), state.deadline).catch(() => undefined);',
      ],
    ],
    'a read that shows the quota used up and no record: the record is read once more, for the duplicate that may have spent the last unit':
      [['if (record === undefined && refusing(', 'if (false && refusing(']],
  },
  'test/core/fingerprint.test.ts': {
    'a replay key differs by mode, so that test never answers live': [
      ['digest(requires.mode, method, path, idempotencyKey)', 'digest(method, path, idempotencyKey)'],
    ],
  },
  'test/middleware/functions-and-routes.test.ts': {
    'each function serves its own routes and not those of the other: GET /api/v1/health': [
      ['|| all.has(routeKey)', ''],
    ],
  },
  'test/handlers/limit-fields.test.ts': {
    [`${FIELDS} of a 429 name only the limit that refused, and Retry-After is not before its end: 0 ms into a second`]:
      [['limits.filter(({ name }) => name === refusedBy)', 'limits', 'fieldsOf']],
    [`${FIELDS} of a 429 name only the limit that refused, and Retry-After is not before its end: 1 ms into a second`]:
      [['Math.ceil(epochSeconds - nowMs / MS_PER_SECOND)', 'Math.floor(epochSeconds - nowMs / MS_PER_SECOND)']],
    [`${FIELDS} are not on a 503, which has the X- headers`]: [["if (code === 'SERVICE_UNAVAILABLE') return {};", '']],
  },
  'test/middleware/request-context.test.ts': {
    'a problem leads to the page on its code where a portal is known, whatever failed: https://portal.example.com': [
      ['state.code !== null &&', 'false &&'],
    ],
  },
  'test/store/door.test.ts': {
    'a call of the client by metered is signed for its region and service, and refused nowhere': [
      ['...overrides,', "… ...{ signingRegion: 'none' },"],
      ['...overrides,', "… ...{ signingName: 'none' },"],
    ],
  },
  'test/portal/client-secret.test.ts': {
    'in Secrets Manager the current version is read, at each call': [
      ['maxAttempts: MAX_ATTEMPTS,', "… ...{ signingRegion: 'none', signingName: 'none' },", 'secretText'],
    ],
  },
};

/** A promise of the gateway, a way to break it in one place, and the test that must fail then. */
export interface Invariant {
  readonly invariant: string;
  readonly file: string;
  /** Stands in the file exactly once, however it is laid out there. */
  readonly find: string;
  readonly replace: string;
  readonly testFile: string;
  /** Full name, with those of its `describe`s. */
  readonly test: string;
}

/** One file of the code, and the tests of one file, that several invariants share. */
const among = (
  file: string,
  testFile: string,
  entries: readonly (readonly [invariant: string, find: string, replace: string, test: string])[],
): Invariant[] =>
  entries.map(([invariant, find, replace, test]) => ({ invariant, file, find, replace, testFile, test }));

const REFUSALS = 'test/handlers/refusals.test.ts';
const RATE_LIMIT = 'test/handlers/rate-limit.test.ts';
const QUOTA = 'test/handlers/quota.test.ts';
const SHARDS = 'test/handlers/shards.test.ts';
const IDEMPOTENCY = 'test/handlers/idempotency.test.ts';
const OPERATIONS = 'test/handlers/operations.test.ts';
const PING = 'test/handlers/ping.test.ts';
const LOST_ANSWERS = 'test/handlers/lost-answers.test.ts';
const STORE_ANSWERS = 'test/middleware/store-answers.test.ts';
const UNDER_LOAD = 'test/usage/verification-under-load.test.ts';
const TAMPERING = 'test/usage/tampering.test.ts';

const MOVED_BACK = 'a window 1 minutes ahead of a lagging clock is adopted: it never moves backwards';
const REVOKED = 'a key that may not ping is refused on the very next request after it is revoked';
const ONE_TIME =
  'a ping belongs to the time at which it came in all it writes, however long it takes, and tells how long that was';
const AT_ONCE = 'the quota gives exactly its units to requests that come at once';
const KEPT_A_DAY =
  'an identical request under the same Idempotency-Key is kept for 24 hours, to the second, and executed again from then on';
const TWINS = '200 identical requests at once are one execution and 199 replays, with a quota of 10000';

/**
 * Every condition that holds the ledger is dropped, and every shortcut that would break it is taken. A condition is
 * dropped by adding what is always true: DynamoDB refuses an expression that leaves a name or a value unused.
 */
export const INVARIANTS: readonly Invariant[] = [
  ...among('functions/ledger/admission.ts', REFUSALS, [
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
  ...among('functions/ledger/admission.ts', RATE_LIMIT, [
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
  ...among('functions/ledger/dynamodb-request-store.ts', REFUSALS, [
    [
      'an admission is never cached',
      'admit(client, tables.gateway, keyHash, required, nowMs, { deadline, ...timing })',
      '((dependencies as any)[keyHash] ??= admit(client, tables.gateway, keyHash, required, nowMs, { deadline, ...timing }))',
      REVOKED,
    ],
    [
      'a project is never cached',
      'readSnapshot(client, tables.gateway, sharded, query, { deadline, ...timing })',
      '((dependencies as any)[query.projectId] ??= readSnapshot(client, tables.gateway, sharded, query, { deadline, ...timing }))',
      'a key that may not ping is refused while its project is suspended, and served again when it is resumed',
    ],
  ]),
  ...among('functions/ledger/quota-writes.ts', QUOTA, [
    [
      'a charge stays under the limit',
      'OR #units <= :ceiling',
      'OR #units <= :ceiling OR #units > :ceiling',
      'the quota gives exactly its units to requests that come at once',
    ],
    [
      'a unit counts in the period it was received in',
      `Key: itemKey.quota(event.projectId, period.id),
      UpdateExpression: 'SET #units = if_not_exists`,
      `Key: itemKey.quota(event.projectId, 'all'),
      UpdateExpression: 'SET #units = if_not_exists`,
      'the quota starts again with the next month, and the old month stays consistent',
    ],
  ]),
  ...among('functions/ledger/settlement.ts', QUOTA, [
    [
      'the reasons are read in the order of the writes',
      '[first, event, ...replay, ...others]',
      '[event, first, ...replay, ...others]',
      AT_ONCE,
    ],
  ]),
  ...among('functions/ledger/quota-writes.ts', SHARDS, [
    [
      'a counter that lent is not charged itself',
      'OR #shards = :one)',
      'OR #shards = :one OR #shards > :one)',
      'a change of a quota in shards holds for the next request but under the limit of 20, which it read before, none is charged to a counter that lent',
    ],
    [
      'a charge of a shard stays in what is left of it',
      "' AND #left >= :units'",
      "' AND (#left >= :units OR #left < :units)'",
      'a quota in shards of 7 gives exactly its units to requests that come at once',
    ],
    [
      'a charge of a shard is of the layout that was read',
      '`#generation = :generation${isEnough}`',
      '`(#generation = :generation OR attribute_exists(#generation))${isEnough}`',
      'a change of a quota in shards holds for the next request also for one that read before it that there is no limit, and charges a shard after it',
    ],
    [
      'shards are laid out as long as each is as it was read',
      "'#left = :left AND #generation = :generation'",
      "'(#left = :left OR attribute_exists(#left)) AND #generation = :generation'",
      'a quota in shards is laid out anew only as each shard was read: a charge that comes in between is not lost',
    ],
    [
      'a counter is laid out as long as it is as it was read',
      '`${sameUnits} AND ${sameLayout}`',
      '`(${sameUnits} OR attribute_exists(#units)) AND (${sameLayout} OR attribute_exists(#generation))`',
      'a change of a quota in shards holds for the next request but a request that lays out shards does not lose what the counter was charged since it read it',
    ],
  ]),
  ...among('functions/core/quota-shards.ts', SHARDS, [
    [
      'every unit that is lent is in a shard',
      'Number(index < lent % shards)',
      '0',
      'a quota in shards of 2 gives exactly its units, and each answer tells what is left',
    ],
    [
      'units in pieces can be used',
      "return shard ? { on: 'shard', shard } :",
      "return shard ? { on: 'shard', shard } : isWanted ? { on: 'nothing' } :",
      'a quota in shards leaves no unit in pieces: what no single shard has enough of is put together',
    ],
  ]),
  ...among('functions/ledger/quota-charge.ts', SHARDS, [
    [
      'a counter that has lent its units refuses nobody',
      'if (!isSharded(1, layout)) {',
      'if (!isSharded(1, layout) || used > 0) {',
      'a change of a quota in shards holds for the next request but a request that read before it that there are no shards finds the units where they are then',
    ],
  ]),
  ...among('functions/usage/repair.ts', SHARDS, [
    [
      'what is lent goes by the repaired counter',
      'const NO_LIMIT = -1;',
      'const NO_LIMIT = 10;',
      'who reads a counter in shards repairs it, and what is lent of it goes by the counter that is right',
    ],
  ]),
  ...among('functions/ledger/settlement.ts', LOST_ANSWERS, [
    [
      'a repeated settlement has the same token',
      'await client.send(command, { abortSignal: retry.deadline });',
      `command.middlewareStack.add(
        (next) => (args) => {
          const request = args.request as { body: Uint8Array };
          const text = new TextDecoder().decode(request.body);
          request.body = new TextEncoder().encode(text.replace(/(?<="ClientRequestToken":")[^"]+/, () => newToken()));
          return next(args);
        },
        { step: 'finalizeRequest', priority: 'low' },
      );
      await client.send(command, { abortSignal: retry.deadline });`,
      'a settlement whose answer is lost is repeated as the identical request under the same token, and charged once',
    ],
    [
      'an event is appended once',
      'Item: { ...key, ...event, ttl }, ConditionExpression: ABSENT',
      'Item: { ...key, ...event, ttl }',
      'a settlement that was applied, but said to be in conflict, is charged once: its own event is there',
    ],
    [
      'an own event that is there settles',
      "if (event?.Code === failed) return { outcome: 'settled' };",
      '',
      'a settlement that was applied, but said to be in conflict, is charged once: its own event is there',
    ],
  ]),
  ...among('functions/ledger/settlement.ts', IDEMPOTENCY, [
    [
      'a duplicate’s record is not overwritten',
      '`${ABSENT} OR #ttl <= :now`',
      '`${ABSENT} OR #ttl <= :now OR #ttl > :now`',
      TWINS,
    ],
    [
      'charge, event and record are one transaction',
      'await client.send(command, { abortSignal: retry.deadline });',
      'for (const item of TransactItems) await client.send(new TransactWriteCommand({ TransactItems: [item] }));',
      TWINS,
    ],
    [
      'an expired record gives way',
      '`${ABSENT} OR #ttl <= :now`',
      '`${ABSENT} OR (#ttl <= :now AND #ttl > :now)`',
      KEPT_A_DAY,
    ],
  ]),
  ...among('functions/ledger/snapshot.ts', IDEMPOTENCY, [
    ['an expired record is not served', 'nowMs < item.ttl * MS_PER_SECOND', 'true', KEPT_A_DAY],
  ]),
  ...among('functions/ledger/snapshot.ts', IDEMPOTENCY, [
    [
      'what a batch gave in its first part is kept',
      'found.push(...(items ?? []));',
      'if (pending.length === 0) found.push(...(items ?? []));',
      'an identical request under the same Idempotency-Key is replayed, and the quota told, from what a batch gave in two parts',
    ],
  ]),
  ...among('functions/middleware/usage.ts', PING, [
    [
      'a charge and its event are of one period',
      'periodAt(receivedAtMs, quotaPeriod)',
      'periodAt(clock.now(), quotaPeriod)',
      ONE_TIME,
    ],
  ]),
  ...among('functions/core/bearer.ts', 'test/handlers/secrets.test.ts', [
    [
      'a forged key touches no database',
      'hasKeyTag(token, secrets) ? key',
      '(hasKeyTag(token, secrets) || key) ? key',
      'a forged key, its checksum right and another project named in it, costs no call and is answered as an unknown one',
    ],
  ]),
  ...among('functions/core/usage-event.ts', PING, [
    ['an event is of the time of its request', 'isoTime(receivedAtMs)', 'isoTime(decidedAtMs)', ONE_TIME],
    ['a request tells how long it took', 'Math.max(0, decidedAtMs - receivedAtMs)', '0', ONE_TIME],
  ]),
  ...among('functions/ledger/snapshot.ts', STORE_ANSWERS, [
    [
      'what decides is read consistently',
      'ConsistentRead: true',
      'ConsistentRead: false',
      'keys that a batch read leaves unprocessed are asked for once more',
    ],
    [
      'an unprocessed key is no absent item',
      "throw new StoreUnavailableError('the store left keys of a batch unprocessed');",
      'return found;',
      'keys that a batch read leaves unprocessed twice are a failure, never an absent item',
    ],
    [
      'an absent project is not active',
      "project?.status === 'active'",
      "project?.status !== 'suspended'",
      'a project that is not there is not served: an absent item must not fail open',
    ],
  ]),
  ...among('functions/ledger/settlement.ts', STORE_ANSWERS, [
    [
      'a new settlement has a new token',
      ', ClientRequestToken: newToken()',
      '',
      'a settlement in conflict is tried again under a new token with the same content, and each delay is jittered up to its bound',
    ],
    [
      'a duplicate’s conflict is no refusal',
      "if (replay !== undefined && replay.Code !== 'None') return undefined;",
      '',
      'the reasons of a cancelled settlement the quota is used up while a duplicate still holds the record: not a refusal, but another try',
    ],
  ]),
  ...among('functions/core/fingerprint.ts', 'test/core/fingerprint.test.ts', [
    [
      'test never answers live',
      'digest(operation.requires.mode, operation.method,',
      'digest(operation.method,',
      'a replay key differs by mode, so that test never answers live',
    ],
  ]),
  ...among('functions/core/fingerprint.ts', IDEMPOTENCY, [
    [
      'another body is a conflict',
      'digest(operation.method, operation.path, canonicalBody)',
      'digest(operation.method, operation.path)',
      'a different request under the same Idempotency-Key is a conflict, charges nothing and leaves the record as it was',
    ],
  ]),
  ...among('functions/store/table-items.ts', IDEMPOTENCY, [
    [
      'one project never answers another',
      '`PROJECT#${projectId}`, sk: `REPLAY#${replayId}`',
      '`PROJECT#`, sk: `REPLAY#${replayId}`',
      'an identical request under the same Idempotency-Key is replayed to another key of the project, and never to another project',
    ],
  ]),
  ...among('functions/middleware/metering.ts', RATE_LIMIT, [
    [
      'a refusal leaves its event',
      'if (state.admitted) await store.appendEvent(event, state.deadline);',
      'if (state.admitted) void event;',
      'the rate limit refuses the 61st request of a minute, records it with 0 units and says when to come back',
    ],
  ]),
  ...among('functions/middleware/metering.ts', STORE_ANSWERS, [
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
  ...among('functions/middleware/idempotency.ts', STORE_ANSWERS, [
    [
      'a replay that is not settled is a 503',
      'await store.appendEvent(decidedEvent(usage, { ...state, caller }, outcome), state.deadline);',
      'await store.appendEvent(decidedEvent(usage, { ...state, caller }, outcome), state.deadline).catch(() => undefined);',
      'a store that fails to write the event of a replay: 503, since the replay is not in the ledger',
    ],
    [
      'a duplicate that spent the last unit is looked for',
      'if (record === undefined && lacksUnits(',
      'if (false && lacksUnits(',
      'a read that shows the quota used up and no record: the record is read once more, for the duplicate that may have spent the last unit',
    ],
  ]),
  ...among('functions/ledger/quota-writes.ts', OPERATIONS, [
    [
      'a charge of several units stays under the limit',
      "':ceiling': quotaLimit - event.units",
      "':ceiling': quotaLimit - 1",
      'a project with fewer units left than an operation costs is told what is left when another request took the units first',
    ],
  ]),
  ...among('functions/ledger/quota-charge.ts', OPERATIONS, [
    [
      'what is left is told as it is',
      'unitsUsed: used, quotaLimit',
      'unitsUsed: 0, quotaLimit',
      'a project with fewer units left than an operation costs is told what is left when another request took the units first',
    ],
  ]),
  ...among('functions/ledger/settlement.ts', IDEMPOTENCY, [
    [
      'a replay record is kept for 24 hours at least',
      'Math.ceil(receivedAtMs / MS_PER_SECOND) + REPLAY_RETENTION_SECONDS',
      'Math.floor(receivedAtMs / MS_PER_SECOND) + REPLAY_RETENTION_SECONDS',
      'an identical request under the same Idempotency-Key is kept for no less than 24 hours when it came in within a second',
    ],
  ]),
  ...among('functions/core/quota.ts', OPERATIONS, [
    [
      'an operation is refused that costs more than is left',
      'used + units > limit',
      'used + 1 > limit',
      'a project with fewer units left than an operation costs makes no counter when its whole limit is less than the cost',
    ],
  ]),
  ...among('functions/middleware/router.ts', 'test/middleware/functions-and-routes.test.ts', [
    [
      'each function serves its own routes only',
      '|| all.has(routeKey)',
      '',
      'each function serves its own routes and not those of the other: GET /api/v1/health',
    ],
  ]),
  ...among('functions/metered/chain.ts', IDEMPOTENCY, [
    [
      'a replay ranks before the quota',
      `.use(idempotency(dependencies))
    .use(metering(dependencies))`,
      `.use(metering(dependencies))
    .use(idempotency(dependencies))`,
      'an identical request under the same Idempotency-Key is replayed when the quota is used up, without a look at the record for a second time',
    ],
  ]),
  ...among('functions/middleware/auth.ts', 'test/handlers/ping.test.ts', [
    [
      'a ping takes two sequential round trips',
      'store.admit(key.hash,',
      'await store.admit(key.hash,',
      'an authenticated request takes two sequential round trips for a first ping, in its first minute and in a later one',
    ],
  ]),
  ...among('functions/usage/difference.ts', UNDER_LOAD, [
    [
      'what may be a difference is not called none',
      'atLeast === 0 && atMost === 0',
      'atLeast <= 0 && atMost >= 0',
      'while requests are charged a charge of each look hides a removed event: the ledger is not said to be consistent, but undecided',
    ],
    [
      'looks are put together',
      'const atLeast =',
      'looks = looks.slice(-1); const atLeast =',
      'while requests are charged sound books are consistent though each look meets charges at one of its ends',
    ],
    [
      'one look alone does not find events missing',
      'const LOOKS_THAT_AGREE = 3;',
      'const LOOKS_THAT_AGREE = 1;',
      'while requests are charged a charge whose counter is seen before its event is no inconsistency',
    ],
  ]),
  ...among('functions/usage/looks.ts', UNDER_LOAD, [
    [
      'looks count from both ends',
      'looks++ % 2 === 0',
      'looks++ >= 0',
      'while requests are charged of books of many pages one look counts from the newest event on: what is charged meanwhile is not in it',
    ],
    [
      'the counter is read last when it is free',
      'after: await readFreeCounter(reader, what)',
      'after: await readCounter(reader, what)',
      'while requests are charged a charge whose event is seen before its counter is no inconsistency: a counter that is held is read again',
    ],
  ]),
  ...among('functions/usage/looks.ts', TAMPERING, [
    [
      'units are added up by their stored period',
      'item.period === what.period.id && ',
      '',
      'the ledger is not consistent with an event of the period 2030-02',
    ],
    [
      'units that are no number are not added up',
      'Number.isSafeInteger(item.units)',
      'item.units !== undefined',
      'the ledger is not consistent with units that are text: they are not added up',
    ],
  ]),
  ...among('functions/usage/irregular-events.ts', TAMPERING, [
    [
      'an event has the units of its outcome',
      'isCount(units) : units === right',
      'isCount(units) : units === right || Number.isInteger(units)',
      'the ledger is not consistent with a pair of events that cancel each other out',
    ],
    [
      'an event stands in its own place',
      'sk === eventKey(event).sk ||',
      "sk.endsWith('') ||",
      'the ledger is not consistent with an event whose key names another time or another request',
    ],
  ]),
  ...among('functions/usage/ledger-audit.ts', TAMPERING, [
    [
      'a request is charged by one event',
      'requests.candidates.size > 0',
      'false',
      'the ledger is not consistent with an event written twice in the place of another, which leaves the sum as it was',
    ],
  ]),
  ...among('functions/usage/verification.ts', 'test/usage/verification.test.ts', [
    [
      'one project does not stop the verification of all',
      'error instanceof ControlPlaneError || error instanceof StoreBusyError',
      'error instanceof StoreBusyError',
      'the verification of all ledgers finds wrong books among right ones, tells what cannot be verified, and goes on',
    ],
  ]),
  ...among('functions/accounts/stored-projects.ts', 'test/usage/verification.test.ts', [
    [
      'a project that lost its item is found by its counter',
      ' OR begins_with(#sk, :quota))',
      ' OR #sk = :quota)',
      'the verification of all ledgers finds wrong books among right ones, tells what cannot be verified, and goes on',
    ],
  ]),
  ...among('functions/accounts/callers.ts', 'test/accounts/authority.test.ts', [
    [
      "a member's removal holds also against a change in flight",
      "authority === 'person' ? [] : [membershipCheck(plane, authority)]",
      '[]',
      'to create a project takes a member, also while the change is on its way',
    ],
    [
      'what owners may do takes an owner',
      "' AND #role = :owner'",
      "' AND attribute_exists(#role) AND :owner = :owner'",
      'to close a project takes an owner, also while the change is on its way',
    ],
  ]),
  ...among('functions/accounts/account-counts.ts', 'test/accounts/members.test.ts', [
    [
      'the last active owner stays',
      "return [[name, '>', 1]];",
      "return [[name, '>', 0]];",
      'the last active owner of an account stays when two owners remove at once',
    ],
  ]),
  ...among('functions/accounts/active-keys.ts', 'test/accounts/limits.test.ts', [
    [
      'of many keys at once exactly so many are made as there may be',
      'size(#keys) < :limit',
      'size(#keys) <= :limit',
      'of many at once exactly so many are made as there may be active keys of a project; it counted before: false',
    ],
  ]),
  ...among('functions/accounts/request-rate.ts', 'test/accounts/limits.test.ts', [
    [
      'a person makes no more changes in a minute than they may',
      'OR #count < :limit',
      'OR #count <= :limit',
      'of many at once exactly so many are made as there may be changes of a person in a minute; in the next there are as many again',
    ],
  ]),
  ...among('functions/accounts/invitation-answers.ts', 'test/accounts/invitations.test.ts', [
    [
      'an invitation is for a verified address',
      "'#email = :email AND #emailVerified = :true'",
      "'#email = :email AND (#emailVerified = :true OR attribute_exists(#email))'",
      'an invitation is for a verified address, and for no other',
    ],
  ]),
  ...among('functions/accounts/key-reissue.ts', 'test/accounts/lost-answers.test.ts', [
    [
      'a key that was used is not replaced by a repeat of its creation',
      'seen: { ...seenOf(stored), window: undefined }',
      'seen: seenOf(stored)',
      'of a creation that is repeated a key that is used while the repeat is on its way stays as it is',
    ],
  ]),
  ...among('functions/accounts/account-closing.ts', 'test/accounts/closing.test.ts', [
    [
      'a closed account has none who joined meanwhile',
      'members: members.length, activeMembers }',
      'members: members.length }',
      'a closed account has no project that was created, no member who joined and no invitation that was made meanwhile',
    ],
  ]),
];

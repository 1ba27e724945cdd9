import { among, type Invariant } from './invariant.ts';

const QUOTA = 'test/handlers/quota.test.ts';
const SHARDS = 'test/handlers/shards.test.ts';
const IDEMPOTENCY = 'test/handlers/idempotency.test.ts';
const OPERATIONS = 'test/handlers/operations.test.ts';
const LOST_ANSWERS = 'test/handlers/lost-answers.test.ts';
const STORE_ANSWERS = 'test/middleware/store-answers.test.ts';
const KEY_CAPS = 'test/handlers/key-caps.test.ts';
const LOST = 'a request that loses the last units of a cap to another';
const GRACE = 'both keys of a grace';
const AT_ONCE = 'the quota gives exactly its units to requests that come at once';
const KEPT_A_DAY =
  'an identical request under the same Idempotency-Key is kept for 24 hours, to the second, and executed again from then on';
const TWINS = '200 identical requests at once are one execution and 199 replays, with a quota of 10000';

/** Charge, event and replay record are one transaction, and a quota is exact, as is the cap of a key. */
export const LEDGER: readonly Invariant[] = [
  ...among(KEY_CAPS, [
    [
      'a charge stays under the cap',
      'OR #units <= :ceiling',
      'OR #units <= :ceiling OR #units > :ceiling',
      'the cap of a key of 7 gives 40 requests at once exactly 7, with the quota in 2 shards',
      'capUpdate',
    ],
    [
      'the project ranks before the key',
      "return 'project';",
      "return cap && exceedsQuota(cap.limit, cap.units, cost) ? 'key' : 'project';",
      'the cap of a key of 0 refuses from the first request on, and where both are used up the project does',
    ],
    [
      'a cap that alone refuses is read anew',
      'if (isProjects || (ofCap && hasFailed(ofCap))) {',
      'if (isProjects) {',
      `${LOST} is refused by the cap, and told what is used of it, in 1 shards`,
    ],
    [
      'the project’s condition alone says nothing of a cap',
      'quota && !quota.cap) {',
      'quota) {',
      `${LOST} by which the project has too few, too, is told what is left of both`,
    ],
    [
      'an event tells the cap under which it was counted',
      '...(capId !== undefined && { capId }), ttl',
      'ttl',
      'a settlement under a cap has its cap in the event that was charged, and in no other',
    ],
    [
      'a duplicate under another cap leaves this one as it was',
      'if (settlement.record.capId === snapshot.cap?.id) admitted',
      'admitted',
      'of duplicates under one Idempotency-Key one of another key leaves less of the project alone',
    ],
  ]),
  ...among(KEY_CAPS, [
    [
      'a rotation keeps the cap',
      'const limits = { rpm, unitsLimit, capId };',
      'const limits = { rpm, unitsLimit };',
      `${GRACE} spend from one counter under one limit`,
    ],
    [
      'a change of a cap is one of both keys of a grace',
      "('unitsLimit' in after ?",
      '(false ?',
      `${GRACE} get one cap by a change, which the replaced one cannot have of its own`,
    ],
    [
      'the headers show the limit that has less left',
      'units.toSorted((one, other) => one.left - other.left)',
      'units',
      'the headers show the limit that has less left, the cap of the key, until others have spent more of the project',
    ],
  ]),
  ...among('test/portal/key-caps.test.ts', [
    [
      'a cap needs a rate limit that one counter settles',
      'if (unitsLimit === undefined || rpm <= MAX_CAPPED_RPM) return;',
      'return;',
      'a rate limit above 1,800 a minute takes no cap, and a key with one no such limit',
    ],
    [
      'a replaced key in its grace is held to that, too',
      'requireOneCounter(other, cap?.limit);',
      '',
      'a rate limit above 1,800 a minute of a replaced key in its grace takes none either, as both would spend from one counter',
    ],
    [
      'a replaced key has no cap of its own',
      'if (unitsLimit !== key.unitsLimit) requireUnreplaced(key);',
      '',
      'the cap of a key is changed for both keys of a grace at the new one, and the replaced one is refused with 409',
    ],
    [
      'another cap under one Idempotency-Key is another request',
      "['key', projectId], { name, lifetimeMs, unitsLimit }",
      "['key', projectId], { name, lifetimeMs }",
      'the cap of a key comes with a new key, is that of a repeated creation, and another one under its Idempotency-Key is refused',
    ],
  ]),
  ...among(QUOTA, [
    [
      'a charge stays under the limit',
      'OR #units <= :ceiling',
      'OR #units <= :ceiling OR #units > :ceiling',
      'the quota gives exactly its units to requests that come at once',
      'counterUpdate',
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
  ...among(QUOTA, [
    [
      'the reasons are read in the order of the writes',
      '[first, event, ...replay, ...cap, ...others]',
      '[event, first, ...replay, ...cap, ...others]',
      AT_ONCE,
    ],
  ]),
  ...among(SHARDS, [
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
  ...among(SHARDS, [
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
  ...among(SHARDS, [
    [
      'a counter that has lent its units refuses nobody',
      'if (!isSharded(1, counter.layout)) return',
      'if (!isSharded(1, counter.layout) || counter.units > 0) return',
      'a change of a quota in shards holds for the next request but a request that read before it that there are no shards finds the units where they are then',
    ],
  ]),
  ...among(SHARDS, [
    [
      'what is lent goes by the repaired counter',
      'const NO_LIMIT = -1;',
      'const NO_LIMIT = 10;',
      'who reads a counter in shards repairs it, and what is lent of it goes by the counter that is right',
    ],
  ]),
  ...among(LOST_ANSWERS, [
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
      '{ TableName: tables.usage, Item, ConditionExpression: ABSENT }',
      '{ TableName: tables.usage, Item }',
      'a settlement that was applied, but said to be in conflict, is charged once: its own event is there',
    ],
    [
      'an own event that is there settles',
      "if (event?.Code === failed) return { outcome: 'settled' };",
      '',
      'a settlement that was applied, but said to be in conflict, is charged once: its own event is there',
    ],
  ]),
  ...among(IDEMPOTENCY, [
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
  ...among(STORE_ANSWERS, [
    [
      'who meets others at a cap waits',
      'first?.Code === CONFLICT && ofCap?.Code !== CONFLICT',
      'first?.Code === CONFLICT',
      'a settlement of a quota in shards that meets others at the cap of its key waits: another shard would not help',
    ],
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
  ...among(OPERATIONS, [
    [
      'a charge of several units stays under the limit',
      "':ceiling': quotaLimit - event.units",
      "':ceiling': quotaLimit - 1",
      'a project with fewer units left than an operation costs learns what is left when another request took the units first',
    ],
  ]),
  ...among(OPERATIONS, [
    [
      'what is left is told as it is',
      'quota: { ...quota, counter }',
      'quota',
      'a project with fewer units left than an operation costs learns what is left when another request took the units first',
    ],
  ]),
  ...among(IDEMPOTENCY, [
    [
      'a replay record is kept for 24 hours at least',
      'Math.ceil(receivedAtMs / MS_PER_SECOND) + REPLAY_RETENTION_SECONDS',
      'Math.floor(receivedAtMs / MS_PER_SECOND) + REPLAY_RETENTION_SECONDS',
      'an identical request under the same Idempotency-Key is kept for no less than 24 hours when it came in within a second',
    ],
  ]),
  ...among(OPERATIONS, [
    [
      'an operation is refused that costs more than is left',
      'used + units > limit',
      'used + 1 > limit',
      'a project with fewer units left than an operation costs makes no counter when its whole limit is less than the cost',
    ],
  ]),
];

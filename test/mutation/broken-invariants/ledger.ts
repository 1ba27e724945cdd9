import type { BrokenBy } from './invariant.ts';

const LOST = 'a request that loses the last units of a cap to another';
const GRACE = 'both keys of a grace';

/** Charge, event and replay record are one transaction, and a quota is exact, as is the cap of a key. */
export const LEDGER: BrokenBy = {
  'test/handlers/key-caps.test.ts': {
    'the cap of a key of 7 gives 40 requests at once exactly 7, with the quota in 2 shards': [
      ['OR #units <= :ceiling', '… OR #units > :ceiling', 'capUpdate'],
    ],
    'the cap of a key of 0 refuses from the first request on, and where both are used up the project does': [
      ["return 'project';", "return cap && exceedsQuota(cap.limit, cap.units, cost) ? 'key' : 'project';"],
    ],
    [`${LOST} is refused by the cap, with the cap’s headers, in 1 shards`]: [
      ['if (projectFailed || (ofCap && hasFailed(ofCap))) {', 'if (projectFailed) {'],
    ],
    'the headers show the limit that has less left, or that refused, where both have nothing left': [
      ['units.find(({ name }) => name === refusedBy) ?? least', 'least'],
    ],
    'a settlement under a cap has its cap in the event that was charged, and in no other': [
      ['...(capId !== undefined && { capId }), ttl', 'ttl'],
    ],
    'of duplicates under one Idempotency-Key one of another key leaves less of the project alone': [
      ['if (settlement.record.capId === snapshot.cap?.id) admitted', 'admitted'],
    ],
    [`${GRACE} spend from one counter under one limit`]: [
      ['const limits = { rpm, unitsLimit, capId };', 'const limits = { rpm, unitsLimit };'],
    ],
    [`${GRACE} get one cap by a change, which the replaced one cannot have of its own`]: [
      ["('unitsLimit' in after ?", '(false ?'],
    ],
    'the headers show the limit that has less left, the cap of the key, until others have spent more of the project': [
      ['units.toSorted((one, other) => one.left - other.left)', 'units'],
    ],
  },
  'test/portal/key-caps.test.ts': {
    'a rate limit above 1,800 a minute takes no cap, and a key with one no such limit': [
      ['if (unitsLimit === undefined || rpm <= MAX_CAPPED_RPM) return;', 'return;'],
    ],
    'a rate limit above 1,800 a minute of a replaced key in its grace takes none either, as both would spend from one counter':
      [['requireOneCounter(other, cap?.limit);', '']],
    'the cap of a key is changed for both keys of a grace at the new one, and the replaced one is refused with 409': [
      ['if (unitsLimit !== key.unitsLimit) requireUnreplaced(key);', ''],
    ],
    'the cap of a key comes with a new key, is that of a repeated creation, and another one under its Idempotency-Key is refused':
      [["['key', projectId], { name, lifetimeMs, unitsLimit }", "['key', projectId], { name, lifetimeMs }"]],
  },
  'test/handlers/quota.test.ts': {
    'the quota gives exactly its units to requests that come at once': [
      ['OR #units <= :ceiling', '… OR #units > :ceiling', 'counterUpdate'],
      ['[first, event, ...replay, ...cap, ...others]', '[event, first, ...replay, ...cap, ...others]'],
    ],
    'the quota starts again with the next month, and the old month stays consistent': [
      [
        `Key: itemKey.quota(event.projectId, period.id),
      UpdateExpression: 'SET #units = if_not_exists`,
        `Key: itemKey.quota(event.projectId, 'all'),
      UpdateExpression: 'SET #units = if_not_exists`,
      ],
    ],
  },
  'test/handlers/shards.test.ts': {
    'a change of a quota in shards holds for the next request but under the limit of 20, which it read before, none is charged to a counter that lent':
      [['OR #shards = :one)', 'OR #shards = :one OR #shards > :one)']],
    'a quota in shards of 7 gives exactly its units to requests that come at once': [
      ["' AND #left >= :units'", "' AND (#left >= :units OR #left < :units)'"],
    ],
    'a change of a quota in shards holds for the next request also for one that read before it that there is no limit, and charges a shard after it':
      [
        [
          '`#generation = :generation${isEnough}`',
          '`(#generation = :generation OR attribute_exists(#generation))${isEnough}`',
        ],
      ],
    'a quota in shards gets a new layout only if each shard is as it was read: a charge in between is not lost': [
      [
        "'#left = :left AND #generation = :generation'",
        "'(#left = :left OR attribute_exists(#left)) AND #generation = :generation'",
      ],
    ],
    'a change of a quota in shards holds for the next request but a request that lays out shards does not lose what the counter was charged since it read it':
      [
        [
          '`${sameUnits} AND ${sameLayout}`',
          '`(${sameUnits} OR attribute_exists(#units)) AND (${sameLayout} OR attribute_exists(#generation))`',
        ],
      ],
    'a quota in shards of 2 gives exactly its units, and each answer tells what is left': [
      ['Number(index < lent % shards)', '0'],
    ],
    'a quota in shards leaves no unit in pieces: what no single shard has enough of is put together': [
      ["return shard ? { on: 'shard', shard } :", "… isWanted ? { on: 'nothing' } :"],
    ],
    'a change of a quota in shards holds for the next request but a request that read before it that there are no shards finds the units where they are then':
      [['if (!isSharded(1, counter.layout)) return', 'if (!isSharded(1, counter.layout) || counter.units > 0) return']],
    'who reads a counter in shards repairs it, and what is lent of it goes by the counter that is right': [
      ['const NO_LIMIT = -1;', 'const NO_LIMIT = 10;'],
    ],
  },
  'test/handlers/lost-answers.test.ts': {
    'a settlement whose answer is lost is repeated as the identical request under the same token, and charged once': [
      [
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
      ],
    ],
    'a settlement that was applied, but said to be in conflict, is charged once: its own event is there': [
      ['{ TableName: tables.usage, Item, ConditionExpression: ABSENT }', '{ TableName: tables.usage, Item }'],
      ["if (ofEvent && hasFailed(ofEvent)) return { outcome: 'settled' };", ''],
    ],
  },
  'test/handlers/idempotency.test.ts': {
    '200 identical requests at once are one execution and 199 replays, with a quota of 10000': [
      ['`${ABSENT} OR #ttl <= :now`', '`${ABSENT} OR #ttl <= :now OR #ttl > :now`'],
      [
        'await client.send(command, { abortSignal: retry.deadline });',
        'for (const item of TransactItems) await client.send(new TransactWriteCommand({ TransactItems: [item] }));',
      ],
    ],
    'an identical request under the same Idempotency-Key is kept for 24 hours, to the second, and executed again from then on':
      [['`${ABSENT} OR #ttl <= :now`', '`${ABSENT} OR (#ttl <= :now AND #ttl > :now)`']],
    'an identical request under the same Idempotency-Key is kept for no less than 24 hours when it came in within a second':
      [
        [
          'Math.ceil(receivedAtMs / MS_PER_SECOND) + REPLAY_RETENTION_SECONDS',
          'Math.floor(receivedAtMs / MS_PER_SECOND) + REPLAY_RETENTION_SECONDS',
        ],
      ],
  },
  'test/middleware/store-answers.test.ts': {
    'a settlement of a quota in shards that meets others at the cap of its key waits: another shard would not help': [
      ['first?.Code === CONFLICT && ofCap?.Code !== CONFLICT', 'first?.Code === CONFLICT'],
    ],
    'a settlement in conflict is tried again under a new token with the same content, and each delay is jittered up to its bound':
      [[', ClientRequestToken: newToken()', '']],
    'the reasons of a cancelled settlement the quota is used up while a duplicate still holds the record: not a refusal, but another try':
      [["if (ofReplay !== undefined && ofReplay.Code !== 'None') return undefined;", '']],
  },
  'test/handlers/operations.test.ts': {
    'a project with fewer units left than an operation costs learns what is left when another request took the units first':
      [
        ["':ceiling': quotaLimit - event.units", "':ceiling': quotaLimit - 1"],
        ['quota: { ...quota, counter }', 'quota'],
      ],
    'a project with fewer units left than an operation costs makes no counter when its whole limit is less than the cost':
      [['used + units > limit', 'used + 1 > limit']],
  },
};

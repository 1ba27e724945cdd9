import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import {
  chargeStep,
  isSharded,
  type ChargeStep,
  type CountedCap,
  type Quota,
  type QuotaCounter,
  type QuotaLayout,
  type QuotaShard,
} from '../../shared/request/quota-shards.ts';
import { hasMonths, monthPart } from '../../shared/request/cap-period.ts';
import type { Charge, Settlement } from '../../shared/request/request-store.ts';
import {
  AT_ONCE,
  CONFLICT,
  hasFailed,
  type CancellationReason,
  type CancellationReasons,
  type ConflictRetry,
} from '../../shared/store/client.ts';
import { counterOf } from '../../shared/store/quota-counter.ts';
import { readReplay } from './snapshot.ts';
import { MS_PER_DAY, MS_PER_SECOND } from '../../shared/time.ts';
import { itemKey, type ItemKey } from '../../shared/store/items.ts';
import { ABSENT, names, type TableNames, type TransactItem } from '../../shared/store/tables.ts';

/** How one settlement charges the quota. Each attempt uses what the attempt before it found. */
export interface QuotaCharge {
  /** The writes of the next attempt, or the result of the settlement if too few units are left. */
  readonly next: () => Promise<QuotaWrites | Settlement>;
  /**
   * What a cancelled attempt means for the quota, if its event and its replay record decide nothing. Undefined: wait,
   * and try again.
   *
   * - A condition of a counter that has lent nothing failed: the project refuses.
   * - Another condition of project or cap failed: read both again, and try at once. That result decides which limit
   *   refuses, since a condition that held proves nothing.
   * - Only a shard had a conflict: try another shard at once, if there is one without.
   *
   * @param ofProject the reasons of the project's own writes, the counter's or the shard's first
   * @param ofCap     the reason of the cap's write; undefined: the key has none
   */
  readonly onCancelled: (
    ofProject: CancellationReasons,
    ofCap: CancellationReason | undefined,
  ) => Settlement | typeof AT_ONCE | undefined;
}

/** Charges by the rule of `shared/request/quota-shards.ts`, beginning with the quota that the request has read. */
export function quotaCharge(
  client: DynamoDBDocumentClient,
  ledger: LedgerSettings,
  charged: Charge,
  readAgain: () => Promise<Quota>,
  retry: ConflictRetry,
): QuotaCharge {
  const { event, replay, receivedAtMs } = charged;
  const { projectId, units } = event;
  /** Undefined: it is stale. */
  let quota: Quota | undefined = charged;
  let step: ChargeStep | undefined;
  /** Shards on which this settlement just had a conflict. */
  const busy = new Set<number>();
  const withCap = ([first, ...others]: QuotaWrites, { cap }: Quota): QuotaWrites => [
    first,
    ...(cap ? [capUpdate(ledger, charged, cap)] : []),
    ...others,
  ];
  const stepFrom = (known: Quota) => chargeStep(known, units, busy, retry.random);

  return {
    next: async () => {
      quota ??= await readAgain();
      step = stepFrom(quota);
      switch (step.on) {
        case 'counter':
          return withCap([counterUpdate(ledger, charged, quota)], quota);
        case 'shard':
          return withCap([shardUpdate(ledger, charged, quota, step.shard)], quota);
        case 'all':
          return withCap(layoutWrites(ledger, charged, quota.counter, step.to), quota);
        case 'nothing': {
          // A duplicate may have spent the last units since our last attempt, which saw no replay record of it.
          const record =
            replay && (await readReplay(client, ledger.tables.gateway, projectId, replay.id, receivedAtMs, retry));
          if (record) return { outcome: 'duplicate', record };
          return { outcome: 'exhausted', by: step.by, quota };
        }
      }
    },
    onCancelled: (ofProject, ofCap) => {
      const [first] = ofProject;
      const projectFailed = ofProject.some(hasFailed);
      if (step?.on === 'counter' && projectFailed && quota) {
        const counter = counterOf(first?.Item && unmarshall(first.Item));
        if (!isSharded(1, counter.layout)) return { outcome: 'exhausted', by: 'project', quota: { ...quota, counter } };
      }
      // A limit may be used up, or the quota may have a new layout.
      if (projectFailed || (ofCap && hasFailed(ofCap))) {
        quota = undefined;
        return AT_ONCE;
      }
      // With another shard it would still wait for the same cap.
      if (step?.on === 'shard' && first?.Code === CONFLICT && ofCap?.Code !== CONFLICT && quota) {
        busy.add(step.shard.index);
        const other = stepFrom(quota);
        if (other.on === 'shard' && !busy.has(other.shard.index)) return AT_ONCE;
        busy.clear();
      }
      if (step?.on === 'all') quota = undefined;
      return undefined;
    },
  };
}

/** The tables of the ledger, and how long charged events and their counters are kept. */
export interface LedgerSettings {
  readonly tables: TableNames;
  readonly usageRetentionDays: number;
}

/** The writes of an attempt: the counter or a shard, the key's cap if it has one, and further shards. */
type QuotaWrites = readonly [TransactItem, ...TransactItem[]];

export const SECONDS_PER_DAY = MS_PER_DAY / MS_PER_SECOND;
const ttlOf = ({ usageRetentionDays }: LedgerSettings, endsAtEpochSeconds: number): number =>
  endsAtEpochSeconds + usageRetentionDays * SECONDS_PER_DAY;

/**
 * Charges the counter itself, if nothing of it is lent. Without that condition, a request that read an older limit
 * would charge units that are lent under the new one.
 */
const counterUpdate = (ledger: LedgerSettings, charged: Charge, { quotaLimit }: Quota): TransactItem =>
  addition(ledger, charged.event, {
    Key: itemKey.quota(charged.event.projectId, charged.period.id),
    limit: quotaLimit,
    endsAt: charged.period.endsAtEpochSeconds,
    condition: 'attribute_not_exists(#shards) OR #shards = :one',
    aliases: names('shards'),
    values: { ':one': 1 },
  });

/**
 * Charges a key's cap, under the limit of this request's admission or, of a budget, under that which was read with its
 * counter. The counter of a cap that never begins again is kept. So its oldest month, whose events are gone, is added to
 * what was `before`: of two requests that both saw it, the second finds nothing of it.
 */
function capUpdate(ledger: LedgerSettings, { event, receivedAtMs }: Charge, cap: CountedCap): TransactItem {
  const { id, span, limit, sharedLimit, oldestPart } = cap;
  const endsAt = span.endsAtEpochSeconds;
  const isOnce = endsAt === undefined;
  const firstKept = monthPart(receivedAtMs - ledger.usageRetentionDays * MS_PER_DAY);
  const isFolded = isOnce && oldestPart !== undefined && oldestPart < firstKept;
  return addition(ledger, event, {
    Key: itemKey.capUnits(event.projectId, span.id, id),
    limit,
    endsAt,
    update:
      (isFolded ? ', #before = if_not_exists(#before, :zero) + if_not_exists(#oldest, :zero) REMOVE #oldest' : '') +
      (hasMonths(id) ? ' ADD #month :units' : ''),
    // Only a cap that counts once can be shared.
    condition: isOnce ? (sharedLimit === undefined ? 'attribute_not_exists(#limit)' : '#limit = :limit') : undefined,
    aliases: {
      ...(hasMonths(id) && { '#month': monthPart(receivedAtMs) }),
      ...(isFolded && { '#before': 'before', '#oldest': oldestPart }),
      ...(isOnce && names('limit')),
    },
    values: sharedLimit === undefined ? {} : { ':limit': sharedLimit },
  });
}

/** A charge of a counter. */
interface Addition {
  readonly Key: ItemKey;
  /** Undefined: none is enforced. */
  readonly limit: number | undefined;
  /** The end of its period, in epoch seconds; undefined: it is kept for ever. */
  readonly endsAt: number | undefined;
  /** What else is set, removed and added. */
  readonly update?: string;
  readonly condition: string | undefined;
  readonly aliases: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, unknown>>;
}

/** Adds a charge to a counter, if that leaves room for it under the limit, and its own condition holds. */
function addition(
  ledger: LedgerSettings,
  { units }: Charge['event'],
  { Key, limit, endsAt, update = '', condition, aliases, values }: Addition,
): TransactItem {
  const conditions = [...(limit === undefined ? [] : [leavesRoom(limit - units)]), ...(condition ? [condition] : [])];
  const isEnding = endsAt !== undefined;
  return {
    Update: {
      TableName: ledger.tables.gateway,
      Key,
      UpdateExpression: `SET #units = if_not_exists(#units, :zero) + :units${isEnding ? ', #ttl = :ttl' : ''}${update}`,
      ConditionExpression: conditions.map((each) => `(${each})`).join(' AND '),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      ExpressionAttributeNames: { ...names('units'), ...(isEnding && names('ttl')), ...aliases },
      ExpressionAttributeValues: {
        ':zero': 0,
        ':units': units,
        ...(isEnding && { ':ttl': ttlOf(ledger, endsAt) }),
        ...(limit !== undefined && { ':ceiling': limit - units }),
        ...values,
      },
    },
  };
}

/**
 * The condition that a counter leaves room for a charge. The first charge of a period finds no counter; it passes only
 * a limit of its own cost.
 *
 * @param ceiling the most units that may be counted before it; below 0: it costs more than the limit
 */
const leavesRoom = (ceiling: number): string =>
  ceiling < 0 ? '#units <= :ceiling' : 'attribute_not_exists(#units) OR #units <= :ceiling';

/** Charges one shard, if it still belongs to the layout that was read. */
function shardUpdate(
  { tables }: LedgerSettings,
  { event, period }: Charge,
  { quotaLimit }: Quota,
  { index, generation }: QuotaShard,
): TransactItem {
  const isEnough = quotaLimit === undefined ? '' : ' AND #left >= :units';
  return {
    Update: {
      TableName: tables.gateway,
      Key: itemKey.quotaShard(event.projectId, period.id, index),
      UpdateExpression: 'SET #left = #left - :units',
      ConditionExpression: `#generation = :generation${isEnough}`,
      ExpressionAttributeNames: names('left', 'generation'),
      ExpressionAttributeValues: { ':units': event.units, ':generation': generation },
    },
  };
}

/** Writes a new layout to the counter and all its shards, if each is as it was read. */
function layoutWrites(
  ledger: LedgerSettings,
  charged: Charge,
  was: QuotaCounter,
  to: QuotaCounter & { readonly layout: QuotaLayout },
): QuotaWrites {
  const { event, period } = charged;
  const TableName = ledger.tables.gateway;
  const ttl = ttlOf(ledger, period.endsAtEpochSeconds);
  const sameUnits = was.units === 0 ? '(attribute_not_exists(#units) OR #units = :was)' : '#units = :was';
  const sameLayout = was.layout ? '#generation = :generationWas' : 'attribute_not_exists(#generation)';
  const { limit } = to.layout;
  const counter: TransactItem = {
    Update: {
      TableName,
      Key: itemKey.quota(event.projectId, period.id),
      UpdateExpression: `SET #units = :units, #ttl = :ttl, #generation = :generation, #shards = :shards${
        limit === undefined ? ' REMOVE #limit' : ', #limit = :limit'
      }`,
      ConditionExpression: `${sameUnits} AND ${sameLayout}`,
      ExpressionAttributeNames: names('units', 'ttl', 'generation', 'shards', 'limit'),
      ExpressionAttributeValues: {
        ':units': to.units,
        ':was': was.units,
        ':ttl': ttl,
        ':shards': to.layout.shards,
        ':generation': to.layout.generation,
        ...(limit !== undefined && { ':limit': limit }),
        ...(was.layout && { ':generationWas': was.layout.generation }),
      },
    },
  };
  const shards = to.shards.map(({ index, left, generation }): TransactItem => {
    const seen = was.shards.find((shard) => shard.index === index);
    return {
      Put: {
        TableName,
        Item: { ...itemKey.quotaShard(event.projectId, period.id, index), left, generation, ttl },
        ...(seen
          ? {
              ConditionExpression: '#left = :left AND #generation = :generation',
              ExpressionAttributeNames: names('left', 'generation'),
              ExpressionAttributeValues: { ':left': seen.left, ':generation': seen.generation },
            }
          : { ConditionExpression: ABSENT }),
      },
    };
  });
  return [counter, ...shards];
}

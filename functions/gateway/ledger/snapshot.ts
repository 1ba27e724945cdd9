import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { MS_PER_SECOND } from '../../shared/time.ts';
import { fulfilled } from '../../shared/fulfilled.ts';
import { capSpanOf, isMonthPart } from '../../shared/request/cap-period.ts';
import { isSharded, type CapCounter } from '../../shared/request/quota-shards.ts';
import type { CapQuery, ProjectSnapshot, ReplayRecord, SnapshotQuery } from '../../shared/request/request-store.ts';
import type { ConflictRetry } from '../../shared/store/client.ts';
import { counterOf, readQuotaCounter, type CounterItem } from '../../shared/store/quota-counter.ts';
import { itemKey, type ItemKey } from '../../shared/store/items.ts';
import { readTogether, readTransaction } from '../../shared/store/tables.ts';

/** A replay record as stored. */
export interface ReplayItem extends ReplayRecord {
  /** Not served from this second on. It is also the table's TTL attribute, but TTL deletes days later. */
  readonly ttl: number;
}

/** The most projects, and the most keys, that an instance remembers. */
export const MAX_REMEMBERED = 1_000;

/** The attributes of a project that a request needs. */
interface ProjectItem {
  readonly status?: string;
  readonly quotaLimit?: number;
  readonly shards?: number;
}

/**
 * Reads project, quota counter and, if requested, replay record and cap in one batch. Each is read consistently, but
 * not all at one moment: a record may be there, and the counter be that from before its charge. In parallel it reads
 * the shards of the counter, if the project was `sharded` when it was last read. A wrong guess costs one call.
 */
export async function readSnapshot(
  client: DynamoDBDocumentClient,
  table: string,
  sharded: Set<string>,
  { projectId, period, replayId, capId, nowMs }: SnapshotQuery & { readonly capId?: string | undefined },
  retry: ConflictRetry,
): Promise<ProjectSnapshot> {
  const capQuery = capId !== undefined && { projectId, period, capId, nowMs };
  const keys = {
    project: itemKey.project(projectId),
    quota: itemKey.quota(projectId, period.id),
    ...(replayId !== undefined && { replay: itemKey.replay(projectId, replayId) }),
    ...(capQuery && { cap: keyOf(capQuery) }),
  };
  const readShards = () => readQuotaCounter(client, table, projectId, period.id, retry);
  const [reading, readingShards] = await Promise.allSettled([
    readTogether({ client, tables: { gateway: table }, ...retry }, Object.values(keys)),
    sharded.has(projectId) ? readShards() : undefined,
  ]);
  const items = fulfilled(reading);
  const { project, quota, replay, cap } = Object.fromEntries(
    Object.keys(keys).map((name, index) => [name, items[index]]),
  ) as { project?: ProjectItem; quota?: CounterItem; replay?: ReplayItem; cap?: CounterItem };
  const shards = project?.shards ?? 1;
  let counter = counterOf(quota);
  if (isSharded(shards, counter.layout)) {
    counter = fulfilled(readingShards) ?? (await readShards());
    if (sharded.size >= MAX_REMEMBERED) sharded.clear();
    sharded.add(projectId);
  } else sharded.delete(projectId);
  return {
    active: project?.status === 'active',
    quotaLimit: project?.quotaLimit,
    shards,
    counter,
    capCounter: capQuery ? capCounterOf(capQuery, cap) : undefined,
    replay: unexpired(replay, nowMs),
  };
}

/**
 * Reads the counter of a cap alone, consistently. It is a batch read, because an invalid empty answer to a batch is an
 * error, and not an absent item.
 */
export async function readCapCounter(
  client: DynamoDBDocumentClient,
  table: string,
  query: CapQuery,
  retry: ConflictRetry,
): Promise<CapCounter> {
  const [item] = await readTogether({ client, tables: { gateway: table }, ...retry }, [keyOf(query)]);
  return capCounterOf(query, item as CounterItem | undefined);
}

const keyOf = ({ projectId, capId, ...at }: CapQuery): ItemKey =>
  itemKey.capUnits(projectId, capSpanOf(capId, at).id, capId);

const capCounterOf = ({ capId, ...at }: CapQuery, item: CounterItem = {}): CapCounter => ({
  id: capId,
  span: capSpanOf(capId, at),
  units: item.units ?? 0,
  sharedLimit: item.limit,
  oldestPart: Object.keys(item).filter(isMonthPart).sort()[0],
});

/**
 * Reads one replay record in a transaction. A plain read can miss a record whose transaction is committed but still
 * being applied. This read conflicts with it, and is retried.
 */
export async function readReplay(
  client: DynamoDBDocumentClient,
  table: string,
  projectId: string,
  replayId: string,
  nowMs: number,
  retry: ConflictRetry,
): Promise<ReplayRecord | undefined> {
  const Key = itemKey.replay(projectId, replayId);
  const [item] = await readTransaction(client, [{ TableName: table, Key }], retry);
  return unexpired(item as ReplayItem | undefined, nowMs);
}

/** The record, if it may still be served; else undefined. */
export const unexpired = (item: ReplayItem | undefined, nowMs: number): ReplayRecord | undefined =>
  item !== undefined && nowMs < item.ttl * MS_PER_SECOND ? item : undefined;

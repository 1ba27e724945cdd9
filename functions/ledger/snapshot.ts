import { BatchGetCommand, TransactGetCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { MS_PER_SECOND } from '../core/clock.ts';
import { StoreUnavailableError } from '../core/errors.ts';
import type { ProjectSnapshot, ReplayRecord, SnapshotQuery } from '../core/request-store.ts';
import { retryConflicts, type ConflictRetry } from '../store/conflicts.ts';
import { available } from '../store/client.ts';
import { itemKey, type ItemKey } from '../store/table-items.ts';

/** A replay record as stored. */
export interface ReplayItem extends ReplayRecord {
  /** Not served from this second on. Also the table's TTL attribute, but TTL deletes days late. */
  readonly ttl: number;
}

type StoredItem = ItemKey & Readonly<Record<string, unknown>>;

/** Reads project, quota counter and, when asked for, replay record in one consistent batch. */
export async function readSnapshot(
  client: DynamoDBDocumentClient,
  table: string,
  { projectId, period, replayId, nowMs }: SnapshotQuery,
  deadline: AbortSignal,
): Promise<ProjectSnapshot> {
  const keys = {
    project: itemKey.project(projectId),
    quota: itemKey.quota(projectId, period.id),
    ...(replayId !== undefined && { replay: itemKey.replay(projectId, replayId) }),
  };
  const items = await batchGet(client, table, Object.values(keys), deadline);
  const find = (key: ItemKey | undefined) => items.find(({ sk }) => sk === key?.sk);
  const project = find(keys.project) as { status?: string; quotaLimit?: number } | undefined;
  const quota = find(keys.quota) as { units?: number } | undefined;
  return {
    active: project?.status === 'active',
    quotaLimit: project?.quotaLimit,
    quotaUsed: quota?.units ?? 0,
    replay: unexpired(find(keys.replay) as ReplayItem | undefined, nowMs),
  };
}

/**
 * Reads one replay record in a transaction: a plain read can miss a record whose transaction is committed but still
 * being applied, this one conflicts and is repeated.
 */
export async function readReplay(
  client: DynamoDBDocumentClient,
  table: string,
  projectId: string,
  replayId: string,
  nowMs: number,
  retry: ConflictRetry,
): Promise<ReplayRecord | undefined> {
  const command = new TransactGetCommand({
    TransactItems: [{ Get: { TableName: table, Key: itemKey.replay(projectId, replayId) } }],
  });
  const { Responses } = await retryConflicts(() => client.send(command, { abortSignal: retry.deadline }), retry);
  if (!Responses?.[0]) throw new StoreUnavailableError('a transaction came back without its item');
  return unexpired(Responses[0].Item as ReplayItem | undefined, nowMs);
}

/** A record that may still be served, or undefined. */
export const unexpired = (item: ReplayItem | undefined, nowMs: number): ReplayRecord | undefined =>
  item !== undefined && nowMs < item.ttl * MS_PER_SECOND
    ? { fingerprint: item.fingerprint, status: item.status, body: item.body }
    : undefined;

async function batchGet(
  client: DynamoDBDocumentClient,
  table: string,
  keys: readonly ItemKey[],
  abortSignal: AbortSignal,
): Promise<StoredItem[]> {
  const found: StoredItem[] = [];
  let pending: readonly ItemKey[] = keys;
  // A key that DynamoDB did not process is not an absent item: taking it for one would fail open.
  for (let attempt = 1; attempt <= 2; attempt++) {
    const command = new BatchGetCommand({ RequestItems: { [table]: { Keys: [...pending], ConsistentRead: true } } });
    const { Responses, UnprocessedKeys } = await available(client.send(command, { abortSignal }));
    pending = (UnprocessedKeys?.[table]?.Keys ?? []) as ItemKey[];
    const items = Responses?.[table] as StoredItem[] | undefined;
    if (!items && pending.length === 0) throw new StoreUnavailableError('a batch came back without its items');
    found.push(...(items ?? []));
    if (pending.length === 0) return found;
  }
  throw new StoreUnavailableError('the store left keys of a batch unprocessed');
}

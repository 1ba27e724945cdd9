import { BatchWriteCommand, paginateQuery, paginateScan } from '@aws-sdk/lib-dynamodb';
import type { AccountStore } from '../../accounts/store/account-store.ts';
import { requireProject } from '../../accounts/projects/stored-projects.ts';
import { StoreUnavailableError } from '../../shared/http/errors.ts';
import { available, availablePages, jitteredDelayMs, MAX_ATTEMPTS, NO_DEADLINE } from '../../shared/store/client.ts';
import type { ItemKey } from '../../shared/store/items.ts';
import { names } from '../../shared/store/tables.ts';
import { rollupPartition } from './rollup-items.ts';

/** The most deletes of one `BatchWriteItem` (AWS, "BatchWriteItem"). */
const BATCH_SIZE = 25;

/**
 * Removes all stored sums of usage of one project, or of every project; the latter reads the whole Gateway table. They
 * are made again from the events when somebody looks. Returns the number of items. It may be repeated, and run while
 * people look. Throws `RefusedError` for an unknown project.
 */
export async function removeRollups(store: AccountStore, projectId?: string): Promise<number> {
  if (projectId !== undefined) await requireProject(store, projectId);
  const { client, tables } = store;
  const wanted = {
    TableName: tables.gateway,
    ProjectionExpression: '#pk, #sk',
    ExpressionAttributeNames: names('pk', 'sk'),
    ExpressionAttributeValues: { ':pk': rollupPartition(projectId ?? '') },
    ConsistentRead: true,
  };
  const pages =
    projectId === undefined
      ? paginateScan({ client }, { ...wanted, FilterExpression: 'begins_with(#pk, :pk)' })
      : paginateQuery({ client }, { ...wanted, KeyConditionExpression: '#pk = :pk' });
  let removed = 0;
  let ofProject: ItemKey[] = [];
  // The longest sums last: while they are there, nobody makes them again of shorter ones.
  const removeProject = async (): Promise<void> => {
    const keys = ofProject.toReversed();
    for (let i = 0; i < keys.length; i += BATCH_SIZE) await remove(store, keys.slice(i, i + BATCH_SIZE));
    removed += keys.length;
    ofProject = [];
  };
  for await (const keys of availablePages<ItemKey>(pages)) {
    for (const key of keys) {
      // The items of a partition are adjacent, and in order.
      if (key.pk !== ofProject[0]?.pk) await removeProject();
      ofProject.push(key);
    }
  }
  await removeProject();
  return removed;
}

async function remove({ client, tables, sleep, random }: AccountStore, keys: readonly ItemKey[]): Promise<void> {
  let pending = keys.map((Key) => ({ DeleteRequest: { Key } as { Key: ItemKey & Record<string, unknown> } }));
  for (let made = 1; ; made++) {
    const command = new BatchWriteCommand({ RequestItems: { [tables.gateway]: pending } });
    const { UnprocessedItems } = await available(client.send(command));
    pending = (UnprocessedItems?.[tables.gateway] ?? []) as typeof pending;
    if (pending.length === 0) return;
    if (made === MAX_ATTEMPTS) throw new StoreUnavailableError('the store left deletes of a batch unprocessed');
    await sleep(jitteredDelayMs(made, random), NO_DEADLINE);
  }
}

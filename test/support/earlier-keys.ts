import { DeleteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { accountItemKey } from '../../functions/accounts/account-items.ts';
import { referencedKeys } from '../../functions/accounts/keys/stored-keys.ts';
import { itemsFrom, itemKey, type ItemKey } from '../../functions/shared/store/items.ts';
import type { TestGateway } from './gateway.ts';

/** Stores some or all keys of a project as an older version did, which had no list of keys and deleted none. */
export async function asFromBefore(
  { store }: Pick<TestGateway, 'store'>,
  { accountId, projectId, keyIds }: { accountId: string; projectId: string; keyIds?: readonly string[] },
): Promise<void> {
  const { client, tables } = store;
  const isMeant = (keyId: string): boolean => keyIds === undefined || keyIds.includes(keyId);
  const remove = (Key: ItemKey, attribute: string) =>
    client.send(
      new UpdateCommand({
        TableName: tables.gateway,
        Key,
        UpdateExpression: 'REMOVE #attribute',
        ExpressionAttributeNames: { '#attribute': attribute },
      }),
    );
  for await (const { pk, sk } of itemsFrom(store, accountItemKey.keyListing(accountId, projectId, ''))) {
    const Key = { pk: pk as string, sk: sk as string };
    if (isMeant(Key.sk.slice(Key.sk.lastIndexOf('#') + 1))) {
      await client.send(new DeleteCommand({ TableName: tables.gateway, Key }));
    }
  }
  for await (const { pk, sk, keyId } of referencedKeys(store, projectId)) {
    if (!isMeant(keyId)) continue;
    await remove({ pk, sk }, 'ttl');
    await remove(itemKey.keyReference(projectId, keyId), 'ttl');
  }
  if (keyIds === undefined) await remove(accountItemKey.activeKeys(projectId), 'listed');
}

import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { createKey } from '../../functions/accounts/keys/api-keys.ts';
import type { NewKey } from '../../functions/accounts/keys/new-keys.ts';
import { hashApiKey } from '../../functions/shared/credentials/api-key.ts';
import { SANDBOX_SCOPE } from '../../functions/shared/credentials/credential-text.ts';
import { capSpanAt } from '../../functions/shared/request/cap-period.ts';
import type { CountedCap } from '../../functions/shared/request/quota-shards.ts';
import { itemKey, type ItemKey } from '../../functions/shared/store/items.ts';
import { itemsFrom } from '../../functions/shared/store/tables.ts';
import type { AccountStore } from '../../functions/accounts/store/account-store.ts';
import { NOW_MS } from './times.ts';

/** The cap of a key as a request has read it, in a stage with a quota by month. */
export const readCap = (id: string, limit: number, units: number): CountedCap => ({
  id,
  limit,
  units,
  span: capSpanAt(NOW_MS, id, 'month'),
  sharedLimit: undefined,
  oldestPart: undefined,
});

const setAttributes = async ({ client, tables }: AccountStore, Key: ItemKey, attributes: Record<string, unknown>) => {
  const { Attributes = {} } = await client.send(
    new UpdateCommand({
      TableName: tables.gateway,
      Key,
      UpdateExpression: `SET ${Object.keys(attributes)
        .map((name) => `#${name} = :${name}`)
        .join(', ')}`,
      ExpressionAttributeNames: Object.fromEntries(Object.keys(attributes).map((name) => [`#${name}`, name])),
      ExpressionAttributeValues: Object.fromEntries(
        Object.entries(attributes).map(([name, value]) => [`:${name}`, value]),
      ),
      ReturnValues: 'ALL_NEW',
    }),
  );
  return Attributes;
};

/** Gives a key a cap, as it is stored. */
export const storeCap = (store: AccountStore, key: string, unitsLimit: number, capId: string) =>
  setAttributes(store, itemKey.apiKey(hashApiKey(key)), { unitsLimit, capId });

/**
 * The limit of a budget, as it is stored: in the counter that all its keys spend from. Returns the units that were used
 * when it was written.
 */
export async function storeLimit(
  store: AccountStore,
  projectId: string,
  capId: string,
  limit: number,
): Promise<number> {
  const { units = 0 } = await setAttributes(store, itemKey.capUnits(projectId, 'once', capId), { limit });
  return units as number;
}

/** Keys of a project that spend from one budget. */
export async function budget(store: AccountStore, projectId: string, count: number, limit: number) {
  const details = { projectId, mode: 'test', scopes: new Set([SANDBOX_SCOPE]), rpm: 180 } as const;
  const made = [await createKey(store, { ...details, unitsLimit: limit, unitsPeriod: 'once' })];
  const [{ keyId: firstId }] = made as [NewKey];
  while (made.length < count) made.push(await createKey(store, { ...details, capOf: firstId }));
  return { capId: `${firstId}.o`, keys: made.map(({ key }) => key), keyIds: made.map(({ keyId }) => keyId) };
}

/** What the counters of a project's caps hold of units, by period and cap. */
export async function storedCaps(store: AccountStore, projectId: string): Promise<Record<string, object>> {
  const { pk } = itemKey.project(projectId);
  const items = await Array.fromAsync(itemsFrom(store, { pk, sk: 'KEYUNITS#' }));
  return Object.fromEntries(
    items.map(({ pk: _, sk, ttl: __, keyCount: ___, ...held }) => [String(sk).slice('KEYUNITS#'.length), held]),
  );
}

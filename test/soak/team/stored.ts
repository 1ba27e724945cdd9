import { paginateScan } from '@aws-sdk/lib-dynamodb';
import type { AccountStore } from '../../../functions/accounts/account-store.ts';

/** The number of items of each kind in the Gateway table, and how many of them expire. */
export async function countItems({ client, tables }: AccountStore): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  const add = (kind: string): void => void counts.set(kind, (counts.get(kind) ?? 0) + 1);
  for await (const { Items = [] } of paginateScan({ client }, { TableName: tables.gateway })) {
    for (const { pk, sk, ttl } of Items) {
      add(`${kindOf(pk)} ${kindOf(sk)}`);
      if (ttl !== undefined) add('expiring');
    }
  }
  return counts;
}

const kindOf = (key: unknown): string =>
  String(key)
    .replace(/#.*/s, '')
    .replace(/^acc_.*/, 'listing');

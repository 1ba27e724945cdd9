import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { AccountStore } from '../../../functions/accounts/store/account-store.ts';
import { inOrder, partition } from '../database.ts';

export type Item = Readonly<Record<string, unknown>>;
/** Items by partition and sort key, and the audit events of each account. */
export interface Stored {
  readonly items: Readonly<Record<string, Item>>;
  readonly audit: Readonly<Record<string, readonly Item[]>>;
}

/** Stands for what differs each time: a fingerprint, and the sealed ID token of a session. */
const ANY = 'any';

/** What these partitions of the Gateway table hold at a time. */
export async function storedItems(store: AccountStore, nowMs: number, partitions: Iterable<string>): Promise<Stored> {
  const items: Record<string, Item> = {};
  const audit: Record<string, Item[]> = {};
  const names = [...new Set(partitions)].filter((pk) => pk !== 'ACCOUNTS');
  await Promise.all(
    names.map(async (name) => {
      for (const { pk, sk, ...rest } of copied(await partition(store, name))) {
        // What ends on a day, and who chose days, is beside that of other tests.
        if (String(pk).startsWith('EXPIR') && !names.includes(`ACCOUNT#${String(sk).split('#')[0]}`)) continue;
        if (String(sk).startsWith('AUDIT#')) (audit[rest.accountId as string] ??= []).push(rest);
        else items[`${String(pk)} ${String(sk)}`] = plain(rest, nowMs);
      }
    }),
  );
  // The list of all accounts also holds those of other tests.
  for (const [name, { accountId }] of Object.entries(items)) {
    if (!name.endsWith(' ACCOUNT')) continue;
    const Key = { pk: 'ACCOUNTS', sk: accountId };
    const { Item: listed } = await store.client.send(new GetCommand({ TableName: store.tables.gateway, Key }));
    if (listed) items[`ACCOUNTS ${String(accountId)}`] = { accountId: listed.accountId as unknown };
  }
  return { items, audit };
}

/** The item for a comparison: active keys without expired ones, which are removed only when their place is needed. */
function plain(stored: Item, nowMs: number): Item {
  const { scopes, keys, fingerprint, sealedIdToken } = stored;
  return {
    ...stored,
    ...(fingerprint !== undefined && { fingerprint: ANY }),
    ...(sealedIdToken !== undefined && { sealedIdToken: ANY }),
    ...(scopes instanceof Set && { scopes: [...(scopes as Set<string>)] }),
    ...(keys !== undefined && { keys: alive(keys, nowMs) }),
  };
}

/** Active keys and their ends, without those that have ended. */
export const alive = (keys: unknown, nowMs: number): Record<string, number> =>
  Object.fromEntries(Object.entries(keys as Record<string, number>).filter(([, end]) => end === 0 || nowMs < end));

/** Copies plain values and sets: the SDK's objects are of another realm, and never equal those of a test. */
function copied<T>(value: T): T {
  if (typeof value !== 'object' || value === null || value instanceof Set) return value;
  if (Array.isArray(value)) return Array.from(value, copied) as T;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, copied(member)])) as T;
}

/** A value as text, the members of its objects in one order. */
export const sortable = (value: object): string => JSON.stringify(value, (_name, part) => inOrder(part));

import type { AccountStore } from '../../../functions/accounts/store/account-store.ts';
import { hashApiKey } from '../../../functions/shared/credentials/api-key.ts';
import { readItem } from '../../../functions/shared/store/tables.ts';
import { inOrder, partition } from '../database.ts';

/** Items of the Gateway table. */
export interface State {
  /** In order, each without the values that differ between two runs: ids, hashes, addresses. */
  readonly items: readonly string[];
  readonly partitions: ReadonlySet<string>;
}

/** Counts of attempts are not part of a change. */
const BESIDE = /^(CHANGES|READS|SIGN-INS)#/;
/** The list of all accounts is shared by all tests, and so are partitions of what ends. */
const LISTING = 'ACCOUNTS';
const SHARED = 'EXPIR';

/**
 * The items in partitions of the Gateway table, in a form that can be compared between runs; `leavesOut` matches sort
 * keys.
 */
export async function stateOf(store: AccountStore, partitions: Iterable<string>, leavesOut = /^$/): Promise<State> {
  const pks = [...partitions].filter((pk) => pk !== LISTING);
  const found = (await Promise.all(pks.map((pk) => partition(store, pk)))).flat();
  for (const sk of pks.flatMap((pk) => /^ACCOUNT#(.*)$/.exec(pk)?.[1] ?? [])) {
    const listing = await readItem(store, { pk: LISTING, sk });
    if (listing) found.push({ ...listing });
  }
  const isOwn = ({ pk, sk }: Record<string, unknown>): boolean =>
    !String(pk).startsWith(SHARED) || pks.includes(`ACCOUNT#${String(sk).split('#')[0]}`);
  const items = found.filter(
    (item) => isOwn(item) && !BESIDE.test(String(item.sk)) && !leavesOut.test(String(item.sk)),
  );
  return { items: items.map(comparable).sort(), partitions: new Set(items.map(({ pk }) => String(pk))) };
}

/** Whether the database stores a key. */
export const isStored = ({ partitions }: State, key: string): boolean => partitions.has(`KEY#${hashApiKey(key)}`);

const comparable = (item: Record<string, unknown>): string =>
  JSON.stringify(item, (name, value: unknown) => {
    if (name === 'lastFour') return '….';
    if (['fingerprint', 'salt', 'rotation', 'asked'].includes(name)) return 'of a request';
    if (name === 'lastSeenAtMs' || name === 'sessionsSince') return 'a time';
    if (name === 'projectId') return 'P';
    if (name === 'projects' && Array.isArray(value)) return value.map(() => 'P');
    return inOrder(value);
  })
    .replaceAll(/(?<=PROJECT#|KEY#)[0-9A-Za-z]{12}(?="|#)/g, 'P')
    .replaceAll(/(?<=EXPIRING#[\d-]{10}#)[0-9a-f]/g, 'shard')
    .replaceAll(/\b(acc|usr|mem|key|ept|dlv|ntc|tok)_[0-9A-Za-z]{16}/g, '$1')
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'uuid')
    .replaceAll(/[0-9a-f]{64}/g, 'hash');

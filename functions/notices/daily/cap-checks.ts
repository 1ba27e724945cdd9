import type { AccountStore } from '../../accounts/account-store.ts';
import { noticeItemKey } from '../../accounts/notice-items.ts';
import { worksUntilMs, type StoredKey } from '../../accounts/keys/stored-keys.ts';
import { readProject } from '../../accounts/projects/stored-projects.ts';
import { queryItems } from '../../shared/store/client.ts';
import { itemKey, type ItemKey } from '../../shared/store/items.ts';
import type { CounterItem } from '../../shared/store/quota-counter.ts';
import { queryOf, readBatches } from '../../shared/store/tables.ts';
import { readCapKey } from './cap-keys.ts';
import type { NoticesDependencies } from '../dependencies.ts';
import { unlessUnreadable } from '../failures.ts';
import type { NoticeThresholds } from '../../accounts/team/notice-thresholds.ts';
import { markReached, type Reached } from '../markers.ts';
import { capReached, requireNumber } from '../thresholds.ts';

/** Counters that are checked together: three batches of reads. */
const BATCH_SIZE = 100;

/** The counter of a cap. */
interface CapCounter {
  readonly capId: string;
  readonly units: unknown;
}

/** The counters of a project's caps in a period, some at a time, after this one on. */
export async function* capCounters(
  store: AccountStore,
  projectId: string,
  period: string,
  after = '',
): AsyncGenerator<CapCounter[]> {
  const { pk, sk: prefix } = itemKey.capUnits(projectId, period, '');
  // "!" sorts before every character of an id, and "~" after.
  const range = { since: `${prefix}${after}!`, until: `${prefix}~` };
  const items = queryItems<ItemKey & CounterItem>(store.client, queryOf(store.tables.gateway, pk, range));
  let some: CapCounter[] = [];
  for await (const { sk, units } of items) {
    some.push({ capId: sk.slice(prefix.length), units });
    if (some.length < BATCH_SIZE) continue;
    yield some;
    some = [];
  }
  if (some.length > 0) yield some;
}

interface OfProject {
  readonly accountId: string;
  readonly projectId: string;
  readonly period: string;
}

/**
 * Puts markers for caps whose thresholds are reached, and not marked yet. The counters were read before the limits:
 * `checkCap`.
 */
export async function checkCaps(
  { store, telemetry }: NoticesDependencies,
  { accountId, projectId, period }: OfProject,
  counters: readonly CapCounter[],
  { percents }: NoticeThresholds,
): Promise<void> {
  const used: { readonly capId: string; readonly units: number }[] = [];
  for (const { capId, units } of counters) {
    await unlessUnreadable(telemetry, 'a counter', { accountId, projectId, capId }, () => {
      if (requireNumber(units ?? 0) > 0) used.push({ capId, units: units as number });
      return Promise.resolve();
    });
  }
  if (used.length === 0) return;
  const keys = await readKeys(
    store,
    { accountId, projectId },
    used.map(({ capId }) => capId),
  );
  const reached: (readonly Reached[])[] = [];
  for (const [i, { capId, units }] of used.entries()) {
    await unlessUnreadable(telemetry, 'a key', { accountId, projectId, capId }, async () => {
      const found = keys[i];
      const key = found === 'search' ? await readCapKey(store, { accountId, projectId, capId }) : found;
      const some = key ? capReached({ accountId, projectId, period, capId }, key, units, percents) : [];
      if (some.length > 0) reached.push(some);
    });
  }
  // The highest was put last, so the others are there too.
  const markers = await readBatches(
    store,
    reached.map((some) => noticeItemKey.marker(accountId, some.at(-1)?.position ?? '')),
  );
  const fresh = reached.filter((_some, i) => markers[i] === undefined);
  if (fresh.length === 0 || (await readProject(store, projectId)).status === 'closed') return;
  for (const some of fresh) await markReached(store, some);
}

/**
 * The keys that spend from caps, in three batches. Undefined: none works any more. `search`: that takes a search, as
 * after a rotation.
 */
async function readKeys(
  store: AccountStore,
  { accountId, projectId }: Pick<OfProject, 'accountId' | 'projectId'>,
  capIds: readonly string[],
): Promise<(StoredKey | 'search' | undefined)[]> {
  const lasts = await readBatches<{ readonly keyId?: string }>(
    store,
    capIds.map((capId) => noticeItemKey.capKey(accountId, capId)),
  );
  const references = await readBatches<{ readonly keyHash: string }>(
    store,
    capIds.map((capId, i) => itemKey.keyReference(projectId, lasts[i]?.keyId ?? capId)),
  );
  const hashes = references.flatMap((reference) => (reference ? [reference.keyHash] : []));
  const keys = await readBatches<StoredKey>(store, hashes.map(itemKey.apiKey));
  const byHash = new Map(hashes.map((hash, i) => [hash, keys[i]]));
  return references.map((reference) => {
    const key = reference && byHash.get(reference.keyHash);
    if (!key) return 'search';
    if (store.clock.now() < worksUntilMs(key)) return key;
    return key.replacedBy === undefined && key.replaces === undefined ? undefined : 'search';
  });
}

import { capOf } from '../../shared/request/admission.ts';
import { firstKeyOf } from '../../shared/request/cap-period.ts';
import { itemKey } from '../../shared/store/items.ts';
import { itemsFrom, readBatches } from '../../shared/store/tables.ts';
import type { CounterItem } from '../../shared/store/quota-counter.ts';
import type { AccountStore } from '../store/account-store.ts';
import { capCounter, isOnce } from './key-budgets.ts';
import { capPeriodOf } from './key-caps.ts';
import { keyView, type StoredKey } from './stored-keys.ts';

/** A key for display. */
export type KeyView = ReturnType<typeof keyView> & ReturnType<typeof capView>;

/**
 * Keys for display, with the units that were charged under their caps in the present period of each. It reads nothing
 * where no key has a cap. Keys of a chain of rotations have the same cap.
 */
export async function keyViews(store: AccountStore, keys: readonly StoredKey[]): Promise<KeyView[]> {
  const nowMs = store.clock.now();
  const capped = keys.flatMap((key) => {
    const cap = capOf(key);
    return cap ? [{ key, place: capCounter(store, key.projectId, cap) }] : [];
  });
  const counters = await readBatches<CounterItem>(
    store,
    capped.map(({ place }) => place),
  );
  const found = new Map(capped.map(({ key }, i) => [key, counters[i]]));
  return keys.map((key) => ({ ...keyView(key, nowMs), ...capView(store, key, found.get(key)) }));
}

/** {@link keyViews} of one key. */
export async function readKeyView(store: AccountStore, key: StoredKey): Promise<KeyView> {
  const [view] = await keyViews(store, [key]);
  return view as KeyView;
}

function capView(store: AccountStore, key: StoredKey, counter: CounterItem = {}) {
  const cap = capOf(key);
  if (!cap) return { unitsLimit: null, unitsPeriod: null, unitsUsed: null, capOf: null };
  const firstKeyId = firstKeyOf(cap.id);
  const budget = isOnce(cap) ? counter.limit : undefined;
  return {
    unitsLimit: budget ?? cap.limit,
    unitsPeriod: capPeriodOf(store, cap),
    unitsUsed: counter.units ?? 0,
    capOf: budget === undefined || firstKeyId === key.keyId ? null : firstKeyId,
  };
}

/**
 * The units that were charged under the caps of a project's keys in a period, by the id of the first key with each cap.
 */
export async function readCapsUsed(
  store: AccountStore,
  projectId: string,
  periodId: string,
): Promise<{ readonly keyId: string; readonly units: number }[]> {
  const all = itemKey.capUnits(projectId, periodId, '');
  const counters = await Array.fromAsync(itemsFrom(store, all));
  return counters.map(({ sk, units }) => ({ keyId: String(sk).slice(all.sk.length), units: Number(units) }));
}

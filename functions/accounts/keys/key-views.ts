import { capOf } from '../../shared/request/admission.ts';
import { firstKeyOf } from '../../shared/request/cap-period.ts';
import { readBatches } from '../../shared/store/tables.ts';
import type { CounterItem } from '../../shared/store/quota-counter.ts';
import type { AccountStore } from '../store/account-store.ts';
import { capCounter, isOnce } from './key-budgets.ts';
import { asShown, capPeriodOf, type SeenKey } from './key-caps.ts';
import { keyView, type StoredKey } from './stored-keys.ts';

/** A key for display. */
export type KeyView = Awaited<ReturnType<typeof keyViews>>[number];

/**
 * Keys for display, with the units that were charged under their caps in the present period of each. It reads nothing
 * where no key has a cap. Keys of a chain of rotations have the same cap.
 */
export async function keyViews(store: AccountStore, keys: readonly StoredKey[]) {
  const capped = keys.flatMap((key) => {
    const cap = capOf(key);
    return cap ? [{ key, cap, place: capCounter(store, key.projectId, cap) }] : [];
  });
  const counters = await readBatches<CounterItem>(
    store,
    capped.map(({ place }) => place),
  );
  const seen = new Map(
    capped.map(({ key, cap }, i) => [
      key,
      { key: isOnce(cap) ? asShown(key, counters[i] ?? {}) : key, counter: counters[i] },
    ]),
  );
  return keys.map((key) => {
    const found = seen.get(key);
    return { ...changedView(store, found?.key ?? key), unitsUsed: found ? (found.counter?.units ?? 0) : null };
  });
}

/** {@link keyViews} of one key. */
export async function readKeyView(store: AccountStore, key: StoredKey): Promise<KeyView> {
  const [view] = await keyViews(store, [key]);
  if (!view) throw new Error('a key without a view');
  return view;
}

/** A key for display as a change has left it, without a further read, so without what is spent. */
export function changedView(store: AccountStore, key: StoredKey & Pick<SeenKey, 'budget'>) {
  const cap = capOf(key);
  const firstKeyId = cap && firstKeyOf(cap.id);
  return {
    ...keyView(key, store.clock.now()),
    unitsLimit: cap?.limit ?? null,
    unitsPeriod: cap ? capPeriodOf(store, cap) : null,
    capOf: key.budget?.limit === undefined || firstKeyId === undefined || firstKeyId === key.keyId ? null : firstKeyId,
  };
}

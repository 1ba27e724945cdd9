import { capOf } from '../../shared/request/admission.ts';
import { itemKey } from '../../shared/store/items.ts';
import { readBatches } from '../../shared/store/tables.ts';
import type { CounterItem } from '../../shared/store/quota-counter.ts';
import type { AccountStore } from '../store/account-store.ts';
import type { StoredKey } from './stored-keys.ts';

/**
 * The units that were charged under the cap of each key in a period, such as `2026-11`; null for a key without one. It
 * reads nothing where no key has a cap. Keys of a chain of rotations have the same cap.
 */
export async function readUnitsUsed(
  store: AccountStore,
  keys: readonly StoredKey[],
  periodId: string,
): Promise<(number | null)[]> {
  const caps = keys.map((key) => {
    const cap = capOf(key);
    return cap && itemKey.capUnits(key.projectId, periodId, cap.id);
  });
  const counters = await readBatches<CounterItem>(
    store,
    caps.filter((cap) => cap !== undefined),
  );
  const units = counters.map((counter) => counter?.units ?? 0);
  return caps.map((cap) => (cap ? (units.shift() ?? 0) : null));
}

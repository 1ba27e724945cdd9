import type { CapSpan } from '../../shared/request/cap-period.ts';
import { MS_PER_DAY, MS_PER_SECOND, type Period } from '../../shared/time.ts';
import { audited } from '../../accounts/authority/audit.ts';
import { commit } from '../../accounts/store/transact.ts';
import { updateOf } from '../../accounts/store/writes.ts';
import { present } from '../../accounts/store/expressions.ts';
import { RefusedError, StaleError } from '../../accounts/store/refusals.ts';
import type { AccountStore } from '../../accounts/store/account-store.ts';
import { readProject } from '../../accounts/projects/stored-projects.ts';
import { itemKey, type ItemKey } from '../../shared/store/items.ts';
import { readItem } from '../../shared/store/tables.ts';
import type { CounterItem } from '../../shared/store/quota-counter.ts';
import { capCountersOf, partOf, spanOf, type CapPlace } from './cap-passes.ts';
import type { Difference } from './difference.ts';
import { verifyLedger, type CapVerification, type VerificationOptions } from './verification.ts';

/**
 * The limit of an invalid layout. No request has this limit, so the next request makes a new layout. The units that the
 * old layout lent belong to the counter before the repair.
 */
const NO_LIMIT = -1;

/** A repair of the counter of a project, of those of its keys' caps, or both. */
export interface CounterRepair {
  /** The sum of the events minus the counter; below 0: the events have fewer. 0: only caps are wrong. */
  readonly difference: number;
  /** The same of each cap that is wrong, by the key that first had it, and its period. */
  readonly keys: readonly CapRepair[];
  /** As verified: counter and events at that time. More may have been charged since, to both alike. */
  readonly quotaUsed: number;
  readonly ledgerUnits: number;
  /**
   * Adds each difference to its counter, once, with its audit event, one counter after another. Throws `RefusedError`
   * if another repair was first.
   */
  readonly apply: () => Promise<void>;
}

/** A repair of the counter of a key's cap. */
interface CapRepair {
  readonly keyId: string;
  readonly place: CapPlace;
  readonly difference: number;
  readonly unitsUsed: number;
  readonly added: Added;
}

/** What is added to a counter: to its units, and to its part of the month, if it has one. */
type Added = { readonly units: number } & Readonly<Record<string, number>>;

function capRepair(row: CapVerification, period: Period): CapRepair {
  const { keyId, capId = keyId, period: spanId = period.id, unitsUsed, monthDifference = row.difference } = row;
  const place = { spanId, capId };
  const [units, part] = [certain(row.difference), partOf(place, period)];
  const added = { units, ...(part !== undefined && { [part]: certain(monthDifference) }) };
  return { keyId, place, difference: units, unitsUsed, added };
}

/**
 * Decides how the quota counter of a period and those of caps are corrected to the sums of their events, which are the
 * record; undefined: they are correct. It may run while requests are charged: it adds the difference, which they do not
 * change. Throws `RefusedError` for an unknown project, if the difference is not certain, and if events are irregular:
 * then a person must decide what they are worth.
 *
 * @param keptDays how long the gateway keeps the counter after its period
 */
export async function counterRepair(
  store: AccountStore,
  projectId: string,
  period: Period,
  keptDays: number,
  options?: VerificationOptions,
): Promise<CounterRepair | undefined> {
  // This is read before the verification, so that a repair in between is noticed.
  const [{ accountId }, counter, caps] = await Promise.all([
    readProject(store, projectId),
    readItem<CounterItem>(store, itemKey.quota(projectId, period.id)),
    capCountersOf(store, { projectId, period }),
  ]);
  const found = await verifyLedger(store, projectId, period, options);
  if (found.consistent) return undefined;
  if (found.irregularEvents) {
    throw new RefusedError(
      'There are irregular events: see ledger verify. Nothing was changed, since their units are not certain.',
    );
  }
  const { quotaUsed, ledgerUnits } = found;
  const difference = found.difference ? certain(found.difference) : 0;
  const keys = (found.keys ?? []).map((row) => capRepair(row, period));
  const apply = async (): Promise<void> => {
    const ledger = { accountId, projectId, keptDays };
    if (difference !== 0) {
      const key = itemKey.quota(projectId, period.id);
      await correct(store, ledger, { key, span: period, added: { units: difference }, used: quotaUsed, was: counter });
    }
    for (const { keyId, unitsUsed, place, added } of keys) {
      const key = itemKey.capUnits(projectId, place.spanId, place.capId);
      const was = caps.find(({ sk }) => sk === key.sk);
      await correct(store, ledger, { key, keyId, span: spanOf(place, period), added, used: unitsUsed, was });
    }
  };
  return { difference, keys, quotaUsed, ledgerUnits, apply };
}

/** The ledger whose counters are corrected. */
interface Ledger {
  readonly accountId: string;
  readonly projectId: string;
  readonly keptDays: number;
}

/** A correction of one counter. */
interface Correction {
  readonly key: ItemKey;
  /** Of a key's cap; absent: it is the project's. */
  readonly keyId?: string;
  /** The period that it counts. */
  readonly span: Pick<CapSpan, 'id' | 'endsAtEpochSeconds'>;
  readonly added: Added;
  /** As verified. */
  readonly used: number;
  /** As read before the verification. */
  readonly was: CounterItem | undefined;
}

/** Corrects a counter, with the audit event of it, unless it was corrected or lent units since it was read. */
async function correct(
  store: AccountStore,
  { accountId, projectId, keptDays }: Ledger,
  { key, keyId, span, added, used, was }: Correction,
): Promise<void> {
  const { repairs = 0 } = was ?? {};
  const isLent = was?.generation !== undefined;
  const values = (units: number) => ({ period: span.id, units });
  const update = updateOf(store, {
    key,
    when: { repairs: repairs || undefined, generation: isLent ? present : undefined },
    set: { repairs: repairs + 1, ...(isLent && { limit: NO_LIMIT }) },
    // One that was charged has its own, by the stage's setting, which the caller of a repair may not know.
    ...(span.endsAtEpochSeconds !== undefined && {
      setIfAbsent: { ttl: span.endsAtEpochSeconds + (keptDays * MS_PER_DAY) / MS_PER_SECOND },
    }),
    add: added,
  });
  await commit(store, [
    {
      write: { Update: update },
      refusal: () => new StaleError(`The counter of ${keyId === undefined ? `project ${projectId}` : `key ${keyId}`}`),
    },
    await audited(
      store,
      'ledger.repair',
      { accountId, projectId, ...(keyId !== undefined && { keyId }) },
      { before: values(used), after: values(used + added.units) },
    ),
  ]);
}

function certain({ atLeast, atMost }: Difference): number {
  if (atLeast === atMost) return atLeast;
  throw new RefusedError('Too much was charged meanwhile to be certain of the difference: try again.');
}

import { MS_PER_DAY, MS_PER_SECOND } from '../core/clock.ts';
import type { Period } from '../core/period.ts';
import { audited } from '../accounts/audit.ts';
import { commit } from '../accounts/changes.ts';
import { RefusedError, StaleError } from '../accounts/refusals.ts';
import type { AccountStore } from '../accounts/account-store.ts';
import { readProject } from '../accounts/stored-projects.ts';
import { readItem, itemKey, names } from '../store/items.ts';
import type { CounterItem } from '../store/quota-counter.ts';
import { verifyLedger, type LedgerVerification, type VerificationOptions } from './verification.ts';

/**
 * The limit of an invalid layout: no request has it, so the next request makes a new layout. Its lent units belong to
 * the counter before the repair.
 */
const NO_LIMIT = -1;

/** A repair of a counter. */
export interface CounterRepair {
  /** The sum of the events minus the counter; below 0: the events have fewer. Never 0. */
  readonly difference: number;
  /** As verified: counter and events at that time. More may have been charged since, to both alike. */
  readonly quotaUsed: number;
  readonly ledgerUnits: number;
  /**
   * Adds the difference to the counter, once, with its audit event. Throws `RefusedError` if another repair was first.
   */
  readonly apply: () => Promise<void>;
}

/**
 * Decides how the quota counter of a period is corrected to the sum of its events, which are the record; undefined: it
 * is correct. It may run while requests are charged: it adds the difference, which they do not change. Throws
 * `RefusedError` for an unknown project, if the difference is not certain, and if events are irregular: then a person
 * must decide what they are worth.
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
  const [{ accountId }, counter] = await Promise.all([
    readProject(store, projectId),
    readItem<CounterItem>(store, itemKey.quota(projectId, period.id)),
  ]);
  const repairs = counter?.repairs ?? 0;
  const isLent = counter?.generation !== undefined;
  const found = await verifyLedger(store, projectId, period, options);
  if (found.consistent) return undefined;
  const difference = certainDifference(found);
  const { quotaUsed, ledgerUnits } = found;
  const apply = async () => {
    const values = (units: number) => ({ period: period.id, units });
    await commit(store, [
      {
        write: {
          Update: {
            TableName: store.tables.gateway,
            Key: itemKey.quota(projectId, period.id),
            UpdateExpression: `SET #units = if_not_exists(#units, :zero) + :difference, #repairs = :next, #ttl = if_not_exists(#ttl, :ttl)${
              isLent ? ', #limit = :noLimit' : ''
            }`,
            ConditionExpression: [
              repairs === 0 ? 'attribute_not_exists(#repairs)' : '#repairs = :repairs',
              `attribute_${isLent ? 'exists' : 'not_exists'}(#generation)`,
            ].join(' AND '),
            ExpressionAttributeNames: names('units', 'repairs', 'ttl', 'generation', ...(isLent ? ['limit'] : [])),
            ExpressionAttributeValues: {
              ':zero': 0,
              ':difference': difference,
              ':next': repairs + 1,
              ':ttl': period.endsAtEpochSeconds + (keptDays * MS_PER_DAY) / MS_PER_SECOND,
              ...(repairs > 0 && { ':repairs': repairs }),
              ...(isLent && { ':noLimit': NO_LIMIT }),
            },
          },
        },
        refusal: () => new StaleError(`The counter of project ${projectId}`),
      },
      await audited(
        store,
        'ledger.repair',
        { accountId, projectId },
        { before: values(quotaUsed), after: values(quotaUsed + difference) },
      ),
    ]);
  };
  return { difference, quotaUsed, ledgerUnits, apply };
}

function certainDifference({ difference, irregularEvents }: LedgerVerification): number {
  if (irregularEvents) {
    throw new RefusedError('There are irregular events: see ledger verify. Nothing is repaired by their units.');
  }
  if (difference === undefined || difference.atLeast !== difference.atMost) {
    throw new RefusedError('Too much was charged meanwhile to be certain of the difference: try again.');
  }
  return difference.atLeast;
}

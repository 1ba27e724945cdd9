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
 * In place of the limit that units were lent under, which no request has: what is lent was counted with another counter,
 * and the next request lends anew.
 */
const NO_LIMIT = -1;

/** What a repair of a counter is made of. */
export interface CounterRepair {
  /** Units that the events have more than the counter; below 0: fewer. Never 0. */
  readonly difference: number;
  /** As verified: what the counter and the events had. More may have been charged since, to both alike. */
  readonly quotaUsed: number;
  readonly ledgerUnits: number;
  /** Adds the difference to the counter, once, with its audit event. Throws `RefusedError` where another repair was first. */
  readonly apply: () => Promise<void>;
}

/**
 * Decides how the quota counter of a period is brought to the sum of its events, which are the record; undefined: it is
 * there. May be made while requests are charged: what is added is the difference, which they do not change. Throws
 * `RefusedError` for an unknown project, where the difference is not certain, and where events are irregular: what
 * these are worth is for a person to say.
 *
 * @param keptDays how long the counter is to be kept after its period, as the gateway keeps it
 */
export async function counterRepair(
  store: AccountStore,
  projectId: string,
  period: Period,
  keptDays: number,
  options?: VerificationOptions,
): Promise<CounterRepair | undefined> {
  // Before the verification: a repair in between has changed what it found.
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

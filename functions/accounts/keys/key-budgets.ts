import { capOf, type KeyRecord } from '../../shared/request/admission.ts';
import { capSpanAt, ownPeriodOf } from '../../shared/request/cap-period.ts';
import type { KeyCap } from '../../shared/request/quota-shards.ts';
import { itemKey, type ItemKey } from '../../shared/store/items.ts';
import { readItem } from '../../shared/store/tables.ts';
import type { AccountStore, Change } from '../store/account-store.ts';
import { below } from '../store/expressions.ts';
import { notFound, RefusedError, StaleError } from '../store/refusals.ts';
import { conditionOf, SHOWS_PRESENT, unchanged, updateOf, type Update } from '../store/writes.ts';
import { readWorkingKey } from './key-predecessors.ts';
import { locateKey, requireUnreplaced, requireUsable, seenOf, type LocatedKey, type StoredKey } from './stored-keys.ts';

/** The most keys of a budget: each key that was made in it and the first one, also after their end; no successors. */
const MAX_KEYS = 20;
/** The most requests a minute of each: {@link MAX_KEYS} of them are the 60 a second that one counter settles. */
const MAX_RPM = 180;

/** What the counter of a cap that counts once tells of the keys that share it. */
export interface Budget {
  /** For all of its keys, whatever limit they hold; absent: no second key shares it yet. */
  readonly limit?: number;
  /** How many keys it was shared by, the first one included. */
  readonly keyCount?: number;
}

/** The budget that a key may share; undefined: its cap does not count once. */
export async function readBudget(store: AccountStore, key: StoredKey): Promise<Budget | undefined> {
  const cap = capOf(key);
  if (!cap || !isOnce(cap)) return undefined;
  return (await readItem<Budget>(store, capCounter(store, key.projectId, cap))) ?? {};
}

/** Whether a cap never begins again. */
export const isOnce = ({ id }: KeyCap): boolean => ownPeriodOf(id) === 'once';

/** The counter of a cap in its present period. */
export const capCounter = ({ clock, quotaPeriod }: AccountStore, projectId: string, { id }: KeyCap): ItemKey =>
  itemKey.capUnits(projectId, capSpanAt(clock.now(), id, quotaPeriod()).id, id);

/** Throws `RefusedError` for a rate limit that is too high for a key of a budget. */
export function requireSharedRate({ keyId, rpm }: Pick<StoredKey, 'keyId' | 'rpm'>): void {
  if (rpm <= MAX_RPM) return;
  throw new RefusedError(`Key ${keyId}: a shared limit of units needs a rate limit of at most ${MAX_RPM} a minute.`, {
    publicDetail: `Keys that share a limit of units have at most ${MAX_RPM} requests a minute each. Ask the platform team for that.`,
  });
}

/**
 * The cap of a new key that shares the budget of another one, and the writes that make it share: the other key is as it
 * was seen, and the budget has room and this limit. Throws `RefusedError` for a key that is unknown, has ended, was
 * replaced, has another mode or no cap that counts once, and for a rate limit that is too high.
 */
export async function joinBudget(
  store: AccountStore,
  wanted: Pick<KeyRecord, 'keyId' | 'projectId' | 'mode' | 'rpm'>,
  otherId: string,
): Promise<{ readonly cap: Required<Pick<StoredKey, 'unitsLimit' | 'capId'>>; readonly changes: Change[] }> {
  const { projectId, mode } = wanted;
  const other = await locateKey(store, projectId, otherId);
  if (!other) throw notFound(`There is no key ${otherId} in project ${projectId}.`);
  requireUsable(other, store.clock.now());
  requireUnreplaced(other);
  const cap = capOf(other);
  const budget = await readBudget(store, other);
  if (!cap || !budget || other.mode !== mode) {
    throw refused(`Key ${otherId} has no limit of units that counts once, or another mode.`);
  }
  // Both keys of a grace spend from the budget.
  const predecessor = await readWorkingKey(store, projectId, other.replaces);
  for (const key of [wanted, other, ...(predecessor ? [predecessor] : [])]) requireSharedRate(key);

  const { limit } = budget;
  const shares: Update = {
    key: capCounter(store, projectId, cap),
    ...(limit === undefined
      ? { when: { limit }, set: { limit: cap.limit, keyCount: 2 } }
      : { when: { limit, keyCount: below(MAX_KEYS) }, add: { keyCount: 1 } }),
  };
  return {
    cap: { unitsLimit: limit ?? cap.limit, capId: cap.id },
    changes: [
      asSeen(store, other, seenOf(other)),
      ...(predecessor ? [asSeen(store, predecessor, { rpm: predecessor.rpm })] : []),
      {
        write: { Update: { ...updateOf(store, shares), ...SHOWS_PRESENT } },
        refusal: (stored) =>
          limit !== undefined && stored?.limit === limit
            ? refused(`The limit of key ${otherId} is shared by ${MAX_KEYS} keys, which is the most.`, FULL)
            : new StaleError(`Key ${otherId}`),
      },
    ],
  };
}

const RULE =
  'Name a key of the same mode whose limit of units counts once, and give neither unitsLimit nor unitsPeriod.';
const FULL = `At most ${MAX_KEYS} keys share a limit of units, also those that have ended.`;

const refused = (line: string, publicDetail = RULE): RefusedError =>
  new RefusedError(line, { publicDetail, field: 'capOf' });

const asSeen = (store: AccountStore, { pk, sk, keyId }: LocatedKey, seen: object): Change =>
  unchanged(store, { key: { pk, sk }, what: `Key ${keyId}`, seen: { ...seen } });

/**
 * The part of a change of a key whose cap counts once: its budget is as it was seen, and gets another limit where the
 * change gives one. Without it a first sharing could happen beside the change.
 */
export function budgetAsSeen(
  store: AccountStore,
  { projectId, keyId }: StoredKey,
  cap: KeyCap,
  { limit }: Budget,
  newLimit = limit,
): Change {
  const [key, when] = [capCounter(store, projectId, cap), { limit }];
  return {
    write:
      newLimit === limit
        ? { ConditionCheck: conditionOf(store, key, when) }
        : { Update: updateOf(store, { key, when, set: { limit: newLimit } }) },
    refusal: () => new StaleError(`Key ${keyId}`),
  };
}

import { capOf } from '../../shared/request/admission.ts';
import { capIdOf, firstKeyOf, ownPeriodOf, type CapPeriod } from '../../shared/request/cap-period.ts';
import type { KeyCap } from '../../shared/request/quota-shards.ts';
import { auditChange, audited } from '../authority/audit.ts';
import type { AccountStore, Change } from '../store/account-store.ts';
import type { Value } from '../store/expressions.ts';
import { replaceAttributes } from '../store/writes.ts';
import { budgetAsSeen, readBudget, requireSharedRate, type Budget } from './key-budgets.ts';
import { readWorkingKey } from './key-predecessors.ts';
import { RefusedError } from '../store/refusals.ts';
import type { LocatedKey, StoredKey } from './stored-keys.ts';

/** The most requests a minute of a key with a cap: it has one counter, which settles some 60 requests a second. */
export const MAX_CAPPED_RPM = 1_800;

/** Throws `RefusedError` for a cap on a key with more than {@link MAX_CAPPED_RPM}. */
export function requireOneCounter(
  { keyId, rpm }: Pick<StoredKey, 'keyId' | 'rpm'>,
  unitsLimit: number | undefined,
): void {
  if (unitsLimit === undefined || rpm <= MAX_CAPPED_RPM) return;
  throw new RefusedError(`Key ${keyId}: a limit of units needs a rate limit of at most ${MAX_CAPPED_RPM} a minute.`, {
    publicDetail: 'A limit of units needs a lower rate limit. Ask the platform team for one.',
  });
}

/** A cap as it is asked for; absent: as it is. */
export interface CapChanges {
  readonly unitsLimit?: number | 'none' | undefined;
  /** How often it begins again; a key without a limit has none, and gets the quota's with its limit. */
  readonly unitsPeriod?: CapPeriod | undefined;
}

/** The stored form of a cap; without a limit there is none. */
type StoredCap = Pick<StoredKey, 'unitsLimit' | 'capId'>;

/** A key with what its counter tells, where its cap counts once: see `readBudget`. Its limit is that of its budget. */
export interface SeenKey extends LocatedKey {
  readonly budget?: Budget | undefined;
}

/** A key as its budget shows it. */
export async function seenKey(store: AccountStore, key: LocatedKey): Promise<SeenKey> {
  const budget = await readBudget(store, key);
  return budget ? asShown(key, budget) : key;
}

/** A key with its budget, whose limit is the key's. */
export const asShown = <Key extends StoredKey>(key: Key, budget: Budget): Key & { readonly budget: Budget } => ({
  ...key,
  ...(budget.limit !== undefined && { unitsLimit: budget.limit }),
  budget,
});

/** The period of a cap. */
export const capPeriodOf = ({ quotaPeriod }: AccountStore, { id }: KeyCap): CapPeriod =>
  ownPeriodOf(id) ?? quotaPeriod();

/**
 * The cap of a key with these changes. Throws `RefusedError` for a period without a limit, and for a budget without a
 * limit or with another period.
 */
export function changedCap(store: AccountStore, key: SeenKey, changes: CapChanges): StoredCap {
  const { unitsLimit = key.unitsLimit, unitsPeriod } = changes;
  const { keyId, capId } = key;
  const isShared = key.budget?.limit !== undefined;
  if (unitsLimit === undefined || unitsLimit === 'none') {
    if (isShared) throw refused(`Key ${keyId} shares its limit of units.`, 'unitsLimit', SHARED);
    if (unitsPeriod !== undefined) throw refused(`Key ${keyId} has no limit of units.`, 'unitsPeriod', NO_LIMIT);
    return capId === undefined ? {} : { capId };
  }
  const cap = capOf(key);
  const present = cap && capPeriodOf(store, cap);
  const period = unitsPeriod ?? present ?? store.quotaPeriod();
  if (cap && period === present) return { unitsLimit, capId: cap.id };
  if (isShared) throw refused(`Key ${keyId} shares its limit of units.`, 'unitsPeriod', SHARED);
  return { unitsLimit, capId: capIdOf(firstKeyOf(capId ?? keyId), period, store.quotaPeriod()) };
}

const SHARED = 'Keys share this limit of units: it counts once, and stays a limit. 0 stops them all.';
const NO_LIMIT = 'A period needs a limit of units.';
const refused = (line: string, field: string, publicDetail: string) => new RefusedError(line, { field, publicDetail });

/** The cap of a new key. Throws `RefusedError` for a period without a limit. */
export function newCap(
  { quotaPeriod }: AccountStore,
  {
    keyId,
    unitsLimit,
    unitsPeriod,
  }: CapChanges & Pick<StoredKey, 'keyId'> & { readonly unitsLimit?: number | undefined },
): StoredCap {
  if (unitsLimit !== undefined)
    return { unitsLimit, capId: unitsPeriod ? capIdOf(keyId, unitsPeriod, quotaPeriod()) : keyId };
  if (unitsPeriod !== undefined) throw refused(`Key ${keyId} has no limit of units.`, 'unitsPeriod', NO_LIMIT);
  return {};
}

/** Throws `RefusedError` for a rate limit that is too high for the cap of a key, or for its budget. */
export function requireCappedRate({ keyId, budget }: SeenKey, rpm: number, { unitsLimit }: StoredCap): void {
  requireOneCounter({ keyId, rpm }, unitsLimit);
  if (budget?.limit !== undefined) requireSharedRate({ keyId, rpm });
}

/** Values of a key for the audit, with the period of its cap in place of the cap's id; null: that of the quota. */
export const auditedCap = ({ capId, ...values }: Values): Values => ({
  ...values,
  unitsPeriod: ownPeriodOf(String(capId)) ?? null,
});
type Values = Readonly<Record<string, Value>>;

/**
 * The writes that a change of a key adds for its cap: its counter, where that counts once, and the predecessor in its
 * grace. Both spend from one counter under one limit.
 */
export async function capWrites(
  store: AccountStore,
  accountId: string,
  key: SeenKey,
  after: Values,
): Promise<Change[]> {
  const [cap, { budget }] = [capOf(key), key];
  const isOfCap = 'unitsLimit' in after || 'capId' in after;
  const isShared = budget?.limit !== undefined;
  // Else a first sharing could happen beside the change, and each would rest on what the other replaces.
  const seen = cap && budget && (isOfCap || 'rpm' in after);
  return [
    ...(seen ? [budgetAsSeen(store, key, cap, budget, isShared ? (after.unitsLimit as number) : undefined)] : []),
    ...(isOfCap && !isShared ? await withSameCap(store, accountId, { ...key, ...after }) : []),
  ];
}

/** Gives the new cap of a key also to its predecessor, if that still works, with an audit event of its own. */
async function withSameCap(store: AccountStore, accountId: string, key: StoredKey): Promise<Change[]> {
  const other = await readWorkingKey(store, key.projectId, key.replaces);
  if (!other) return [];
  const { pk, sk, projectId, keyId, status, expiresAtMs, rpm, unitsLimit, capId } = other;
  const cap = capOf(key);
  requireOneCounter(other, cap?.limit);
  const after = { unitsLimit: cap?.limit, capId: cap?.id ?? capId };
  const told = auditChange(auditedCap({ unitsLimit, capId }), auditedCap(after));
  return [
    replaceAttributes(store, {
      key: { pk, sk },
      what: `Key ${keyId}`,
      seen: { status, expiresAtMs, rpm, unitsLimit, capId },
      after,
    }),
    await audited(store, 'key.update', { accountId, projectId, keyId }, told),
  ];
}

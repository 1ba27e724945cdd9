import { isoTime } from '../../shared/time.ts';
import { generateId } from '../../shared/ids.ts';
import { moveActiveKeys } from '../projects/active-keys.ts';
import { changeAs } from '../authority/authority.ts';
import { RefusedError, StaleError } from '../store/refusals.ts';
import type { AccountStore, StoredItem } from '../store/account-store.ts';
import { creationOf, orRepeated, repeatOf, type Creation } from '../store/idempotency.ts';
import { edit, type Edit } from '../authority/edit.ts';
import { readProject, requireOpenProject } from '../projects/stored-projects.ts';
import { joinBudget } from './key-budgets.ts';
import {
  auditedCap,
  capWrites,
  changedCap,
  newCap,
  requireCappedRate,
  seenKey,
  type CapChanges,
  type SeenKey,
} from './key-caps.ts';
import { moveActivePlace, releaseActivePlace } from './key-predecessors.ts';
import { moveListing, ttlOf } from './listed-keys.ts';
import { newKey, showKeyAgain, type KeyDetails, type NewKey } from './new-keys.ts';
import {
  CHANGEABLE_NAMES,
  findKey,
  inheritedOf,
  requireUnreplaced,
  requireUsable,
  type StoredKey,
} from './stored-keys.ts';
import { capOf } from '../../shared/request/admission.ts';
import { itemKey } from '../../shared/store/items.ts';
import { readItem } from '../../shared/store/tables.ts';

/**
 * Creates a key. A person's repeat under one Idempotency-Key is {@link showKeyAgain}. Throws `RefusedError` for an
 * unknown project.
 */
export async function createKey(store: AccountStore, details: KeyDetails, idempotencyKey?: string): Promise<NewKey> {
  const { projectId } = details;
  // The rate limit is the stage's.
  const { unitsPeriod, capOf: otherId } = details;
  const input = { ...inheritedOf(details), rpm: undefined, unitsPeriod, capOf: otherId };
  const asked = await creationOf(store, ['key', projectId], input, idempotencyKey);
  const keyId = generateId('key', asked.ids);
  const creation = changeAs(store, 'member', async () => {
    const { accountId } = await readProject(store, projectId);
    const shared = otherId === undefined ? undefined : await joined(store, { ...details, keyId }, otherId, asked);
    const cap = shared?.cap ?? newCap(store, { ...details, keyId });
    const { key, stored, changes } = await newKey(store, accountId, { ...details, ...cap, keyId }, asked);
    const enters = moveActiveKeys(store, { accountId, projectId }, { sets: stored, requires: 'room' });
    const all = [requireOpenProject(store, projectId), ...changes, ...(shared?.changes ?? []), ...enters];
    return { result: { keyId, key }, changes: all };
  });
  return orRepeated(creation, () => showKeyAgain(store, projectId, keyId, asked));
}

/** {@link joinBudget}. A repeat is one, although the other key may have ended after the first attempt. */
async function joined(store: AccountStore, key: KeyDetails & { keyId: string }, otherId: string, asked: Creation) {
  try {
    return await joinBudget(store, key, otherId);
  } catch (error) {
    const isRefused = error instanceof RefusedError && asked.fingerprint !== undefined;
    const reference = itemKey.keyReference(key.projectId, key.keyId);
    const made = isRefused ? await readItem<StoredItem>(store, reference) : undefined;
    throw made === undefined ? error : repeatOf(asked, made);
  }
}

/**
 * Changes name, limits and expiry, and pauses or resumes the key, effective for the next request. A changed cap also
 * applies to the predecessor in its grace, and that of a budget to all of its keys. Throws `RefusedError` for an unknown
 * project or key, for another cap or expiry of a replaced key, for a cap that cannot be ({@link changedCap}) or has too
 * high a rate limit, for an expiry that has passed, and for a pause or an expiry of a key that has ended.
 */
export const updateKey = (
  store: AccountStore,
  projectId: string,
  keyId: string,
  changes: KeyChanges,
): Promise<SeenKey> =>
  editKey(store, projectId, keyId, {
    action: 'key.update',
    decide: (key) => {
      const { name = key.name, rpm = key.rpm } = changes;
      const cap = changedCap(store, key, changes);
      // A cap that the successor alone shares is changed there. That of a budget is changed through any of its keys.
      const isChanged = cap.unitsLimit !== key.unitsLimit || cap.capId !== key.capId;
      if (isChanged && key.budget?.limit === undefined) requireUnreplaced(key);
      requireCappedRate(key, rpm, cap);
      const paused = changes.paused === undefined ? key.paused : changes.paused || undefined;
      const nowMs = store.clock.now();
      if (paused !== key.paused) requireUsable(key, nowMs);
      return {
        name,
        rpm,
        unitsLimit: cap.unitsLimit,
        capId: cap.capId,
        paused,
        ...changedExpiry(key, changes.expiresAtMs, nowMs),
      };
    },
    alsoWrites: (key, after, accountId) =>
      'expiresAtMs' in after ? moveActiveKeys(store, { accountId, projectId }, { sets: { ...key, ...after } }) : [],
  });

function changedExpiry(key: StoredKey, wanted: KeyChanges['expiresAtMs'], nowMs: number) {
  const expiresAtMs = wanted === 'never' ? undefined : (wanted ?? key.expiresAtMs);
  if (expiresAtMs === key.expiresAtMs) return {};
  requireUsable(key, nowMs);
  requireUnreplaced(key);
  if (expiresAtMs !== undefined && expiresAtMs <= nowMs) {
    throw new RefusedError(`${isoTime(expiresAtMs)} has passed; nothing was changed.`, { code: 'CHANGED_MEANWHILE' });
  }
  return { expiresAtMs };
}

/** The changes of a key; absent: unchanged. */
export interface KeyChanges extends CapChanges {
  readonly name?: string | undefined;
  readonly rpm?: number | undefined;
  readonly paused?: boolean | undefined;
  /** In epoch milliseconds. */
  readonly expiresAtMs?: number | 'never' | undefined;
}

/** Revokes a key; its next request is refused. A second revocation changes nothing. */
export const revokeKey = (store: AccountStore, projectId: string, keyId: string): Promise<SeenKey> =>
  editKey(store, projectId, keyId, {
    action: 'key.revoke',
    decide: ({ status }) => (status === 'revoked' ? {} : { status: 'revoked', revokedAt: isoTime(store.clock.now()) }),
    alsoWrites: (key, _after, accountId) => releaseActivePlace(store, accountId, key),
  });

/** When a key shall expire: at a moment, or after a time. */
export type Expiry = { readonly atMs: number } | { readonly inMs: number };

/**
 * Sets the expiry of a key. A later expiry needs `extend`. An expired or revoked key never works again, because people
 * rely on its end. Throws `RefusedError` for these, for a moment in the past, and for an unknown project or key.
 */
export const expireKey = (
  store: AccountStore,
  projectId: string,
  keyId: string,
  expiry: Expiry,
  extend = false,
): Promise<StoredKey> =>
  editKey(store, projectId, keyId, {
    action: 'key.expire',
    decide: (key) => {
      const nowMs = store.clock.now();
      const expiresAtMs = 'atMs' in expiry ? expiry.atMs : nowMs + expiry.inMs;
      requireUsable(key, nowMs);
      if (expiresAtMs < nowMs) throw new RefusedError(`${isoTime(expiresAtMs)} has passed; nothing was changed.`);
      if (!extend && expiresAtMs > (key.expiresAtMs ?? Infinity)) {
        const earlier = isoTime(key.expiresAtMs ?? Infinity);
        throw new RefusedError(`Key ${keyId} expires earlier, at ${earlier}; only --extend sets a later end.`);
      }
      return { expiresAtMs };
    },
    alsoWrites: (key, { expiresAtMs }, accountId) => {
      const { replacedBy, ...sets } = { ...key, expiresAtMs: expiresAtMs as number };
      return replacedBy === undefined
        ? moveActiveKeys(store, { accountId, projectId }, { sets })
        : moveActivePlace(store, accountId, replacedBy, sets);
    },
  });

type AlsoWrites = NonNullable<Edit<SeenKey>['alsoWrites']>;
interface KeyEdit extends Pick<Edit<SeenKey>, 'action' | 'decide'> {
  readonly alsoWrites?: (...of: [...Parameters<AlsoWrites>, accountId: string]) => ReturnType<AlsoWrites>;
}

/** Changes a key, with its listing, its time of deletion and what it shares with its predecessor. */
export async function editKey(
  store: AccountStore,
  projectId: string,
  keyId: string,
  request: KeyEdit,
): Promise<SeenKey> {
  const { accountId } = await readProject(store, projectId);
  const what = `Key ${keyId}`;
  return edit<SeenKey>(store, {
    key: () => findKey(store, projectId, keyId),
    what,
    // The version before gave a key another item at a repeat of its creation.
    absent: () => new StaleError(what),
    subject: () => ({ accountId, projectId, keyId }),
    shownAs: (key) => seenKey(store, key),
    audits: auditedCap,
    // So a revocation notices a successor that the key got meanwhile.
    dependsOn: CHANGEABLE_NAMES,
    ...request,
    derives: (changed, { expiresAtMs, paused }) => ({
      ttl: ttlOf(changed),
      ...(changed.paused && !paused && { pausedAtMs: store.clock.now() }),
      ...(capOf(changed) && { capId: capOf(changed)?.id }),
      ...(changed.expiresAtMs !== expiresAtMs && { lifetimeMs: lifetimeUntil(changed.expiresAtMs, store.clock.now()) }),
    }),
    alsoWrites: async (key, after) => [
      ...((await request.alsoWrites?.(key, after, accountId)) ?? []),
      ...(await capWrites(store, accountId, key, after)),
      ...moveListing(store, accountId, key, { ...key, ...after }),
    ],
  });
}

/** The lifetime that a changed expiry asks for, from now on; undefined: the key never expires. */
const lifetimeUntil = (expiresAtMs: number | undefined, nowMs: number): number | undefined =>
  expiresAtMs === undefined ? undefined : expiresAtMs - nowMs;

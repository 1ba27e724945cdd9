import { isoTime } from '../core/clock.ts';
import { generateKeyId } from '../core/ids.ts';
import { moveActiveKeys } from './active-keys.ts';
import { changeAs } from './callers.ts';
import { RefusedError, type AccountStore } from './account-store.ts';
import { creationOf, orRepeated } from './derived-ids.ts';
import { edit, type Edit } from './edits.ts';
import { newKey, type KeyDetails, type NewKey } from './new-keys.ts';
import { readProject, requireOpenProject } from './stored-projects.ts';
import { OvertakenError } from './refusals.ts';
import { inPlaceOf, leavesPlace } from './key-predecessors.ts';
import { reissueKey } from './key-reissue.ts';
import { endMoved, ttlOf } from './listed-keys.ts';
import { findKey, requireUsable, type LocatedKey, type StoredKey } from './stored-keys.ts';

/**
 * Creates a key. For a person, a repeat under one Idempotency-Key is {@link reissueKey}. Throws `RefusedError` for
 * an unknown project.
 */
export async function createKey(store: AccountStore, details: KeyDetails, idempotencyKey?: string): Promise<NewKey> {
  const { projectId, name, lifetimeMs } = details;
  const asked = await creationOf(store, ['key', projectId], { name, lifetimeMs }, idempotencyKey);
  const keyId = generateKeyId(asked.ids);
  const creation = changeAs(store, 'member', async () => {
    const { accountId } = await readProject(store, projectId);
    const { key, stored, changes } = await newKey(store, accountId, { keyId, ...details }, asked);
    const enters = moveActiveKeys(store, projectId, { sets: stored, requires: 'room' });
    return { result: { keyId, key }, changes: [requireOpenProject(store, projectId), ...changes, enters] };
  });
  return orRepeated(creation, () => reissueKey(store, projectId, keyId));
}

/** Changes name, limit or both, from the next request on. Throws `RefusedError` for an unknown project or key. */
export const updateKey = (
  store: AccountStore,
  projectId: string,
  keyId: string,
  changes: { readonly name?: string | undefined; readonly rpm?: number | undefined },
): Promise<StoredKey> =>
  editKey(store, projectId, keyId, {
    action: 'key.update',
    decide: ({ name, rpm }) => ({ name: changes.name ?? name, rpm: changes.rpm ?? rpm }),
  });

/** Revokes a key; its next request is refused. Revoking it again changes nothing. */
export const revokeKey = (store: AccountStore, projectId: string, keyId: string): Promise<StoredKey> =>
  editKey(store, projectId, keyId, {
    action: 'key.revoke',
    decide: ({ status }) => (status === 'revoked' ? {} : { status: 'revoked', revokedAt: isoTime(store.clock.now()) }),
    along: (key) => leavesPlace(store, key),
  });

/** When a key is to expire: at a moment, or so long from now. */
export type Expiry = { readonly atMs: number } | { readonly inMs: number };

/**
 * Lets a key expire. A key that would expire earlier goes on longer only with `extend`; one that has expired or was
 * revoked never works again, since whoever was told so relies on it. Throws `RefusedError` for these, for a moment
 * that has passed and for an unknown project or key.
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
        throw new RefusedError(`Key ${keyId} expires earlier, at ${earlier}; only --extend lets it go on.`);
      }
      return { expiresAtMs };
    },
    along: (key, { expiresAtMs }) => {
      const { replacedBy, ...sets } = { ...key, expiresAtMs: expiresAtMs as number };
      return replacedBy === undefined
        ? [moveActiveKeys(store, projectId, { sets })]
        : inPlaceOf(store, replacedBy, sets);
    },
  });

async function editKey(
  store: AccountStore,
  projectId: string,
  keyId: string,
  request: Pick<Edit<StoredKey>, 'action' | 'decide' | 'along'>,
): Promise<StoredKey> {
  const { accountId } = await readProject(store, projectId);
  const what = `Key ${keyId}`;
  return edit<LocatedKey>(store, {
    key: () => findKey(store, projectId, keyId),
    what,
    // A repeat of its creation moves a key: see `reissueKey`.
    absent: () => new OvertakenError(what),
    subject: () => ({ accountId, projectId, keyId }),
    // All that changes of a key but its use: whoever revokes it is told of a successor that it got meanwhile.
    reliesOn: ['name', 'rpm', 'status', 'expiresAtMs', 'replacedBy'],
    ...request,
    follows: (changed) => ({ ttl: ttlOf(changed) }),
    along: async (key, after) => [
      ...((await request.along?.(key, after)) ?? []),
      ...endMoved(store, accountId, key, { ...key, ...after }),
    ],
  });
}

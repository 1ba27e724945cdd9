import { isoTime } from '../core/clock.ts';
import { generateKeyId } from '../core/ids.ts';
import { moveActiveKeys } from './active-keys.ts';
import { changeAs } from './callers.ts';
import { ControlPlaneError, type ControlPlane } from './control-plane.ts';
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
 * Creates a key. For a person, a repeat under one Idempotency-Key is {@link reissueKey}. Throws `ControlPlaneError` for
 * an unknown project.
 */
export async function createKey(plane: ControlPlane, details: KeyDetails, idempotencyKey?: string): Promise<NewKey> {
  const { projectId, name, lifetimeMs } = details;
  const asked = await creationOf(plane, ['key', projectId], { name, lifetimeMs }, idempotencyKey);
  const keyId = generateKeyId(asked.ids);
  const creation = changeAs(plane, 'member', async () => {
    const { accountId } = await readProject(plane, projectId);
    const { key, stored, changes } = await newKey(plane, accountId, { keyId, ...details }, asked);
    const enters = moveActiveKeys(plane, projectId, { sets: stored, requires: 'room' });
    return { result: { keyId, key }, changes: [requireOpenProject(plane, projectId), ...changes, enters] };
  });
  return orRepeated(creation, () => reissueKey(plane, projectId, keyId));
}

/** Changes name, limit or both, from the next request on. Throws `ControlPlaneError` for an unknown project or key. */
export const updateKey = (
  plane: ControlPlane,
  projectId: string,
  keyId: string,
  changes: { readonly name?: string | undefined; readonly rpm?: number | undefined },
): Promise<StoredKey> =>
  editKey(plane, projectId, keyId, {
    action: 'key.update',
    decide: ({ name, rpm }) => ({ name: changes.name ?? name, rpm: changes.rpm ?? rpm }),
  });

/** Revokes a key; its next request is refused. Revoking it again changes nothing. */
export const revokeKey = (plane: ControlPlane, projectId: string, keyId: string): Promise<StoredKey> =>
  editKey(plane, projectId, keyId, {
    action: 'key.revoke',
    decide: ({ status }) => (status === 'revoked' ? {} : { status: 'revoked', revokedAt: isoTime(plane.clock.now()) }),
    along: (key) => leavesPlace(plane, key),
  });

/** When a key is to expire: at a moment, or so long from now. */
export type Expiry = { readonly atMs: number } | { readonly inMs: number };

/**
 * Lets a key expire. A key that would expire earlier goes on longer only with `extend`; one that has expired or was
 * revoked never works again, since whoever was told so relies on it. Throws `ControlPlaneError` for these, for a moment
 * that has passed and for an unknown project or key.
 */
export const expireKey = (
  plane: ControlPlane,
  projectId: string,
  keyId: string,
  expiry: Expiry,
  extend = false,
): Promise<StoredKey> =>
  editKey(plane, projectId, keyId, {
    action: 'key.expire',
    decide: (key) => {
      const nowMs = plane.clock.now();
      const expiresAtMs = 'atMs' in expiry ? expiry.atMs : nowMs + expiry.inMs;
      requireUsable(key, nowMs);
      if (expiresAtMs < nowMs) throw new ControlPlaneError(`${isoTime(expiresAtMs)} has passed; nothing was changed.`);
      if (!extend && expiresAtMs > (key.expiresAtMs ?? Infinity)) {
        const earlier = isoTime(key.expiresAtMs ?? Infinity);
        throw new ControlPlaneError(`Key ${keyId} expires earlier, at ${earlier}; only --extend lets it go on.`);
      }
      return { expiresAtMs };
    },
    along: (key, { expiresAtMs }) => {
      const { replacedBy, ...sets } = { ...key, expiresAtMs: expiresAtMs as number };
      return replacedBy === undefined
        ? [moveActiveKeys(plane, projectId, { sets })]
        : inPlaceOf(plane, replacedBy, sets);
    },
  });

async function editKey(
  plane: ControlPlane,
  projectId: string,
  keyId: string,
  request: Pick<Edit<StoredKey>, 'action' | 'decide' | 'along'>,
): Promise<StoredKey> {
  const { accountId } = await readProject(plane, projectId);
  const what = `Key ${keyId}`;
  return edit<LocatedKey>(plane, {
    key: () => findKey(plane, projectId, keyId),
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
      ...endMoved(plane, accountId, key, { ...key, ...after }),
    ],
  });
}

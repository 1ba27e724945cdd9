import type { KeyRecord } from '../core/admission.ts';
import { generateApiKey, hashApiKey, lastFour } from '../core/api-key.ts';
import { isoTime } from '../core/clock.ts';
import { generateKeyId } from '../core/ids.ts';
import { audited, type AuditAction } from './audit.ts';
import { commit, ControlPlaneError, create, requireItem, whileOvertaken } from './control-plane.ts';
import type { Change, ControlPlane } from './control-plane.ts';
import { edit, replaceAttributes, told, type Edit } from './edits.ts';
import { readItem } from '../store/items.ts';
import { noSuchProject, readProject } from './projects.ts';
import { findKey, noSuchKey, type StoredKey } from './stored-keys.ts';
import { itemKey } from '../store/table-items.ts';

/** What an operator chooses about a key. */
export interface KeyDetails extends Pick<KeyRecord, 'projectId' | 'mode' | 'scopes' | 'rpm'> {
  readonly name?: string | undefined;
  /** How long the key is valid from its creation on; undefined: for ever. */
  readonly lifetimeMs?: number | undefined;
}

/** A key that was just created. */
export interface NewKey {
  readonly keyId: string;
  /** The whole key. Shown once and never stored. */
  readonly key: string;
}

/** Creates a key. Throws `ControlPlaneError` for an unknown project. */
export async function createKey(plane: ControlPlane, details: KeyDetails): Promise<NewKey> {
  const { projectId } = details;
  const { accountId } = await readProject(plane, projectId);
  const { newKey, changes } = await keyCreation(plane, accountId, details);
  await commit(plane, [requireItem(plane, itemKey.project(projectId), noSuchProject(projectId)), ...changes]);
  return newKey;
}

/** Changes name, limit or both, from the next request on. Throws `ControlPlaneError` for an unknown project or key. */
export const updateKey = (
  plane: ControlPlane,
  projectId: string,
  keyId: string,
  changes: { readonly name?: string | undefined; readonly rpm?: number | undefined },
): Promise<StoredKey> =>
  editKey(plane, projectId, keyId, 'key.update', {
    decide: ({ name, rpm }) => ({ name: changes.name ?? name, rpm: changes.rpm ?? rpm }),
  });

/** Revokes a key; its next request is refused. Revoking it again changes nothing. */
export const revokeKey = (plane: ControlPlane, projectId: string, keyId: string): Promise<StoredKey> =>
  editKey(plane, projectId, keyId, 'key.revoke', {
    decide: ({ status }) => (status === 'revoked' ? {} : { status: 'revoked', revokedAt: isoTime(plane.clock.now()) }),
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
  editKey(plane, projectId, keyId, 'key.expire', {
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
    reliesOn: ['status'],
  });

/**
 * Replaces a key: a new one like it, while the old one goes on for the grace (but never longer than it would have). A
 * key made to last some time is replaced by one that lasts as long again. A key has one successor, so that whoever comes
 * second is told of it and can rotate that one. Throws `ControlPlaneError` for a key that was rotated already, for a
 * revoked, an expired and an unknown one.
 */
export const rotateKey = (plane: ControlPlane, projectId: string, keyId: string, graceMs: number): Promise<NewKey> =>
  whileOvertaken(plane, async () => {
    const oldKey = await findKey(plane, projectId, keyId);
    const { accountId } = await readProject(plane, projectId);
    const old = await readItem<StoredKey>(plane, oldKey);
    if (!old) throw new ControlPlaneError(noSuchKey(projectId, keyId));
    const nowMs = plane.clock.now();
    requireRotatable(old, nowMs);
    const { expiresAtMs, lifetimeMs, mode, scopes, rpm, name, status, replacedBy } = old;
    const { newKey, changes } = await keyCreation(plane, accountId, { projectId, mode, scopes, rpm, name, lifetimeMs });
    const expiry = Math.min(nowMs + graceMs, expiresAtMs ?? Infinity);
    const [before, after] = expiry === expiresAtMs ? [{}, {}] : [{ expiresAtMs }, { expiresAtMs: expiry }];
    await commit(plane, [
      replaceAttributes(plane, {
        key: oldKey,
        what: `Key ${keyId}`,
        seen: { status, expiresAtMs, rpm, name, replacedBy },
        after: { expiresAtMs: expiry, replacedBy: newKey.keyId },
      }),
      ...changes,
      await audited(
        plane,
        'key.rotate',
        { accountId, projectId, keyId },
        { before: told(before), after: { ...told(after), replacedBy: newKey.keyId } },
      ),
    ]);
    return newKey;
  });

async function editKey(
  plane: ControlPlane,
  projectId: string,
  keyId: string,
  action: AuditAction,
  request: Pick<Edit<StoredKey>, 'decide' | 'reliesOn'>,
): Promise<StoredKey> {
  const key = await findKey(plane, projectId, keyId);
  const { accountId } = await readProject(plane, projectId);
  return edit<StoredKey>(plane, {
    key,
    what: `Key ${keyId}`,
    absent: noSuchKey(projectId, keyId),
    action,
    subject: () => ({ accountId, projectId, keyId }),
    ...request,
  });
}

/** Throws `ControlPlaneError` for a key that has a successor, or never works again. */
function requireRotatable(key: StoredKey, nowMs: number): void {
  const { keyId, replacedBy } = key;
  if (replacedBy !== undefined) {
    throw new ControlPlaneError(`Key ${keyId} was rotated already; its successor is ${replacedBy}.`);
  }
  requireUsable(key, nowMs);
}

/** Throws `ControlPlaneError` for a key that never works again. */
function requireUsable({ keyId, status, expiresAtMs }: StoredKey, nowMs: number): void {
  if (status !== 'active') throw new ControlPlaneError(`Key ${keyId} is revoked; create a new one.`);
  if (expiresAtMs !== undefined && nowMs >= expiresAtMs) {
    throw new ControlPlaneError(`Key ${keyId} has expired; create a new one.`);
  }
}

async function keyCreation(
  plane: ControlPlane,
  accountId: string,
  details: KeyDetails,
): Promise<{ newKey: NewKey; changes: Change[] }> {
  const { projectId, mode, scopes, rpm, name, lifetimeMs } = details;
  const nowMs = plane.clock.now();
  const key = generateApiKey(mode, projectId, await plane.keyTagSecrets(), plane.randomBytes);
  const keyId = generateKeyId(plane.randomBytes);
  const keyHash = hashApiKey(key);
  const expiry = lifetimeMs === undefined ? {} : { lifetimeMs, expiresAtMs: nowMs + lifetimeMs };
  const stored: StoredKey = {
    keyId,
    projectId,
    mode,
    scopes,
    rpm,
    status: 'active',
    lastFour: lastFour(key),
    ...(name !== undefined && { name }),
    ...expiry,
    createdAt: isoTime(nowMs),
  };
  const after = told({ name, mode, scopes, rpm, expiresAtMs: expiry.expiresAtMs, status: 'active' });
  const changes = [
    create(plane, { ...itemKey.apiKey(keyHash), ...stored }),
    create(plane, { ...itemKey.keyReference(projectId, keyId), keyId, keyHash }),
    await audited(plane, 'key.create', { accountId, projectId, keyId }, { before: null, after }),
  ];
  return { newKey: { keyId, key }, changes };
}

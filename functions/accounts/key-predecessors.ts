import { isoTime } from '../core/clock.ts';
import { audited, auditValues } from './audit.ts';
import type { Change, AccountStore } from './account-store.ts';
import { moveActiveKeys } from './active-keys.ts';
import { replaceAttributes, unchanged } from './conditional-writes.ts';
import { RefusedError } from './refusals.ts';
import { endOf, locateKey, type LocatedKey, type StoredKey } from './stored-keys.ts';
import { moveListing, ttlOf } from './listed-keys.ts';

/**
 * A rotation that would leave three keys of one chain at work: the key that is to be rotated has itself replaced one that is
 * in its grace. Who names that one ends it.
 */
export class PredecessorError extends RefusedError {
  override readonly name = 'PredecessorError';
  /** The id of the key in its grace. */
  readonly ends: string;

  constructor(keyId: string, { keyId: ends, expiresAtMs }: StoredKey) {
    const until = expiresAtMs === undefined ? '' : ` until ${isoTime(expiresAtMs)}`;
    super(`Key ${ends}, which ${keyId} replaced, goes on${until}; only --ends ${ends} lets it end now.`, {
      code: 'LIMIT_REACHED',
      publicDetail:
        'The key that this one replaced still works. A rotation ends it at once: name it as the one that ends.',
    });
    this.ends = ends;
  }
}

/**
 * The key that a rotation of this one ends: the one that it replaced, where that is in its grace. Throws
 * {@link PredecessorError} unless that is named, and `RefusedError` for the name of another key. Keys that were made by a
 * rotation before it was noted which key they replace are taken for such as replace none.
 */
export async function predecessorToEnd(
  store: AccountStore,
  projectId: string,
  { keyId, replaces }: StoredKey,
  ends: string | undefined,
): Promise<LocatedKey | undefined> {
  const predecessor = await atWork(store, projectId, replaces);
  if (predecessor && predecessor.keyId !== ends) throw new PredecessorError(keyId, predecessor);
  if (ends !== undefined && ends !== replaces) throw new RefusedError(`Key ${keyId} has not replaced key ${ends}.`);
  return predecessor;
}

/** Ends a predecessor with the rotation, and tells of it. */
export async function endedNow(store: AccountStore, accountId: string, key: LocatedKey): Promise<Change[]> {
  const { pk, sk, keyId, projectId, status, expiresAtMs } = key;
  const after = { expiresAtMs: store.clock.now() };
  const ended = { ...key, ...after };
  return [
    replaceAttributes(store, {
      key: { pk, sk },
      what: `Key ${keyId}`,
      seen: { status, expiresAtMs },
      after: { ...after, ttl: ttlOf(ended) },
    }),
    ...moveListing(store, accountId, key, ended),
    await audited(
      store,
      'key.expire',
      { accountId, projectId, keyId },
      { before: auditValues({ expiresAtMs }), after: auditValues(after) },
    ),
  ];
}

/**
 * Takes a key that is revoked off the active ones of its project. Where the one that it replaced is in its grace, that one
 * takes the place: else a project had room for ever more keys, by rotating each and revoking its successor.
 */
export async function leavesPlace(store: AccountStore, key: StoredKey): Promise<Change[]> {
  const { projectId, keyId, replaces } = key;
  const predecessor = await atWork(store, projectId, replaces);
  if (!predecessor) return [moveActiveKeys(store, projectId, { removes: keyId })];
  return [moveActiveKeys(store, projectId, { removes: keyId, sets: predecessor }), asItIs(store, predecessor)];
}

/** Notes another end of a key that was replaced, where it has taken its successor's place. */
export async function inPlaceOf(store: AccountStore, successorId: string, key: StoredKey): Promise<Change[]> {
  const successor = await locateKey(store, key.projectId, successorId);
  if (!successor) return [];
  const moves = successor.status === 'revoked' ? [moveActiveKeys(store, key.projectId, { sets: key })] : [];
  return [...moves, asItIs(store, successor)];
}

/** A key that works; undefined: there is none, or it has ended. */
async function atWork(
  store: AccountStore,
  projectId: string,
  keyId: string | undefined,
): Promise<LocatedKey | undefined> {
  const key = keyId === undefined ? undefined : await locateKey(store, projectId, keyId);
  return key && store.clock.now() < endOf(key) ? key : undefined;
}

/** Requires a key not to have ended, or got another end, meanwhile. */
const asItIs = (store: AccountStore, { pk, sk, keyId, status, expiresAtMs }: LocatedKey): Change =>
  unchanged(store, { key: { pk, sk }, what: `Key ${keyId}`, seen: { status, expiresAtMs } });

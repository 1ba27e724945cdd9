import { isoTime } from '../../shared/time.ts';
import { audited, auditValues } from '../authority/audit.ts';
import type { Change, AccountStore } from '../store/account-store.ts';
import { moveActiveKeys } from '../projects/active-keys.ts';
import { replaceAttributes, unchanged } from '../store/writes.ts';
import { RefusedError } from '../store/refusals.ts';
import { worksUntilMs, locateKey, type LocatedKey, type StoredKey } from './stored-keys.ts';
import { moveListing, ttlOf } from './listed-keys.ts';

/**
 * A rotation that would leave three working keys of one chain: the rotated key has replaced another one that is in its
 * grace. The caller can name that key to end it.
 */
export class PredecessorError extends RefusedError {
  override readonly name = 'PredecessorError';
  /** The id of the key in its grace. */
  readonly ends: string;

  constructor(keyId: string, { keyId: ends, expiresAtMs }: StoredKey) {
    const until = expiresAtMs === undefined ? '' : ` until ${isoTime(expiresAtMs)}`;
    super(`Key ${ends}, which ${keyId} replaced, works${until}; only --ends ${ends} ends it now.`, {
      code: 'LIMIT_REACHED',
      publicDetail:
        'The key that this one replaced still works. A rotation ends it at once: name it as the one that ends.',
    });
    this.ends = ends;
  }
}

/**
 * The key that a rotation of this one ends: its predecessor, if that is in its grace. Throws {@link PredecessorError}
 * unless it is named, and `RefusedError` when another key is named. Keys without a stored predecessor, from an older
 * version, count as without one.
 */
export async function predecessorToEnd(
  store: AccountStore,
  projectId: string,
  { keyId, replaces }: StoredKey,
  ends: string | undefined,
): Promise<LocatedKey | undefined> {
  const predecessor = await readWorkingKey(store, projectId, replaces);
  if (predecessor && predecessor.keyId !== ends) throw new PredecessorError(keyId, predecessor);
  if (ends !== undefined && ends !== replaces) throw new RefusedError(`Key ${keyId} has not replaced key ${ends}.`);
  return predecessor;
}

/** Ends a predecessor as part of the rotation, with an audit event. */
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
 * Removes a revoked key from the active keys of its project. If its predecessor is in its grace, that key takes the
 * place. Otherwise people could get any number of keys, by rotating each one and revoking its successor.
 */
export async function releaseActivePlace(store: AccountStore, accountId: string, key: StoredKey): Promise<Change[]> {
  const { projectId, keyId, replaces } = key;
  const of = { accountId, projectId };
  const predecessor = await readWorkingKey(store, projectId, replaces);
  if (!predecessor) return moveActiveKeys(store, of, { removes: keyId });
  return [...moveActiveKeys(store, of, { removes: keyId, sets: predecessor }), unchangedKey(store, predecessor)];
}

/** Stores another end of a replaced key, if it has taken its successor's place. */
export async function moveActivePlace(
  store: AccountStore,
  accountId: string,
  successorId: string,
  key: StoredKey,
): Promise<Change[]> {
  const { projectId } = key;
  const successor = await locateKey(store, projectId, successorId);
  if (!successor) return [];
  const moves = successor.status === 'revoked' ? moveActiveKeys(store, { accountId, projectId }, { sets: key }) : [];
  return [...moves, unchangedKey(store, successor)];
}

/** A key that works; undefined: it does not exist, or has ended. */
export async function readWorkingKey(
  store: AccountStore,
  projectId: string,
  keyId: string | undefined,
): Promise<LocatedKey | undefined> {
  const key = keyId === undefined ? undefined : await locateKey(store, projectId, keyId);
  return key && store.clock.now() < worksUntilMs(key) ? key : undefined;
}

/** Requires that a key has not ended or changed its end meanwhile. */
const unchangedKey = (store: AccountStore, { pk, sk, keyId, status, expiresAtMs }: LocatedKey): Change =>
  unchanged(store, { key: { pk, sk }, what: `Key ${keyId}`, seen: { status, expiresAtMs } });

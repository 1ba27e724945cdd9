import { isoTime } from '../../shared/time.ts';
import { allFulfilled } from '../../shared/fulfilled.ts';
import { generateId } from '../../shared/ids.ts';
import { moveActiveKeys } from '../projects/active-keys.ts';
import { audited, auditValues } from '../authority/audit.ts';
import { changeAs } from '../authority/authority.ts';
import type { AccountStore } from '../store/account-store.ts';
import { creationOf, orRepeated, repeatOf } from '../store/idempotency.ts';
import { RefusedError } from '../store/refusals.ts';
import { replaceAttributes } from '../store/writes.ts';
import { endedNow, predecessorToEnd } from './key-predecessors.ts';
import { showKeyAgain, newKey, type NewKey } from './new-keys.ts';
import { moveListing, ttlOf } from './listed-keys.ts';
import { readProject, requireOpenProject } from '../projects/stored-projects.ts';
import { itemKey } from '../../shared/store/items.ts';
import { readItem } from '../../shared/store/tables.ts';
import { inheritedOf, readKey, requireUnreplaced, requireUsable, seenOf } from './stored-keys.ts';

/** The result of a rotation for the old key. */
export interface Rotated {
  /** When the old key ends; absent in the answer to a repeated rotation. */
  readonly replacedExpiresAt?: string;
}

/**
 * Replaces a key, once, by a new one like it. The old key works until the end of the grace, but never beyond its own
 * expiry. The successor has the lifetime of the key, which a changed expiry changes. A person's repeat under one
 * Idempotency-Key is {@link showKeyAgain}. Throws `RefusedError` for an unknown, revoked, expired or replaced key, and
 * `PredecessorError` when the key's own predecessor is in its grace: at most two keys of a chain work.
 *
 * @param ends the id of that predecessor, which ends at once; if it is no longer in its grace, nothing ends
 */
export async function rotateKey(
  store: AccountStore,
  projectId: string,
  keyId: string,
  graceMs: number,
  idempotencyKey?: string,
  ends?: string,
): Promise<NewKey & Rotated> {
  const asked = await creationOf(store, ['rotation', projectId, keyId], { graceMs, ends }, idempotencyKey);
  const newKeyId = generateId('key', asked.ids);
  const rotation = changeAs(store, 'member', async () => {
    const [{ accountId }, old] = await allFulfilled([readProject(store, projectId), readKey(store, projectId, keyId)]);
    const { pk, sk, expiresAtMs, mode, scopes, replacedBy } = old;
    if (replacedBy === newKeyId) {
      throw repeatOf(asked, await readItem(store, itemKey.keyReference(projectId, newKeyId)));
    }
    const nowMs = store.clock.now();
    requireUnreplaced(old);
    requireUsable(old, nowMs);
    if (old.paused) {
      const publicDetail = 'This key is paused. Resume it first.';
      throw new RefusedError(`Key ${keyId} is paused; resume it first.`, { code: 'KEY_NOT_ACTIVE', publicDetail });
    }
    const ended = await predecessorToEnd(store, projectId, old, ends);
    const like = { ...inheritedOf(old), keyId: newKeyId, projectId, mode, scopes, replaces: keyId };
    const { key, stored, changes } = await newKey(store, accountId, like, asked);
    const expiry = Math.min(nowMs + graceMs, expiresAtMs ?? Infinity);
    const ending = { ...old, expiresAtMs: expiry, replacedBy: newKeyId };
    const [before, after] = expiry === expiresAtMs ? [{}, {}] : [{ expiresAtMs }, { expiresAtMs: expiry }];
    return {
      result: { keyId: newKeyId, key, replacedExpiresAt: isoTime(expiry) },
      changes: [
        requireOpenProject(store, projectId),
        replaceAttributes(store, {
          key: { pk, sk },
          what: `Key ${keyId}`,
          seen: seenOf(old),
          after: { expiresAtMs: expiry, replacedBy: newKeyId, ttl: ttlOf(ending) },
        }),
        ...moveListing(store, accountId, old, ending, { replacedAt: isoTime(nowMs) }),
        ...changes,
        ...(ended ? await endedNow(store, accountId, ended) : []),
        ...moveActiveKeys(store, { accountId, projectId }, { sets: stored, removes: keyId, requires: 'removed' }),
        await audited(
          store,
          'key.rotate',
          { accountId, projectId, keyId },
          { before: auditValues(before), after: { ...auditValues(after), replacedBy: newKeyId } },
        ),
      ],
    };
  });
  return orRepeated(rotation, () => showKeyAgain(store, projectId, newKeyId, asked));
}

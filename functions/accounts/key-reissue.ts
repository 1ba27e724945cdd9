import { MS_PER_MINUTE } from '../core/clock.ts';
import { allFulfilled } from '../core/fulfilled.ts';
import { audited } from './audit.ts';
import { changeAs } from './callers.ts';
import { RefusedError, create, type AccountStore } from './account-store.ts';
import { deleteItem, replaceAttributes } from './conditional-writes.ts';
import { listKey } from './listed-keys.ts';
import { newSecret, type NewKey } from './new-keys.ts';
import { readProject, requireOpenProject } from './stored-projects.ts';
import { readKey, type StoredKey } from './stored-keys.ts';
import { itemKey } from '../store/table-items.ts';

/** How long after a key's creation its answer may be asked for again. */
const REISSUED_FOR_MS = 10 * MS_PER_MINUTE;

/**
 * Answers a repeated creation whose first answer was lost. A key cannot be shown again, so the same key id gets another
 * secret and the unseen one dies, while nobody has used it. Throws `RefusedError` when it was used, was changed or
 * is older than ten minutes.
 */
export const reissueKey = (store: AccountStore, projectId: string, keyId: string): Promise<NewKey> =>
  changeAs(store, 'member', async () => {
    const [{ accountId }, old] = await allFulfilled([readProject(store, projectId), readKey(store, projectId, keyId)]);
    if (!isUnseen(old, store.clock.now())) {
      throw new RefusedError(`Key ${keyId} was created already, and cannot be shown again.`, {
        code: 'CHANGED_MEANWHILE',
      });
    }
    const { pk, sk, ...stored } = old;
    const { key, keyHash, lastFour } = await newSecret(store, stored);
    const what = `Key ${keyId}`;
    const changes = [
      requireOpenProject(store, projectId),
      deleteItem(store, { key: { pk, sk }, what, seen: { ...seenOf(stored), window: undefined } }),
      create(store, { ...itemKey.apiKey(keyHash), ...stored, lastFour }),
      listKey(store, accountId, stored, keyHash),
      replaceAttributes(store, {
        key: itemKey.keyReference(projectId, keyId),
        what,
        seen: {},
        after: { keyHash },
      }),
      await audited(store, 'key.reissue', { accountId, projectId, keyId }, { before: {}, after: {} }),
    ];
    return { result: { keyId, key }, changes };
  });

const isUnseen = (
  { status, window, replacedBy, createdAt, expiresAtMs = Infinity }: StoredKey,
  nowMs: number,
): boolean =>
  status === 'active' &&
  window === undefined &&
  replacedBy === undefined &&
  nowMs < expiresAtMs &&
  nowMs < Date.parse(createdAt) + REISSUED_FOR_MS;

/** What the new item takes over, and what would have made the key another. */
const seenOf = ({ status, replacedBy, name, rpm, expiresAtMs }: StoredKey) => ({
  status,
  replacedBy,
  name,
  rpm,
  expiresAtMs,
});

import { accountItemKey, AUDIT_PREFIX } from '../accounts/store/account-items.ts';
import type { AccountStore, StoredItem } from '../accounts/store/account-store.ts';
import { MARK_PREFIX, noticeItemKey } from '../accounts/store/notice-items.ts';
import { readItem } from '../shared/store/tables.ts';
import type { Notice, NoticeSource } from './notice.ts';
import { noticeOf } from './stream/notice-of.ts';

/** The notice of a source, by a consistent read. Undefined: there is no such source, or it has no notice. */
export async function readNotice(store: AccountStore, { accountId, sk }: NoticeSource): Promise<Notice | undefined> {
  const key = sk.startsWith(AUDIT_PREFIX)
    ? accountItemKey.audit(accountId, sk.slice(AUDIT_PREFIX.length))
    : noticeItemKey.marker(accountId, sk.slice(MARK_PREFIX.length));
  const item = await readItem<StoredItem>(store, key);
  return item && noticeOf(item);
}

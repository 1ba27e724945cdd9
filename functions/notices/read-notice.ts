import { accountItemKey } from '../accounts/account-items.ts';
import type { AccountStore, StoredItem } from '../accounts/account-store.ts';
import { noticeItemKey } from '../accounts/mail/notice-items.ts';
import { readItem } from '../shared/store/items.ts';
import type { Notice, NoticeSource } from './notice.ts';
import { noticeOf } from './changes/notice-of.ts';

/** The notice of a source, by a consistent read. Undefined: there is no such source, or it has no notice. */
export async function readNotice(store: AccountStore, { accountId, sk }: NoticeSource): Promise<Notice | undefined> {
  const { pk } = sk.startsWith(AUDIT) ? accountItemKey.audit(accountId, '') : noticeItemKey.marker(accountId, '');
  const item = await readItem<StoredItem>(store, { pk, sk });
  return item && noticeOf(item);
}

const { sk: AUDIT } = accountItemKey.audit('', '');

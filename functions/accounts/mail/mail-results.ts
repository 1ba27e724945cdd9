import { isoTime, MS_PER_DAY, ttlAt } from '../../shared/clock.ts';
import { allFulfilled } from '../../shared/fulfilled.ts';
import { itemsFrom } from '../../shared/store/tables.ts';
import type { AccountStore } from '../store/account-store.ts';
import type { MailState } from './mail-states.ts';
import { putUnlessStale } from '../store/writes.ts';
import { noticeItemKey } from '../store/notice-items.ts';

/** What became of a mail about a notice: ids only. */
export interface MailResult {
  readonly noticeId: string;
  /** The id of the mail, which may hold other notices too. */
  readonly mailId: string;
  readonly accountId: string;
  /** Null: the person is not a member any more. */
  readonly memberId: string | null;
  /** The id of the mail at SES; null: SES did not take it. */
  readonly messageId: string | null;
  readonly state: MailState;
  readonly at: string;
}

const KEPT_MS = 90 * MS_PER_DAY;

/** Stores what became of a mail, under each of its notices. */
export async function noteMailResult(
  store: AccountStore,
  { noticeIds, ...mail }: Omit<MailResult, 'noticeId' | 'at'> & { readonly noticeIds: readonly string[] },
): Promise<void> {
  const nowMs = store.clock.now();
  await allFulfilled(
    noticeIds.map((noticeId) => {
      const result: MailResult = { ...mail, noticeId, at: isoTime(nowMs) };
      const key = noticeItemKey.mailResult(noticeId, mail.memberId ?? 'former');
      return putUnlessStale(store, { ...key, ...result, ttl: ttlAt(nowMs + KEPT_MS) });
    }),
  );
}

/** What became of the mails about a notice, a row for each recipient. None: none was made, or more than 90 days ago. */
export async function* listMailResults(store: AccountStore, noticeId: string): AsyncGenerator<MailResult> {
  const all = itemsFrom<MailResult>(store, noticeItemKey.mailResult(noticeId, ''));
  for await (const { mailId, accountId, memberId, messageId, state, at } of all) {
    yield { noticeId, mailId, accountId, memberId, messageId, state, at };
  }
}

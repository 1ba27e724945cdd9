import { accountItemKey } from '../../accounts/account-items.ts';
import type { StoredReplay } from '../../accounts/mail/notice-replays.ts';
import { noticeItemKey } from '../../accounts/mail/notice-items.ts';
import { isoTime } from '../../shared/rules/clock.ts';
import { itemsFrom } from '../../shared/store/items.ts';
import type { NoticesDependencies } from '../dependencies.ts';
import { unlessUnreadable } from '../failures.ts';
import { enqueueNotice } from '../messages.ts';
import { noticeOf } from './notice-of.ts';

/**
 * Tells the notices of an account since a time again, from its audit events and markers. Ids are the same as before, so
 * whoever was told is not told twice.
 */
export async function replayNotices(
  dependencies: NoticesDependencies,
  { accountId, sinceMs }: Pick<StoredReplay, 'accountId' | 'sinceMs'>,
): Promise<void> {
  const { store, telemetry } = dependencies;
  const since = isoTime(sinceMs);
  for (const from of [accountItemKey.audit(accountId, ''), noticeItemKey.marker(accountId, '')]) {
    for await (const item of itemsFrom(store, from)) {
      if (typeof item.at === 'string' && item.at < since) continue;
      const sk = item.sk as string;
      await unlessUnreadable(telemetry, 'a source', { accountId, sk }, async () => {
        const notice = noticeOf(item);
        if (notice) await enqueueNotice(dependencies, notice, { accountId, sk });
      });
    }
  }
}

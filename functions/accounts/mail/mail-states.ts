import { isoTime, MS_PER_DAY, ttlAt } from '../../shared/time.ts';
import { itemsFrom, readBatches } from '../../shared/store/tables.ts';
import type { AccountStore } from '../store/account-store.ts';
import type { AddressHash } from './mailed-addresses.ts';
import { noticeItemKey } from '../store/notice-items.ts';
import { putUnlessStale } from '../store/writes.ts';
import { absentOr, not } from '../store/expressions.ts';

/**
 * The result of the last mail to a member. `limited`: a bound of the day is reached. `held`: too many invitations of
 * the account or the inviter came back. `bounced`: the address takes no mail, or its owner marked the mail as spam.
 * `stopped`: the person wants no such mails. `refused`: the mail was not taken.
 */
export type MailState = 'sent' | 'limited' | 'held' | 'bounced' | 'stopped' | 'refused';

/** What became of any mail. `recent`: another of its kind about the same thing was sent within the hour. */
export type MailOutcome = MailState | 'recent';

interface StoredMailState {
  readonly memberId: string;
  readonly noticeId: string;
  readonly state: MailState;
  readonly at: string;
  /** The address of the mail, if its recipient can stop the account's mails. */
  readonly hash?: AddressHash;
}

/** How long it is kept. */
const KEPT_MS = 90 * MS_PER_DAY;

/** A mail to a member. */
export interface MailReference {
  readonly accountId: string;
  readonly memberId: string;
  readonly noticeId: string;
}

/** Stores the result of a mail. `sent` does not replace `bounced` of the same mail, in whichever order they arrive. */
export async function noteMailState(
  store: AccountStore,
  { accountId, memberId, noticeId }: MailReference,
  state: MailState,
  hash?: AddressHash,
): Promise<void> {
  const nowMs = store.clock.now();
  const item: StoredMailState = { memberId, noticeId, state, at: isoTime(nowMs), ...(hash !== undefined && { hash }) };
  await putUnlessStale(
    store,
    {
      ...noticeItemKey.mailState(accountId, memberId),
      ...item,
      ttl: ttlAt(nowMs + KEPT_MS),
    },
    ...(state === 'sent' ? [{ noticeId: absentOr(not(noticeId)) }, { state: not('bounced' satisfies MailState) }] : []),
  );
}

/**
 * The result of the last mail to each member of an account, in the order of their ids, including former members. The
 * next page is read when the iteration needs it.
 */
export async function* listMailStates(store: AccountStore, accountId: string): AsyncGenerator<StoredMailState> {
  const all = noticeItemKey.mailState(accountId, '');
  for await (const { memberId, noticeId, state, at } of itemsFrom<StoredMailState>(store, all)) {
    yield { memberId, noticeId, state, at };
  }
}

/**
 * The state of mails to these members, for the team page, by member id. `stopped` while the member has stopped the
 * account's mails, otherwise the result of the last mail. Absent: no mail, or the stop that the last mail met has
 * ended. It reads an item a member, however many former members there are.
 */
export async function readMailStates(
  store: AccountStore,
  accountId: string,
  memberIds: readonly string[],
): Promise<ReadonlyMap<string, MailState>> {
  const items = await readBatches<StoredMailState>(
    store,
    memberIds.map((memberId) => noticeItemKey.mailState(accountId, memberId)),
  );
  const found = items.filter((item) => item !== undefined);
  const hashes = [...new Set(found.flatMap(({ hash }) => hash ?? []))];
  const stored = await readBatches(
    store,
    hashes.map((hash) => noticeItemKey.mailOptOut(accountId, hash)),
  );
  const stops = new Set(hashes.filter((_hash, i) => stored[i] !== undefined));
  const states = new Map<string, MailState>();
  for (const { memberId, state, hash } of found) {
    if (hash !== undefined && stops.has(hash)) states.set(memberId, 'stopped');
    else if (hash === undefined || state !== 'stopped') states.set(memberId, state);
  }
  return states;
}

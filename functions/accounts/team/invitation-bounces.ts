import { MS_PER_DAY, ttlAt } from '../../shared/time.ts';
import { StoreBusyError } from '../../shared/http/errors.ts';
import { readItem, readTogether } from '../../shared/store/tables.ts';
import type { AccountStore } from '../store/account-store.ts';
import { NO_ITEM, putUnlessStale, removeItem } from '../store/writes.ts';
import { noticeItemKey } from '../store/notice-items.ts';

/** So many of the last invitations by mail are remembered, and so many of them may come back. */
const LAST = 20;
const MAX_BOUNCED = 5;
/** Whoever is above that sends no invitation by mail for so long. SES pauses the whole stage at 10 %. */
const HELD_MS = 7 * MS_PER_DAY;
const KEPT_MS = 90 * MS_PER_DAY;
const MAX_ATTEMPTS = 10;

/** Who caused an invitation: its account, and the identity that invited. The first is the account. */
export type Causes = readonly [accountId: string, identity?: string];

interface Sent {
  readonly mailId: string;
  readonly hasBounced?: boolean;
  /** The identity that invited; in the account's item. */
  readonly by?: string;
}

interface StoredBounces {
  readonly version: number;
  /** The newest last. */
  readonly sent: readonly Sent[];
  readonly heldUntilMs?: number;
}

/** Whether invitations of these causes are held, since too many came back. */
export async function isHeld(store: AccountStore, causes: Causes): Promise<boolean> {
  const keys = causes.flatMap((cause) => cause ?? []).map(noticeItemKey.bounces);
  const items = await readTogether<StoredBounces>(store, keys);
  return items.some((item) => store.clock.now() < (item?.heldUntilMs ?? 0));
}

/**
 * Remembers an invitation that was sent, unless others are first at every attempt: a failure here would send the mail
 * again. A repeat changes nothing. Returns whether it is remembered.
 */
export const noteInvitationSent = (store: AccountStore, causes: Causes, mailId: string): Promise<boolean> =>
  ofEach(store, causes, (stored, by) =>
    stored.sent.some((sent) => sent.mailId === mailId)
      ? undefined
      : { ...stored, sent: [...stored.sent, { mailId, ...(by !== undefined && { by }) }].slice(-LAST) },
  );

/**
 * Remembers that an invitation came back. The fifth of the last twenty holds the next ones for seven days. Throws
 * `StoreBusyError` when others were first at every attempt. It may be repeated.
 */
export async function noteInvitationBounced(store: AccountStore, causes: Causes, mailId: string): Promise<void> {
  const isNoted = await ofEach(store, causes, (stored) => {
    if (!stored.sent.some((sent) => sent.mailId === mailId && sent.hasBounced !== true)) return undefined;
    const sent = stored.sent.map((one) => (one.mailId === mailId ? { ...one, hasBounced: true } : one));
    const bounced = sent.filter(({ hasBounced }) => hasBounced === true).length;
    return { ...stored, sent, ...(bounced >= MAX_BOUNCED && { heldUntilMs: store.clock.now() + HELD_MS }) };
  });
  if (!isNoted) throw new StoreBusyError('conflict');
}

/** Lets an account and those who invited for it send invitations again. Returns whether any was held. */
export async function allowInvitations(store: AccountStore, accountId: string): Promise<boolean> {
  const stored = await readItem<StoredBounces>(store, noticeItemKey.bounces(accountId));
  // The account last: it names the others, for a repeat after a failure.
  const causes = [...new Set(stored?.sent.flatMap(({ by }) => by ?? [])), accountId];
  let wasHeld = false;
  for (const cause of causes) {
    const removed = await removeItem(store, noticeItemKey.bounces(cause));
    wasHeld ||= store.clock.now() < Number(removed?.heldUntilMs ?? 0);
  }
  return wasHeld;
}

async function ofEach(
  store: AccountStore,
  [accountId, identity]: Causes,
  change: (stored: StoredBounces, by: string | undefined) => StoredBounces | undefined,
): Promise<boolean> {
  const ofAccount = await changed(store, accountId, (stored) => change(stored, identity));
  if (identity === undefined) return ofAccount;
  return (await changed(store, identity, (stored) => change(stored, undefined))) && ofAccount;
}

async function changed(
  store: AccountStore,
  cause: string,
  change: (stored: StoredBounces) => StoredBounces | undefined,
): Promise<boolean> {
  const key = noticeItemKey.bounces(cause);
  for (let made = 1; made <= MAX_ATTEMPTS; made++) {
    const stored = await readItem<StoredBounces>(store, key);
    const next = change(stored ?? { version: 0, sent: [] });
    if (!next) return true;
    const ttl = ttlAt(store.clock.now() + KEPT_MS);
    const item = { ...key, ...next, version: next.version + 1, ttl };
    const { isWritten } = await putUnlessStale(store, item, stored ? { version: stored.version } : NO_ITEM);
    if (isWritten) return true;
  }
  return false;
}

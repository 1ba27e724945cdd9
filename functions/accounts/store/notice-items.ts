import type { ItemKey } from '../../shared/store/items.ts';

/** What the sort keys of these items begin with. */
export const MARK_PREFIX = 'MARK#';
export const RETELL_PREFIX = 'RETELL#';
export const LEFT_KEYS_PREFIX = 'LEFT-KEYS#';
export const DELIVERY_PREFIX = 'DELIVERY#';

/** Stands for an account in what a report leaves. */
export const REPORT = 'report';

/** The keys of items that only notices use (docs/architecture.md, "Data model"). */
export const noticeItemKey = {
  /** A threshold that was reached, or a key that will expire: put once, under the condition that it is absent. */
  marker: (accountId: string, position: string): ItemKey => ofAccount(accountId, `${MARK_PREFIX}${position}`),
  /** A request of the platform team to tell the account's notices again. */
  retell: (accountId: string, id: string): ItemKey => ofAccount(accountId, `${RETELL_PREFIX}${id}`),
  /** Keys that a report has left to be ended, of any account; in the second by the whole sort key. */
  newLeftKeys: (id: string): ItemKey => ofAccount(REPORT, `${LEFT_KEYS_PREFIX}${id}`),
  leftKeys: (sk: string): ItemKey => ofAccount(REPORT, sk),
  endpoint: (accountId: string, endpointId: string): ItemKey => ofAccount(accountId, `ENDPOINT#${endpointId}`),
  /** The id of a deleted endpoint, which no other gets. */
  endedEndpoint: (accountId: string, endpointId: string): ItemKey => ofAccount(accountId, `ENDED#${endpointId}`),
  /** How many endpoints the account has. */
  endpointCount: (accountId: string): ItemKey => ofAccount(accountId, 'ENDPOINTS'),
  /** Ids of deliveries begin with their time, so they sort by time. */
  delivery: (accountId: string, endpointId: string, deliveryId: string): ItemKey =>
    ofAccount(accountId, `${DELIVERY_PREFIX}${endpointId}#${deliveryId}`),
  /** The deliveries of an account that wait. */
  backlog: (accountId: string): ItemKey => ofAccount(accountId, 'BACKLOG'),
  /** The result of the last mail to a member or an invited member. */
  mailState: (accountId: string, memberId: string): ItemKey => ofAccount(accountId, `MAIL#${memberId}`),
  /** An address has stopped the account's mails. The key has its keyed hash. */
  mailOptOut: (accountId: string, addressHash: string): ItemKey => ofAccount(accountId, `MAIL-OPTOUT#${addressHash}`),
  /** The key of a chain that was last found to spend from its cap. */
  capKey: (accountId: string, capId: string): ItemKey => ofAccount(accountId, `CAPKEY#${capId}`),
  /**
   * Data about an address, by its keyed hash: `BOUNCED`, `OPTOUT#invitations`, `SENT#<notice id>`, `DAY#<day>` with the
   * number of its mails, and `HOUR#<account>#<subject>` until when no other such mail is sent.
   */
  address: (addressHash: string, what: string): ItemKey => ({ pk: `MAILED#${addressHash}`, sk: what }),
  /** What became of a mail about a notice, by recipient. */
  mailResult: (noticeId: string, memberId: string): ItemKey => ({ pk: `MAILED#${noticeId}`, sk: `TO#${memberId}` }),
  /** The key of these hashes, sealed. */
  addressKey: (): ItemKey => ({ pk: 'MAILED#KEY', sk: 'KEY' }),
  /** The number of mails that an identity or an account caused in a day. */
  mailsInDay: (cause: string, day: string): ItemKey => ({ pk: `MAILED#${cause}`, sk: `DAY#${day}` }),
  /** The last invitations by mail that an identity or an account caused, and which of them came back. */
  bounces: (cause: string): ItemKey => ({ pk: `MAILED#${cause}`, sk: 'BOUNCES' }),
  /** A key or a token that ends on a UTC day: see `expiring.ts`. */
  expiring: (day: string, shard: string, id: string): ItemKey => ({ pk: `EXPIRING#${day}#${shard}`, sk: id }),
  /** An account that has chosen days before an end, and which. */
  expiryDays: (accountId: string): ItemKey => ({ pk: 'EXPIRY-DAYS', sk: accountId }),
  /** A project that was charged in a period, by the UTC day on which the stream told it: see `ledgers.ts`. */
  charged: (day: string, shard: string, id: string): ItemKey => ({ pk: `CHARGED#${day}#${shard}`, sk: id }),
  /** The progress of the daily run of a UTC day. */
  run: (day: string): ItemKey => ({ pk: 'NOTICES', sk: `EXPIRING#${day}` }),
  /** How far the items of what older versions made are written. */
  backfill: (): ItemKey => ({ pk: 'NOTICES', sk: 'BACKFILL' }),
} as const;

const ofAccount = (accountId: string, sk: string): ItemKey => ({ pk: `NOTICES#${accountId}`, sk });

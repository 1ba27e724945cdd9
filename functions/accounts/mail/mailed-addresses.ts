import { timingSafeEqual } from 'node:crypto';
import { foldedAddress } from '../../shared/address.ts';
import { isoTime, MS_PER_DAY, MS_PER_SECOND, ttlAt } from '../../shared/time.ts';
import { keyedHash } from '../../shared/credentials/api-key.ts';
import type { ItemKey } from '../../shared/store/items.ts';
import { readTogether } from '../../shared/store/tables.ts';
import type { AccountStore } from '../store/account-store.ts';
import { readAddressKey, requireAddressKey, type AddressKey } from './address-key.ts';
import { putUnlessStale, removeItem } from '../store/writes.ts';
import { noticeItemKey } from '../store/notice-items.ts';

/**
 * The stored form of an address: its hash of 256 bits under the key of addresses, in hex. Without that key nobody can
 * find out the address.
 */
export type AddressHash = string;

/** The mails that an address can opt out of: invitations of any account, or mails about one account. */
export type MailScope = 'invitations' | `acc_${string}`;

/** How long an address gets no mail after a bounce. People come back, and addresses are given to others. */
const BOUNCED_MS = 365 * MS_PER_DAY;

/** The hash under which data about an address is stored. */
export const addressHash = (key: AddressKey, email: string): AddressHash =>
  keyedHash(key, 'mailed address', [foldedAddress(email)]).toString('hex');

/**
 * The mailbox of an address. Invitations are counted and stopped by mailbox. Most providers deliver
 * `ada+anything@example.com` to `ada@example.com`. So one mailbox has any number of addresses, and an inviter could
 * always invent another one. Nothing else uses the mailbox, since some providers deliver the two addresses to different
 * people.
 */
export const mailboxHash = (key: AddressKey, email: string): AddressHash =>
  addressHash(key, email.replace(/^([^+@]+)\+[^@]*@/, '$1@'));

/** Why an address gets no mail of this kind. Undefined: it may get mail. */
export async function stopOf(
  store: AccountStore,
  hash: AddressHash,
  stop: MailStop,
): Promise<'bounced' | 'stopped' | undefined> {
  const [bounced, stopped] = (await readTogether(store, [noticeItemKey.address(hash, 'BOUNCED'), stopKey(stop)])) as [
    { readonly ttl?: number }?,
    object?,
  ];
  if (stopped) return 'stopped';
  const nowSeconds = store.clock.now() / MS_PER_SECOND;
  return bounced && nowSeconds < (bounced.ttl ?? Infinity) ? 'bounced' : undefined;
}

/** The stop for an account's mails is stored in the partition of its notices. */
const stopKey = ({ hash, scope }: MailStop): ItemKey =>
  scope === 'invitations' ? noticeItemKey.address(hash, `OPTOUT#${scope}`) : noticeItemKey.mailOptOut(scope, hash);

/** Stores that an address gets no mail: it does not exist, or its owner marked a mail as spam. */
export async function noteBounced(store: AccountStore, email: string, why: 'bounce' | 'complaint'): Promise<void> {
  const nowMs = store.clock.now();
  await putUnlessStale(store, {
    ...noticeItemKey.address(addressHash(await requireAddressKey(store), email), 'BOUNCED'),
    why,
    at: isoTime(nowMs),
    ttl: ttlAt(nowMs + BOUNCED_MS),
  });
}

/**
 * Writes to an address again after a bounce or a complaint. Returns whether it was kept from that. SES has a list of
 * its own (`aws sesv2 delete-suppressed-destination`).
 */
export async function allowBounced(store: AccountStore, email: string): Promise<boolean> {
  const key = await readAddressKey(store);
  if (!key) return false;
  return (await removeItem(store, noticeItemKey.address(addressHash(key, email), 'BOUNCED'))) !== undefined;
}

/** What a token allows: to stop these mails to this address, and to allow them again. */
export interface MailStop {
  readonly hash: AddressHash;
  readonly scope: MailScope;
}

/** The stop of such mails to an address. Invitations are stopped for its whole mailbox. */
export const mailStop = (key: AddressKey, email: string, scope: MailScope): MailStop => ({
  hash: scope === 'invitations' ? mailboxHash(key, email) : addressHash(key, email),
  scope,
});

const TOKEN = /^([0-9a-f]{64})\.(invitations|acc_[0-9A-Za-z]{16})\.([0-9A-Za-z_-]{43})$/;

/**
 * The token in a mail that stops such mails without a session. Whoever has the mail can read mail of this address. The
 * token holds no address, and allows nothing else.
 */
export const stopToken = (key: AddressKey, { hash, scope }: MailStop): string =>
  `${hash}.${scope}.${macOf(key, hash, scope).toString('base64url')}`;

/** The stop that a token allows; undefined: the token is not ours. */
export async function readStopToken(store: AccountStore, token: string): Promise<MailStop | undefined> {
  const [, hash, scope, mac] = TOKEN.exec(token) ?? [];
  if (hash === undefined || scope === undefined || mac === undefined) return undefined;
  const key = await rememberedKey(store);
  if (!key) return undefined;
  const [given, own] = [Buffer.from(mac, 'base64url'), macOf(key, hash, scope)];
  const isOurs = own.length === given.length && timingSafeEqual(own, given);
  return isOurs ? { hash, scope: scope as MailScope } : undefined;
}

/** How long an instance remembers that there is no key yet. A key itself never changes. */
const NO_KEY_MS = 60_000;
const remembered = new WeakMap<object, { readonly key: AddressKey | undefined; readonly untilMs: number }>();

/** The key of addresses, read once by an instance: anybody can send made-up tokens. */
async function rememberedKey(store: AccountStore): Promise<AddressKey | undefined> {
  const known = remembered.get(store.client);
  if (known && store.clock.now() < known.untilMs) return known.key;
  const key = await readAddressKey(store);
  remembered.set(store.client, { key, untilMs: key ? Infinity : store.clock.now() + NO_KEY_MS });
  return key;
}

const macOf = (key: AddressKey, hash: string, scope: string): Buffer => keyedHash(key, 'stop of mails', [hash, scope]);

/** Stops such mails to an address, until the person wants them again. A repeat changes nothing. */
export const stopMails = async (store: AccountStore, stop: MailStop): Promise<void> => {
  await putUnlessStale(store, { ...stopKey(stop), at: isoTime(store.clock.now()) });
};

/** Allows such mails to an address again. */
export const resumeMails = async (store: AccountStore, stop: MailStop): Promise<void> => {
  await removeItem(store, stopKey(stop));
};

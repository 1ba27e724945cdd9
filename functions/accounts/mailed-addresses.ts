import { timingSafeEqual } from 'node:crypto';
import { PutCommand, DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { isoTime, MS_PER_DAY, MS_PER_SECOND } from '../core/clock.ts';
import { keyedHash } from '../core/api-key.ts';
import { callOptions, readTogether, writeItem, type ItemKey } from '../store/items.ts';
import { foldedAddress } from './account-items.ts';
import type { AccountStore } from './account-store.ts';
import { readAddressKey, requireAddressKey, type AddressKey } from './address-key.ts';
import { noticeItemKey } from './notice-items.ts';

/** An address as it is kept: 256 bits under the key of addresses, in hex. Nobody without it finds out which it is. */
export type AddressHash = string;

/** The mails that an address can opt out of: invitations of any account, or mails about one account. */
export type MailScope = 'invitations' | `acc_${string}`;

/** How long an address gets no mail after a bounce. People come back, and addresses are given to others. */
const BOUNCED_MS = 365 * MS_PER_DAY;

/** An address as what is known of it is kept. */
export const addressHash = (key: AddressKey, email: string): AddressHash =>
  keyedHash(key, 'mailed address', [foldedAddress(email)]).toString('hex');

/**
 * The mailbox of an address. Invitations are counted and stopped by mailbox: most providers deliver
 * `ada+anything@example.com` to `ada@example.com`, so one mailbox has any number of addresses, and whoever invites can
 * make up the next. Nothing else uses it, since elsewhere it may be another person's.
 */
export const mailboxHash = (key: AddressKey, email: string): AddressHash =>
  addressHash(key, email.replace(/^([^+@]+)\+[^@]*@/, '$1@'));

/** Why an address gets no mail of the kind that this stop ends. Undefined: it may get mail. */
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

/** That of an account is kept beside what became of its mails, so that its team sees it at once. */
const stopKey = ({ hash, scope }: MailStop): ItemKey =>
  scope === 'invitations' ? noticeItemKey.address(hash, `OPTOUT#${scope}`) : noticeItemKey.mailOptOut(scope, hash);

/** Stores that an address gets no mail: it does not exist, or its owner marked a mail as spam. */
export async function noteBounced(store: AccountStore, email: string, why: 'bounce' | 'complaint'): Promise<void> {
  const nowMs = store.clock.now();
  const Item = {
    ...noticeItemKey.address(addressHash(await requireAddressKey(store), email), 'BOUNCED'),
    why,
    at: isoTime(nowMs),
    ttl: Math.ceil((nowMs + BOUNCED_MS) / MS_PER_SECOND),
  };
  await writeItem(store, () =>
    store.client.send(new PutCommand({ TableName: store.tables.gateway, Item }), callOptions(store)),
  );
}

/** What a token allows: to stop these mails to this address, and to allow them again. */
export interface MailStop {
  readonly hash: AddressHash;
  readonly scope: MailScope;
}

/** What ends such mails to an address: invitations to its whole mailbox. */
export const mailStop = (key: AddressKey, email: string, scope: MailScope): MailStop => ({
  hash: scope === 'invitations' ? mailboxHash(key, email) : addressHash(key, email),
  scope,
});

const TOKEN = /^([0-9a-f]{64})\.(invitations|acc_[0-9A-Za-z]{16})\.([0-9A-Za-z_-]{43})$/;

/**
 * The token in a mail that stops such mails, without a session: who has the mail has the address. It holds no address,
 * and allows nothing else.
 */
export const stopToken = (key: AddressKey, { hash, scope }: MailStop): string =>
  `${hash}.${scope}.${macOf(key, hash, scope).toString('base64url')}`;

/** What a token allows; undefined: it was never made here. */
export async function readStopToken(store: AccountStore, token: string): Promise<MailStop | undefined> {
  const [, hash, scope, mac] = TOKEN.exec(token) ?? [];
  if (hash === undefined || scope === undefined || mac === undefined) return undefined;
  const key = await readAddressKey(store);
  if (!key) return undefined;
  const [given, own] = [Buffer.from(mac, 'base64url'), macOf(key, hash, scope)];
  const isOurs = own.length === given.length && timingSafeEqual(own, given);
  return isOurs ? { hash, scope: scope as MailScope } : undefined;
}

const macOf = (key: AddressKey, hash: string, scope: string): Buffer => keyedHash(key, 'stop of mails', [hash, scope]);

/** Stops such mails to an address, until the person wants them again. A repeat changes nothing. */
export const stopMails = async (store: AccountStore, stop: MailStop): Promise<void> => {
  const Item = { ...stopKey(stop), at: isoTime(store.clock.now()) };
  await writeItem(store, () =>
    store.client.send(new PutCommand({ TableName: store.tables.gateway, Item }), callOptions(store)),
  );
};

/** Allows such mails to an address again. */
export const resumeMails = async (store: AccountStore, stop: MailStop): Promise<void> => {
  await writeItem(store, () =>
    store.client.send(new DeleteCommand({ TableName: store.tables.gateway, Key: stopKey(stop) }), callOptions(store)),
  );
};

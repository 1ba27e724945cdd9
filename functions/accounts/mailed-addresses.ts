import { timingSafeEqual } from 'node:crypto';
import { PutCommand, DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { isoTime, MS_PER_DAY, MS_PER_SECOND } from '../core/clock.ts';
import { keyedHash, type KeyTagSecrets } from '../core/api-key.ts';
import { callOptions, readTogether, writeItem, type ItemKey } from '../store/items.ts';
import { foldedAddress } from './account-items.ts';
import type { AccountStore } from './account-store.ts';
import { noticeItemKey } from './notice-items.ts';

/**
 * The stored form of an address: 256 bits under a secret of the stage, in hex. Without the secret nobody learns the
 * address.
 */
export type AddressHash = string;

/** The mails that an address can opt out of: invitations of any account, or mails about one account. */
export type MailScope = 'invitations' | `acc_${string}`;

/** How long an address gets no mail after a bounce. People come back, and addresses are given to others. */
const BOUNCED_MS = 365 * MS_PER_DAY;

type SecretsOf = Pick<AccountStore, 'keyTagSecrets'>;

/** An address under the newest secret. Everything is written under that secret. */
export const addressHash = async (store: SecretsOf, email: string): Promise<AddressHash> => {
  const [newest] = await store.keyTagSecrets();
  return hashUnder(newest, email);
};

/**
 * The mailbox of an address. Mails are counted by mailbox: most providers deliver `ada+anything@example.com` to
 * `ada@example.com`, so one mailbox has any number of addresses. Nothing else uses it, since elsewhere it may be
 * another person's.
 */
export const mailboxHash = (store: SecretsOf, email: string): Promise<AddressHash> =>
  addressHash(store, email.replace(/^([^+@]+)\+[^@]*@/, '$1@'));

const hashUnder = (secret: KeyTagSecrets[0], email: string): AddressHash =>
  keyedHash(secret, 'mailed address', [foldedAddress(email)]).toString('hex');

/** Why an address gets no mail. Undefined: it may get mail. */
export async function stopOf(
  store: AccountStore,
  email: string,
  scope: MailScope,
): Promise<'bounced' | 'stopped' | undefined> {
  // Under every secret: an opt-out under an earlier secret is still valid.
  const hashes = (await store.keyTagSecrets()).map((secret) => hashUnder(secret, email));
  const [bounced = [], stopped = []] = await Promise.all(
    [hashes.map((hash) => noticeItemKey.address(hash, 'BOUNCED')), hashes.map((hash) => stopKey(hash, scope))].map(
      (keys) => readTogether(store, keys) as Promise<({ readonly ttl?: number } | undefined)[]>,
    ),
  );
  if (stopped.some((item) => item !== undefined)) return 'stopped';
  const nowSeconds = store.clock.now() / MS_PER_SECOND;
  return bounced.some((item) => item !== undefined && nowSeconds < (item.ttl ?? Infinity)) ? 'bounced' : undefined;
}

const stopKey = (hash: AddressHash, scope: MailScope): ItemKey => noticeItemKey.address(hash, `OPTOUT#${scope}`);

/** Stores that an address gets no mail: it does not exist, or its owner marked a mail as spam. */
export async function noteBounced(store: AccountStore, email: string, why: 'bounce' | 'complaint'): Promise<void> {
  const nowMs = store.clock.now();
  const Item = {
    ...noticeItemKey.address(await addressHash(store, email), 'BOUNCED'),
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

const TOKEN = /^([0-9a-f]{64})\.(invitations|acc_[0-9A-Za-z]{16})\.([0-9A-Za-z_-]{43})$/;

/**
 * The token in a mail that stops such mails, without a session: who has the mail has the address. It holds no address,
 * and allows nothing else.
 */
export async function stopToken(store: SecretsOf, { hash, scope }: MailStop): Promise<string> {
  const [newest] = await store.keyTagSecrets();
  return `${hash}.${scope}.${macOf(newest, hash, scope).toString('base64url')}`;
}

/** What a token allows. Undefined: the portal did not make it. */
export async function readStopToken(store: SecretsOf, token: string): Promise<MailStop | undefined> {
  const [, hash, scope, mac] = TOKEN.exec(token) ?? [];
  if (hash === undefined || scope === undefined || mac === undefined) return undefined;
  const given = Buffer.from(mac, 'base64url');
  const isOurs = (await store.keyTagSecrets()).some((secret) => {
    const own = macOf(secret, hash, scope);
    return own.length === given.length && timingSafeEqual(own, given);
  });
  return isOurs ? { hash, scope: scope as MailScope } : undefined;
}

const macOf = (secret: KeyTagSecrets[0], hash: string, scope: string): Buffer =>
  keyedHash(secret, 'stop of mails', [hash, scope]);

/** Stops such mails to an address, until the person wants them again. A repeat changes nothing. */
export const stopMails = async (store: AccountStore, { hash, scope }: MailStop): Promise<void> => {
  const Item = { ...stopKey(hash, scope), at: isoTime(store.clock.now()) };
  await writeItem(store, () =>
    store.client.send(new PutCommand({ TableName: store.tables.gateway, Item }), callOptions(store)),
  );
};

/** Allows such mails to an address again. */
export const resumeMails = async (store: AccountStore, { hash, scope }: MailStop): Promise<void> => {
  await writeItem(store, () =>
    store.client.send(
      new DeleteCommand({ TableName: store.tables.gateway, Key: stopKey(hash, scope) }),
      callOptions(store),
    ),
  );
};

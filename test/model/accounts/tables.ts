import { createHash, createHmac } from 'node:crypto';
import { deepStrictEqual } from 'node:assert/strict';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { AccountStore } from '../../../functions/accounts/account-store.ts';
import { LOCAL_KEY_TAG_SECRET } from '../../../local/settings.ts';
import { partition } from '../../support/database.ts';
import { ISSUER } from './provider.ts';
import { QUOTA_UNITS, RPM } from './projects.ts';
import { countsOf } from './teams.ts';
import { endOf, sortable } from './answers.ts';
import {
  activeKeys,
  ENDED_SHOWN_MS,
  iso,
  isoOrNull,
  type Account,
  type Key,
  type Person,
  type World,
} from './world.ts';

/** Stands for the sealed ID token of a session, which differs each time. */
const SEALED = 'sealed';
export type Item = Readonly<Record<string, unknown>>;
/** Items by partition and sort key. */
type Items = Record<string, Item>;

const COUNTS_KEPT_SECONDS = 3_600;
const SECONDS_PER_MINUTE = 60;
const SECONDS_PER_DAY = 86_400;
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const identityHashOf = (subject: string): string => sha256(`${ISSUER}\n${subject}`);
/** The partition of the limits that a person has used. */
const usedBy = (subject: string): string => `USED#${keyed('use of limits', identityHashOf(subject)).toString('hex')}`;
const keyed = (...texts: readonly string[]): Buffer =>
  createHmac('sha256', LOCAL_KEY_TAG_SECRET).update(JSON.stringify(texts)).digest();
/** Removes undefined members, as in stored items. */
const item = (members: Item): Item =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

/** Every item that must be in the table, without audit events, whose sort keys are random. */
function itemsOf(world: World): Items {
  const items: Items = {};
  const put = (pk: string, sk: string, members: Item): void => void (items[`${pk} ${sk}`] = item(members));
  for (const person of world.people) putPerson(put, person);
  for (const session of world.sessions) {
    const [, secret = ''] = session.token.split('.');
    put(`USER#${session.userId}`, `SESSION#${sha256(secret)}`, {
      ...{ createdAtMs: session.createdAtMs, lastSeenAtMs: session.lastSeenAtMs, expiresAtMs: endOf(session) },
      sessionsSince: isoOrNull(session.sessionsSinceMs) ?? undefined,
      ...{ browser: 'Another browser', sealedIdToken: SEALED, ttl: Math.ceil(endOf(session) / 1000) },
    });
  }
  for (const [name, count] of Object.entries(world.counts)) {
    const [, kind = '', minute = '', subject = ''] = /^(\S+) (\d+) (.*)$/.exec(name) ?? [];
    const ttl = (Number(minute) + 1) * SECONDS_PER_MINUTE + COUNTS_KEPT_SECONDS;
    put(usedBy(subject), `${kind}#${iso(Number(minute) * 60_000)}`, { count, ttl });
  }
  for (const [subject, left] of Object.entries(world.remainders)) {
    if (left) put(usedBy(subject), 'REMAINDER', { accountsCreated: left.accountsCreated, ttl: left.untilMs / 1000 });
  }
  for (const [name, count] of Object.entries(world.projectsMade)) {
    const [accountId, month = ''] = name.split(' ');
    const nextMonthMs = Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)));
    put(`ACCOUNT#${accountId}`, `MADE#${month}`, { count, ttl: nextMonthMs / 1000 + COUNTS_KEPT_SECONDS });
  }
  for (const [name, count] of Object.entries(world.invited)) {
    const [, day = '', subject = '', address = ''] = /^(\S+) (.*) (\S+)$/.exec(name) ?? [];
    const hash = keyed('invited address', address).toString('hex');
    const ttl = Date.parse(day) / 1000 + SECONDS_PER_DAY + COUNTS_KEPT_SECONDS;
    put(usedBy(subject), `INVITED#${day}#${hash}`, { count, ttl });
  }
  for (const listing of world.listings) {
    const { address, accountId, expiresAtMs } = listing;
    put(`INVITED#${sha256(address)}`, `UNTIL#${iso(expiresAtMs)}#${accountId}`, stored(listing));
  }
  for (const account of world.accounts) putAccount(put, world, account);
  for (const [name, { id }] of Object.entries(world.made)) {
    const [, kind, accountId] = name.split(' ');
    if (kind === 'member') put(`ACCOUNT#${accountId}`, `INVITED#${id}`, marked(world, id));
  }
  for (const { projectId, accountId, name, status, createdAtMs, closedAtMs, used, usedOfCaps } of world.projects) {
    const pk = `PROJECT#${projectId}`;
    const createdAt = iso(createdAtMs);
    put(pk, 'PROJECT', { projectId, accountId, name, status, createdAt, quotaLimit: QUOTA_UNITS });
    const closedAt = isoOrNull(closedAtMs) ?? undefined;
    put(`ACCOUNT#${accountId}`, `PROJECT#${projectId}`, { projectId, closedAt, ...marked(world, projectId) });
    const active = activeKeys(world, projectId);
    const expiries = Object.fromEntries(active.map(({ keyId, expiresAtMs = 0 }) => [keyId, expiresAtMs]));
    put(pk, 'KEYS', { keys: expiries, listed: true });
    for (const [month, units] of Object.entries(used)) put(pk, `QUOTA#${month}`, { units });
    for (const [cap, units] of Object.entries(usedOfCaps)) put(pk, `KEYUNITS#${cap.replace(' ', '#')}`, { units });
  }
  for (const key of world.keys) {
    const project = world.projects.find(({ projectId }) => projectId === key.projectId);
    putKey(put, world, project?.accountId ?? '', key);
  }
  return items;
}

/** The fingerprint of a creation under an Idempotency-Key. Its exact text is not compared. */
const marked = ({ made }: World, id: string): Item =>
  Object.values(made).some((one) => one.id === id) ? { fingerprint: MARK } : {};
const MARK = 'of a request';

type Put = (pk: string, sk: string, members: Item) => void;

function putPerson(put: Put, person: Person): void {
  const { userId, subject, email, verified: emailVerified, name } = person;
  const identityHash = identityHashOf(subject);
  put(`IDENTITY#${identityHash}`, 'IDENTITY', { userId });
  put(`USER#${userId}`, 'USER', {
    ...{ userId, email, emailVerified, name, identityHash },
    createdAt: iso(person.createdAtMs),
    lastSignIn: iso(person.signedInAtMs),
    sessionsSince: isoOrNull(person.sessionsSinceMs) ?? undefined,
    accountsCreated: person.accountsCreated || undefined,
    accountsJoined: person.accountsJoined || undefined,
  });
}

function putAccount(put: Put, world: World, account: Account): void {
  const { accountId, name, email, createdAtMs, closedAtMs, members } = account;
  const pk = `ACCOUNT#${accountId}`;
  const isOpen = closedAtMs === undefined;
  put('ACCOUNTS', accountId, { accountId });
  put(pk, 'ACCOUNT', {
    ...{ accountId, name, email, createdAt: iso(createdAtMs), ...(account.counts ?? countsOf(world, account)) },
    ...(!isOpen && { status: 'closed', closedAt: iso(closedAtMs) }),
    ...marked(world, accountId),
  });
  for (const { memberId, role, userId, invitation, ...member } of members) {
    put(pk, `MEMBER#${memberId}`, {
      ...{ memberId, role, userId, email: member.email, name: member.name, createdAt: iso(member.createdAtMs) },
      status: userId === undefined ? 'invited' : 'active',
    });
    if (isOpen && userId !== undefined) put(`USER#${userId}`, `ACCOUNT#${accountId}`, { accountId, memberId });
    if (!invitation) continue;
    put(
      `INVITED#${sha256(invitation.address)}`,
      `ACCOUNT#${accountId}`,
      stored({ ...invitation, accountId, memberId }),
    );
  }
}

/** An invitation, as stored by its account and in the list. */
const stored = ({ address: _, ...invitation }: World['listings'][number]): Item => ({
  ...invitation,
  ttl: Math.ceil(invitation.expiresAtMs / 1000),
});

function putKey(put: Put, world: World, accountId: string, { keyId, projectId, secret, window, ...key }: Key): void {
  const keyHash = sha256(secret);
  const { revokedAtMs = Infinity, expiresAtMs = Infinity } = key;
  const endMs = Math.min(revokedAtMs, expiresAtMs);
  const ttl = endMs === Infinity ? undefined : Math.ceil((endMs + ENDED_SHOWN_MS) / 1000);
  const replacedAt = isoOrNull(key.replacedAtMs) ?? undefined;
  put(`PROJECT#${projectId}`, `KEYREF#${keyId}`, { keyId, keyHash, ttl, replacedAt, ...marked(world, keyId) });
  const end = endMs === Infinity ? 'never' : iso(endMs);
  put(`ACCOUNT#${accountId}`, `KEY#${projectId}#${end}#${keyId}`, { keyHash, ttl });
  put(`KEY#${keyHash}`, 'KEY', {
    ...{ keyId, projectId, name: key.name, mode: 'test', scopes: ['sandbox:invoke'], rpm: RPM },
    status: key.revokedAtMs === undefined ? 'active' : 'revoked',
    ...{ lastFour: secret.slice(-4), unitsLimit: key.unitsLimit, capId: key.capId },
    createdAt: iso(key.createdAtMs),
    ...{ lifetimeMs: key.lifetimeMs, expiresAtMs: key.expiresAtMs, replacedBy: key.replacedBy, replaces: key.replaces },
    revokedAt: isoOrNull(key.revokedAtMs) ?? undefined,
    ttl,
    ...(window && { window: window.minute, [`slot${window.minute % 16}`]: window.count }),
  });
}

/** What is stored of a world: every item of its own partitions and of those that were written to. */
export async function storedItems(
  store: AccountStore,
  world: World,
  written: Iterable<string>,
): Promise<{ items: Items; audit: Readonly<Record<string, Item[]>> }> {
  const expected = Object.keys(itemsOf(world)).map((name) => name.slice(0, name.indexOf(' ')));
  const items: Items = {};
  const audit: Record<string, Item[]> = {};
  const partitions = [...new Set([...expected, ...written])].filter((pk) => pk !== 'ACCOUNTS');
  await Promise.all(
    partitions.map(async (name) => {
      // The SDK's objects are of another realm, and never equal those of a test.
      for (const { pk, sk, ...rest } of copied(await partition(store, name))) {
        const { accountId } = rest;
        if (String(sk).startsWith('AUDIT#')) (audit[accountId as string] ??= []).push(rest);
        else
          items[`${String(pk)} ${String(sk)}`] = /^(QUOTA|KEYUNITS)#/.test(String(sk))
            ? { units: rest.units }
            : plain(rest, world.nowMs);
      }
    }),
  );
  // The list of all accounts also holds those of other tests.
  for (const { accountId } of world.accounts) {
    const Key = { pk: 'ACCOUNTS', sk: accountId };
    const { Item: listed } = await store.client.send(new GetCommand({ TableName: store.tables.gateway, Key }));
    if (listed) items[`ACCOUNTS ${accountId}`] = { accountId: listed.accountId as unknown };
  }
  return { items, audit };
}

/**
 * Items in a form for comparison: sets as lists, a fingerprint only as present, and active keys without expired ones,
 * which are removed only when their place is needed.
 */
function plain(stored: Item, nowMs: number): Item {
  const { scopes, keys, fingerprint, sealedIdToken } = stored;
  const alive = Object.entries((keys ?? {}) as Record<string, number>).filter(([, end]) => end === 0 || nowMs < end);
  return {
    ...stored,
    ...(fingerprint !== undefined && { fingerprint: MARK }),
    ...(sealedIdToken !== undefined && { sealedIdToken: SEALED }),
    ...(scopes instanceof Set && { scopes: [...(scopes as Set<string>)] }),
    ...(keys !== undefined && { keys: Object.fromEntries(alive) }),
  };
}

/** Copies plain values and sets; `structuredClone` makes objects of another realm. */
export function copied<T>(value: T): T {
  if (typeof value !== 'object' || value === null || value instanceof Set) return value;
  if (Array.isArray(value)) return Array.from(value, copied) as T;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, copied(member)])) as T;
}

/** Throws if the table differs from the world. */
export function deepEqualItems(world: World, { items, audit }: Awaited<ReturnType<typeof storedItems>>): void {
  deepStrictEqual(items, itemsOf(world));
  for (const account of world.accounts) {
    const { accountId } = account;
    deepStrictEqual(
      (audit[accountId] ?? []).map(sortable).sort(),
      account.audit.map((event) => sortable({ accountId, ...event })).sort(),
    );
  }
}

import { deepStrictEqual, ok } from 'node:assert/strict';
import type { Limits } from '../../../functions/accounts/store/limits.ts';
import { DAY_MS } from '../times.ts';
import { sortable, type Item, type Stored } from './items.ts';
import { replayed } from './replay.ts';

/** How long keys that have ended are shown. */
const ENDED_SHOWN_MS = 90 * DAY_MS;

type StoredKey = Item & { readonly expiresAtMs?: number; readonly revokedAt?: string };

/**
 * Throws unless the stored items are consistent with each other.
 *
 * @param nowMs the time at which it is decided which keys have ended
 * @param limits the limits of what people can make
 */
export function holdTogether({ items, audit }: Stored, nowMs: number, limits: Limits): void {
  const under = (pk: string, sk: string): [string, Item][] =>
    Object.entries(items).filter(([name]) => name.startsWith(pk) && name.includes(` ${sk}`));
  const has = (name: string): boolean => name in items;

  for (const [, account] of under('ACCOUNT#', 'ACCOUNT').filter(([name]) => name.endsWith(' ACCOUNT'))) {
    const accountId = String(account.accountId);
    const states = replayed(audit[accountId] ?? [], (keyId) => budgetOf(keyId) !== undefined);
    const members = under(`ACCOUNT#${accountId}`, 'MEMBER#').map(([, member]) => member);
    const active = members.filter(({ status }) => status === 'active');
    const addresses = members.flatMap(({ email }) => (typeof email === 'string' ? [email.toLowerCase()] : []));
    deepStrictEqual(addresses, [...new Set(addresses)], 'an address is in the account once');
    const projects = under(`ACCOUNT#${accountId}`, 'PROJECT#').map(([, { projectId }]) => String(projectId));
    const isOpen = account.status === undefined;
    deepStrictEqual(items[`ACCOUNTS ${accountId}`]?.accountId, accountId, 'an account is in the list of all');

    if (isOpen) {
      ok(
        active.some(({ role }) => role === 'owner'),
        `account ${accountId} has no owner`,
      );
    }
    for (const { memberId, userId } of active) {
      const way = items[`USER#${String(userId)} ACCOUNT#${accountId}`];
      deepStrictEqual(way?.memberId, isOpen ? memberId : undefined, 'the way from person to member');
    }
    const isOpenProject = (id: string): boolean => items[`PROJECT#${id} PROJECT`]?.status !== 'closed';
    ok(projects.filter(isOpenProject).length <= limits.projectsPerAccount, 'projects are past their limit');

    const seen = new Map<string, unknown>([[`account ${accountId}`, { status: isOpen ? 'open' : 'closed' }]]);
    for (const { memberId, role, status } of members) seen.set(`member ${String(memberId)}`, { role, status });
    for (const projectId of projects) {
      const { name, status, quotaLimit } = items[`PROJECT#${projectId} PROJECT`] ?? {};
      seen.set(`project ${projectId}`, { name, quotaLimit, status });
      for (const [keyId, key] of keysOf(projectId)) {
        seen.set(`key ${keyId}`, toldOf(budgetOf(keyId) ? { ...key, unitsLimit: undefined } : key));
      }
      for (const [name, counter] of under(`PROJECT#${projectId}`, 'KEYUNITS#once#'))
        if (counter.limit !== undefined) isShared(name.split('#').at(-1) ?? '', counter, audit[accountId] ?? []);
    }
    const strip = ([name, state]: [string, object]) => [name, toldOnly(state)];
    // As text, because lists of the SDK have another class than those of a test.
    deepStrictEqual(
      sortable(Object.fromEntries([...states].map(strip)) as object),
      sortable(Object.fromEntries(seen)),
      'what the audit adds up to',
    );
  }

  for (const [name, { memberId, accountId }] of under('USER#', 'ACCOUNT#')) {
    ok(has(`${name.split(' ')[0] ?? ''} USER`), 'a membership of nobody');
    const member = items[`ACCOUNT#${String(accountId)} MEMBER#${String(memberId)}`];
    deepStrictEqual([member?.status, `USER#${String(member?.userId)}`], ['active', name.split(' ')[0]]);
  }
  for (const [name, { memberId }] of under('INVITED#', 'ACCOUNT#')) {
    deepStrictEqual(items[`${name.split(' ')[1] ?? ''} MEMBER#${String(memberId)}`]?.status, 'invited');
  }
  for (const [name, invitation] of under('INVITED#', 'ACCOUNT#')) {
    const accountId = String(invitation.accountId);
    const until = new Date(Number(invitation.expiresAtMs)).toISOString();
    const listed = items[`${name.split(' ')[0] ?? ''} UNTIL#${until}#${accountId}`];
    deepStrictEqual(sortable(listed ?? {}), sortable(invitation), 'an invitation is listed where it ends');
  }
  for (const [name, key] of under('KEY#', 'KEY')) {
    const [project, hash] = [`PROJECT#${String(key.projectId)}`, name.split(' ')[0]?.slice('KEY#'.length)];
    deepStrictEqual(items[`${project} KEYREF#${String(key.keyId)}`]?.keyHash, hash, 'a key without its reference');
    const { expiresAtMs = 0, revokedAt, keyId, replacedBy } = key as StoredKey;
    const isWorking = worksAt(key, nowMs);
    const { unitsLimit, capId } = key;
    ok(unitsLimit === undefined || capId !== undefined, 'a cap that names no counter');
    const successor = keysOf(String(key.projectId)).find(([id]) => id === replacedBy)?.[1];
    if (isWorking && successor) {
      // Of a budget the limit in a key is a copy, which may be an earlier one.
      const ownLimit = (of: Item) => (budgetOf(String(keyId)) ? undefined : of.unitsLimit);
      deepStrictEqual(
        [ownLimit(key), capId],
        [ownLimit(successor), successor.capId],
        'both keys of a grace have one cap',
      );
    }
    const isActive = isWorking && (successor === undefined || successor.status === 'revoked');
    const active = (items[`${project} KEYS`]?.keys ?? {}) as Record<string, number>;
    deepStrictEqual(active[String(keyId)], isActive ? expiresAtMs : undefined, 'the list of active keys');
    ok(Object.keys(active).length <= limits.activeKeysPerProject, 'keys are past their limit');
    const working = keysOf(String(key.projectId)).filter(([, one]) => worksAt(one, nowMs));
    // The platform team may let a successor end before the key that it replaced.
    const isMoved = Object.values(audit)
      .flat()
      .some(({ action, actor }) => action === 'key.expire' && !String(actor).startsWith('user:'));
    ok(isMoved || working.length <= 2 * Object.keys(active).length, 'more than twice the active keys answer');
    const listings = under('ACCOUNT#', 'KEY#').filter(([listed]) => listed.endsWith(`#${String(keyId)}`));
    const endMs = Math.min(expiresAtMs || Infinity, revokedAt === undefined ? Infinity : Date.parse(revokedAt));
    const end = endMs === Infinity ? 'never' : new Date(endMs).toISOString();
    const { accountId } = items[`${project} PROJECT`] ?? {};
    deepStrictEqual(
      listings.map(([listed, { keyHash, ttl }]) => [listed, keyHash, ttl]),
      [[`ACCOUNT#${String(accountId)} KEY#${String(key.projectId)}#${end}#${String(keyId)}`, hash, key.ttl]],
      'a key is listed once, where it ends',
    );
    const ttl = endMs === Infinity ? undefined : Math.ceil((endMs + ENDED_SHOWN_MS) / 1000);
    const reference = items[`${project} KEYREF#${String(keyId)}`];
    deepStrictEqual([key.ttl, reference?.ttl], [ttl, ttl], 'a key goes with what leads to it');
    if (isActive && expiresAtMs > 0) isNoted(String(accountId), String(keyId), expiresAtMs);
  }
  for (const [, token] of under('TOKEN#', 'TOKEN'))
    if (worksAt(token, nowMs)) isNoted(String(token.accountId), String(token.tokenId), Number(token.expiresAtMs));
  for (const [name] of under('USER#', 'SESSION#')) ok(has(`${name.split(' ')[0] ?? ''} USER`), 'a session of nobody');
  for (const [, { count }] of under('ACCOUNT#', 'MADE#')) ok(Number(count) <= limits.projectsPerPeriod);
  for (const [, { count }] of under('USED#', 'CHANGES#')) ok(Number(count) <= limits.changesPerMinute);
  for (const [, { count }] of under('USED#', 'INVITED#')) ok(Number(count) <= limits.invitationsPerAddress);
  for (const [, { count }] of under('USED#', 'READS#')) ok(Number(count) <= limits.readsPerMinute);
  for (const [, { count }] of under('USED#', 'SIGN-INS#')) ok(Number(count) <= limits.signInsPerMinute);

  /** What will end is noted on the day of its end: nobody is told of it otherwise. */
  function isNoted(accountId: string, id: string, endMs: number): void {
    const day = new Date(endMs).toISOString().slice(0, 10);
    const noted = under(`EXPIRING#${day}#`, `${accountId}#${id}`).map(([, item]) => [item.expiresAtMs, item.ttl]);
    deepStrictEqual(noted, [[endMs, Math.ceil((endMs + 2 * DAY_MS) / 1000)]], 'an end is noted once on its day');
  }

  /** The counter whose limit a key shares; undefined: it shares none. */
  function budgetOf(keyId: string): Item | undefined {
    const { projectId, capId } = under('KEY#', 'KEY').find(([, key]) => key.keyId === keyId)?.[1] ?? {};
    const counter = items[`PROJECT#${String(projectId)} KEYUNITS#once#${String(capId)}`];
    return counter?.limit === undefined ? undefined : counter;
  }

  /** The limit of a budget is the last that the audit tells of any of its keys, and each key was counted once. */
  function isShared(capId: string, { limit, keyCount, ttl }: Item, events: readonly Item[]): void {
    const [firstId = ''] = capId.split('.');
    const ofBudget = new Set(
      under('KEY#', 'KEY').flatMap(([, key]) => (key.capId === capId ? [String(key.keyId)] : [])),
    );
    const after = (event: Item): Item => (event.after ?? {}) as Item;
    const sharing = events.filter((event) => after(event).capOf === firstId);
    deepStrictEqual([keyCount, ttl], [sharing.length + 1, undefined], 'the keys of a budget');
    const told = events.filter(
      (event) =>
        ofBudget.has(String(event.keyId)) &&
        after(event).unitsLimit !== undefined &&
        (event.action === 'key.update' || sharing.includes(event)),
    );
    const last = told
      .map(({ at }) => String(at))
      .sort()
      .at(-1);
    const limits = told.filter(({ at }) => at === last).map((event) => after(event).unitsLimit);
    ok(limits.includes(limit), `a budget of ${String(limit)}, and the audit says ${String(limits)}`);
  }

  function keysOf(projectId: string): [string, Item][] {
    return under(`PROJECT#${projectId}`, 'KEYREF#').map(([, { keyId, keyHash }]) => [
      String(keyId),
      items[`KEY#${String(keyHash)} KEY`] ?? {},
    ]);
  }
}

function worksAt({ status, expiresAtMs }: Item, nowMs: number): boolean {
  return status === 'active' && (expiresAtMs === undefined || nowMs < Number(expiresAtMs));
}

/** A key in the words of the audit. */
const toldOf = ({
  name,
  mode,
  scopes,
  rpm,
  unitsLimit,
  capId,
  status,
  expiresAtMs,
  revokedAt,
  replacedBy,
}: Item): object =>
  toldOnly({
    name,
    mode,
    scopes,
    rpm,
    unitsLimit,
    unitsPeriod: { d: 'day', w: 'week', m: 'month', o: 'once' }[String(capId).split('.')[1] ?? ''],
    status,
    revokedAt,
    replacedBy,
    expiresAt: expiresAtMs === undefined ? null : new Date(expiresAtMs as number).toISOString(),
  });

/** Removes absent members, and members that the audit names without a value. */
const toldOnly = (state: object): object =>
  Object.fromEntries(
    Object.entries(state).filter(([, value]) => value !== undefined && value !== null && value !== 'changed'),
  );

import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { invitationPartition } from '../../functions/accounts/store/account-items.ts';
import { DEFAULT_LIMITS } from '../../functions/accounts/store/limits.ts';
import { trustingProvider } from '../support/changes/provider.ts';
import { scene, type Somebody } from '../support/changes/scene.ts';
import { claimants, somebody, outcomeOf } from '../support/claimants.ts';
import { deleteItem } from '../support/database.ts';
import { itemsOf, usedLimitsOf } from '../support/people.ts';
import { testPortal, type PortalAnswer } from '../support/portal.ts';
import { readPages } from '../support/portal-team.ts';
import { DAY_MS, MINUTE_MS } from '../support/times.ts';

const portal = testPortal(trustingProvider, { limits: { ...DEFAULT_LIMITS, changesPerMinute: 100_000 } });
const made = scene(portal);

interface Listed {
  readonly invitations: readonly { readonly accountId: string }[];
  readonly cursor: string | null;
}

const ask = (who: Pick<Somebody, 'cookie'>, method: string, path: string, more: object = {}): Promise<PortalAnswer> =>
  portal.browser([who.cookie]).request(method, path, more);
/** The newest invitations in the response of the session. */
async function sessionOf(who: Somebody): Promise<Listed> {
  const { body } = await ask(who, 'GET', '/api/session');
  const { invitations, invitationsCursor } = body as Listed & { invitationsCursor: string | null };
  return { invitations, cursor: invitationsCursor };
}
async function pageOf(who: Somebody, query: string): Promise<Listed> {
  const { status, body } = await ask(who, 'GET', '/api/invitations', { query });
  expect(status).toBe(200);
  return body as Listed;
}
/** All invitations of a person, page by page. */
async function allOf(who: Somebody, limit: number): Promise<string[]> {
  const browser = portal.browser([who.cookie]);
  const query = { limit: String(limit) };
  const pages = await readPages<Listed['invitations'][number]>(browser, '/api/invitations', 'invitations', query);
  for (const page of pages) expect(page.length).toBeLessThanOrEqual(limit);
  return pages.flat().map(({ accountId }) => accountId);
}
/** Accounts that the platform team has created, in the order of their ids. */
const accounts = async (count: number): Promise<string[]> => {
  const ids: string[] = [];
  let host = await made.somebody();
  for (let i = 0; i < count; i++) {
    if (i % DEFAULT_LIMITS.accountsPerPerson === 0) host = await made.somebody();
    ids.push(await made.account(host));
  }
  return ids.sort();
};
/** Invites a person to each account in turn, a second apart. */
async function inviteTo(accountIds: readonly string[], who: Somebody): Promise<void> {
  for (const accountId of accountIds) {
    portal.clock.nowMs += 1_000;
    await made.invite(accountId, who);
  }
}
const partitionOf = ({ profile }: Somebody): string => invitationPartition(profile.email);

describe('a list of invitations', () => {
  test('holds the one that is alive, whatever has been planted before it and has expired', async () => {
    const who = await made.somebody();
    const planted = await accounts(24);
    // Its id is the last in order.
    const genuine = planted.pop() ?? '';
    await inviteTo(planted, who);
    portal.clock.nowMs += 15 * DAY_MS;
    const back = { ...who, cookie: await made.session(who.userId) };
    await made.invite(genuine, who);
    const { invitations, cursor } = await sessionOf(back);
    expect([invitations.map(({ accountId }) => accountId), cursor]).toEqual([[genuine], null]);
    expect(await allOf(back, 20)).toEqual([genuine]);
  });

  test('begins with the newest, and continues in pages until each has been shown once', async () => {
    const who = await made.somebody();
    const ids = await accounts(25);
    await inviteTo(ids, who);
    const newestFirst = ids.toReversed();
    const first = await sessionOf(who);
    expect(first.invitations.map(({ accountId }) => accountId)).toEqual(newestFirst.slice(0, 20));
    const second = await pageOf(who, `limit=20&cursor=${first.cursor}`);
    expect(second.invitations.map(({ accountId }) => accountId)).toEqual(newestFirst.slice(20));
    for (const limit of [1, 7, 24, 25, 26]) {
      portal.clock.nowMs += MINUTE_MS;
      expect(await allOf(who, limit)).toEqual(newestFirst);
    }
  });

  test('ends where there are no more', async () => {
    const who = await made.somebody();
    expect(await sessionOf(who)).toEqual({ invitations: [], cursor: null });
    const ids = await accounts(20);
    await inviteTo(ids, who);
    expect(await sessionOf(who)).toMatchObject({ cursor: null, invitations: { length: 20 } });
  });

  test('ends, too, where the last of a page has expired before the next page is asked for', async () => {
    const who = await made.somebody();
    await inviteTo(await accounts(2), who);
    const { cursor } = await pageOf(who, 'limit=1');
    portal.clock.nowMs += 15 * DAY_MS;
    const back = { ...who, cookie: await made.session(who.userId) };
    expect(await pageOf(back, `limit=1&cursor=${cursor}`)).toEqual({ invitations: [], cursor: null });
  });

  test('takes a cursor of its own alone', async () => {
    const [who, other] = [await made.somebody(), await made.somebody()];
    const ids = await accounts(2);
    for (const one of [who, other]) await inviteTo(ids, one);
    const { cursor } = await pageOf(who, 'limit=1');
    for (const wrong of [`${cursor}A`, 'x', (await pageOf(other, 'limit=1')).cursor]) {
      const { status, body } = await ask(who, 'GET', '/api/invitations', { query: `cursor=${wrong}` });
      expect([status, body]).toMatchObject([400, { field: 'cursor' }]);
    }
  });

  test('has what is stored of an invitation deleted when it has expired', async () => {
    const who = await made.somebody();
    const accountId = await made.account(await made.somebody());
    await made.invite(accountId, who);
    const ttl = Math.ceil((portal.clock.nowMs + 14 * DAY_MS) / 1_000);
    const stored = await itemsOf(portal, partitionOf(who));
    const until = new Date(portal.clock.nowMs + 14 * DAY_MS).toISOString();
    expect(stored.map(({ sk }) => sk)).toEqual([`ACCOUNT#${accountId}`, `UNTIL#${until}#${accountId}`]);
    expect(stored.map((item) => item.ttl)).toEqual([ttl, ttl]);
    const owner = await made.somebody();
    await made.join(accountId, owner, 'owner');
    // An owner sees that it has expired, and withdraws it or invites again.
    for (const item of stored) await deleteItem(portal.store, item);
    portal.clock.nowMs += 15 * DAY_MS;
    await made.invite(accountId, who);
    expect(await itemsOf(portal, partitionOf(who))).toHaveLength(2);
  });
});

const invite = (owner: Pick<Somebody, 'cookie'>, accountId: string, email: string, key?: string) =>
  ask(owner, 'POST', `/api/accounts/${accountId}/members`, {
    body: { email, role: 'member' },
    ...(key !== undefined && { headers: { 'idempotency-key': key } }),
  });

describe('one person invites one address', () => {
  const email = (): string => `${randomUUID()}@example.com`;
  const TOO_OFTEN = 'You have invited this address as often today as you may, in all your accounts';

  /** Invites an address and withdraws the invitation; returns the response to the first. */
  async function again(owner: Pick<Somebody, 'cookie'>, accountId: string, address: string): Promise<PortalAnswer> {
    const answer = await invite(owner, accountId, address);
    const { memberId } = (answer.body ?? {}) as { memberId?: string };
    if (memberId !== undefined) await ask(owner, 'DELETE', `/api/accounts/${accountId}/members/${memberId}`);
    return answer;
  }

  test('ten times a day, in all their accounts and also where each is withdrawn, and then is refused', async () => {
    const owner = await made.somebody();
    const accountIds = [await made.account(owner), await made.account(owner)];
    const address = email();
    for (let i = 0; i < 10; i++) {
      expect((await again(owner, accountIds[i % 2] ?? '', address)).status).toBe(201);
    }
    // In any case of letters.
    const refused = await again(owner, accountIds[0] ?? '', address.toUpperCase());
    expect([refused.status, refused.body]).toMatchObject([
      409,
      { code: 'LIMIT_REACHED', detail: expect.stringContaining(TOO_OFTEN) as unknown },
    ]);
    expect((await again(owner, accountIds[0] ?? '', email())).status).toBe(201);
    const another = await made.somebody();
    await made.join(accountIds[0] ?? '', another, 'owner');
    expect((await again(another, accountIds[0] ?? '', address)).status).toBe(201);
    // A reader of the table cannot find out whom they invited.
    const counts = (await usedLimitsOf(portal, owner.userId)).filter(({ sk }) => String(sk).startsWith('INVITED'));
    const endOfDay = (Math.floor(portal.clock.nowMs / DAY_MS) + 1) * (DAY_MS / 1_000);
    expect(counts.map(({ count, ttl }) => [count, ttl]).sort()).toEqual([
      [1, endOfDay + 3_600],
      [10, endOfDay + 3_600],
    ]);
    const pk = invitationPartition(address);
    for (const secret of [address, pk.slice('INVITED#'.length)]) expect(JSON.stringify(counts)).not.toContain(secret);
    portal.clock.nowMs += DAY_MS;
    const tomorrow = { cookie: await made.session(owner.userId) };
    expect((await again(tomorrow, accountIds[0] ?? '', address)).status).toBe(201);
  });

  test('and no more of many at once; a repeat under an Idempotency-Key is none', async () => {
    const owner = await made.somebody();
    const accountId = await made.account(owner);
    const address = email();
    for (let i = 0; i < 8; i++) await again(owner, accountId, address);
    const others = await accounts(5);
    for (const id of others) await made.join(id, owner, 'owner');
    const answers = await Promise.all(others.map((id) => invite(owner, id, address, 'the-same')));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409]);
    const [made1 = ''] = others.filter((_, i) => answers[i]?.status === 201);
    expect((await invite(owner, made1, address, 'the-same')).status).toBe(201);
  });

  test('as who they are at the provider: a profile that is deleted resets nothing', async () => {
    const { portal: theirs, signIn } = claimants({ changesPerMinute: 1_000, signInsPerMinute: 100 });
    const [browser, claims, address] = [theirs.browser(), somebody(), email()];
    const begin = async (): Promise<string> => {
      await signIn(browser, claims);
      const { body } = await browser.post('/api/accounts', { name: 'Team' });
      return `/api/accounts/${(body as { accountId: string }).accountId}`;
    };
    const once = async (account: string): Promise<string> => {
      const answer = await browser.post(`${account}/members`, { email: address, role: 'member' });
      const { memberId } = answer.body as { memberId?: string };
      if (memberId !== undefined) await browser.delete(`${account}/members/${memberId}`);
      return outcomeOf(answer);
    };
    const before = await begin();
    for (let i = 0; i < 10; i++) expect(await once(before)).toBe('201');
    expect((await browser.delete(before)).status).toBe(204);
    expect((await browser.delete('/api/profile')).status).toBe(204);
    expect(await once(await begin())).toBe('409 LIMIT_REACHED');
  });
});

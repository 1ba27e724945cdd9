import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { accountItemKey } from '../../functions/accounts/store/account-items.ts';
import { DEFAULT_LIMITS } from '../../functions/accounts/store/limits.ts';
import { readActive } from '../../functions/accounts/tokens/active-tokens.ts';
import { createToken } from '../../functions/accounts/tokens/tokens.ts';
import { trustingProvider } from '../support/changes/provider.ts';
import { atOnce, outcomeOf } from '../support/claimants.ts';
import { endlessDeadline } from '../support/deadline.ts';
import { before } from '../support/overtaking.ts';
import { auditOf, itemsOf, outcomes } from '../support/people.ts';
import { testPortal, type PortalAnswer } from '../support/portal.ts';
import { created, tenantOf } from '../support/portal-team.ts';
import { DAY_MS } from '../support/times.ts';
import { program, tokenOf } from '../support/tokens.ts';

const LIMITS = { ...DEFAULT_LIMITS, activeKeysPerProject: 1_000, changesPerMinute: 1_000 };
const newPortal = () => testPortal(trustingProvider, { limits: LIMITS });

describe('a revocation', () => {
  test('beside 50 changes in flight: none lands after it', async () => {
    const portal = newPortal();
    const { browser, account, accountId, project, projectId } = await tenantOf(portal);
    const { token, tokenId } = await tokenOf(browser, account);
    const ci = program(portal, token);
    // Ten at any moment; it is revoked when ten have landed.
    let tenMade: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => (tenMade = resolve));
    let answered = 0;
    const five = async () => {
      const answers = [];
      for (let i = 0; i < 5; i++) {
        answers.push(await ci.post(`/projects/${projectId}/keys`, {}));
        if (++answered === 10) tenMade();
      }
      return answers;
    };
    const changes = Array.from({ length: 10 }, five);
    await begun;
    const { status } = await browser.post(`${account}/tokens/${tokenId}/revoke`);
    expect(status).toBe(200);
    const keysAtOnce = async () => {
      const { body } = await browser.get(`${project}/keys`, 'limit=200');
      return (body as { keys: unknown[] }).keys.length;
    };
    const landed = await keysAtOnce();
    const answers = (await Promise.all(changes)).flat().map(outcomeOf);
    expect(await keysAtOnce()).toBe(landed);
    const made = answers.filter((outcome) => outcome === '201').length;
    expect(landed).toBe(made + 1);
    expect(answers.filter((outcome) => outcome !== '201' && outcome !== '401 TOKEN_REVOKED')).toEqual([]);
    expect(made).toBeLessThan(50);
    const events = await auditOf(portal, accountId);
    expect(events.filter(({ actor, actorName }) => actor === `token:${tokenId}` && actorName === 'CI')).toHaveLength(
      made,
    );
  });

  test('is forgotten after 90 days, with all that leads to the token', async () => {
    const portal = newPortal();
    const { browser, account, accountId } = await tenantOf(portal);
    const { tokenId } = await tokenOf(browser, account, { expiresInDays: 90 });
    await browser.post(`${account}/tokens/${tokenId}/revoke`);
    const items = (await itemsOf(portal, `ACCOUNT#${accountId}`)).filter(({ sk }) => sk === `TOKEN#${tokenId}`);
    expect(items).toMatchObject([{ ttl: Math.ceil((portal.clock.nowMs + 90 * DAY_MS) / 1_000) }]);
    portal.clock.nowMs += 91 * DAY_MS;
    await browser.signIn(browser.email);
    expect(outcomeOf(await browser.post(`${account}/tokens/${tokenId}/revoke`))).toBe('404 NOT_FOUND');
    expect((await browser.get(`${account}/tokens`)).body).toEqual({ tokens: [] });
  });
});

describe('limits are exact at 100 at once:', () => {
  test('60 reads and 60 changes a minute', async () => {
    const portal = newPortal();
    const { browser, account, projectId, keyId } = await tenantOf(portal);
    const { token } = await tokenOf(browser, account);
    const ci = program(portal, token);
    expect(await atOnce(100, () => ci.get('/token'))).toEqual({ 200: 60, '429 RATE_LIMIT_EXCEEDED': 40 });
    const revoking = () => ci.post(`/projects/${projectId}/keys/${keyId}/revoke`);
    expect(await atOnce(100, revoking)).toEqual({ 200: 60, '429 RATE_LIMIT_EXCEEDED': 40 });
  });

  test('300 reads and 300 changes a minute for all tokens of an account, in the places of ten', async () => {
    const portal = newPortal();
    const { browser, account, projectId, keyId } = await tenantOf(portal);
    const tokens: ReturnType<typeof program>[] = [];
    for (let i = 0; i < 6; i++) tokens.push(program(portal, (await tokenOf(browser, account)).token));
    // 60 of each token, one after the other, beside those of the others.
    const sixtyOfEach = async (ask: (token: ReturnType<typeof program>) => Promise<PortalAnswer>) => {
      const counts: Record<string, number> = {};
      const lane = async (token: ReturnType<typeof program>) => {
        for (let i = 0; i < 60; i++) {
          const outcome = outcomeOf(await ask(token));
          counts[outcome] = (counts[outcome] ?? 0) + 1;
        }
      };
      await Promise.all(tokens.map(lane));
      return counts;
    };
    const most = { 200: 300, '429 RATE_LIMIT_EXCEEDED': 60 };
    expect(await sixtyOfEach((token) => token.get('/token'))).toEqual(most);
    const revocation = `/projects/${projectId}/keys/${keyId}/revoke`;
    expect(await sixtyOfEach((token) => token.post(revocation))).toEqual(most);
    // Another account has its own.
    const other = await tenantOf(portal);
    const { token } = await tokenOf(other.browser, other.account);
    expect((await program(portal, token).get('/token')).status).toBe(200);
  });

  test('60 of one token and of those that are made in its place, and 30 tokens made a day', async () => {
    const portal = newPortal();
    const { browser, account, accountId, projectId, keyId } = await tenantOf(portal);
    const counts: Record<string, number> = {};
    const made: string[] = [];
    for (let i = 0; i < 31; i++) {
      const answer = await browser.post(`${account}/tokens`, { name: 'CI', scopes: ['keys:write'], expiresInDays: 1 });
      made.push(outcomeOf(answer));
      if (answer.status !== 201) {
        expect(answer.body).toMatchObject({
          detail: expect.stringContaining('30 tokens were made in the account today'),
        });
        break;
      }
      const { token, tokenId } = answer.body as { token: string; tokenId: string };
      const asked = await atOnce(5, () => program(portal, token).post(`/projects/${projectId}/keys/${keyId}/revoke`));
      for (const [outcome, n] of Object.entries(asked)) counts[outcome] = (counts[outcome] ?? 0) + n;
      expect((await browser.post(`${account}/tokens/${tokenId}/revoke`)).status).toBe(200);
    }
    expect(counts).toEqual({ 200: 60, '429 RATE_LIMIT_EXCEEDED': 90 });
    expect(made).toEqual([...Array<string>(30).fill('201'), '409 LIMIT_REACHED']);
    const items = (await itemsOf(portal, `USED#${accountId}`)).map(({ pk, ttl, ...item }) => item);
    expect(items).toEqual([
      { sk: expect.stringMatching(/^CHANGES#/), count: 60, slot0: 60 },
      { sk: expect.stringMatching(/^TOKENS#/), count: 30 },
    ]);
    portal.clock.nowMs += DAY_MS;
    await browser.signIn(browser.email);
    await tokenOf(browser, account);
  });

  test('60 of a token that was stored before there were places, beside those that have one', async () => {
    const portal = newPortal();
    const { browser, account, accountId } = await tenantOf(portal);
    const old = await tokenOf(browser, account);
    const { tokens } = (await itemsOf(portal, `ACCOUNT#${accountId}`)).find(({ sk }) => sk === 'TOKENS') as {
      tokens: Record<string, { hash: string }>;
    };
    const { hash = '' } = tokens[old.tokenId] ?? {};
    const withoutPlaces = (key: object, UpdateExpression: string) =>
      portal.store.client.send(
        new UpdateCommand({
          TableName: portal.store.tables.gateway,
          Key: { ...key },
          UpdateExpression,
          ExpressionAttributeNames: {
            '#slot': 'slot',
            ...(UpdateExpression.includes('#tokens') && { '#tokens': 'tokens', '#id': old.tokenId }),
          },
        }),
      );
    await withoutPlaces(accountItemKey.token(hash), 'REMOVE #slot');
    await withoutPlaces(accountItemKey.activeTokens(accountId), 'REMOVE #tokens.#id.#slot');
    const place = await tokenOf(browser, account);
    for (const { token } of [old, place]) {
      const asked = await atOnce(70, () => program(portal, token).get('/token'));
      expect(asked).toEqual({ 200: 60, '429 RATE_LIMIT_EXCEEDED': 10 });
    }
    for (let i = 0; i < 8; i++) await tokenOf(browser, account);
    const beyond = await browser.post(`${account}/tokens`, { name: 'CI', scopes: ['keys:read'], expiresInDays: 1 });
    expect(outcomeOf(beyond)).toBe('409 LIMIT_REACHED');
    // Its place is free for the next one.
    expect((await browser.post(`${account}/tokens/${old.tokenId}/revoke`)).status).toBe(200);
    await tokenOf(browser, account);
    const reads = (await itemsOf(portal, `USED#${accountId}`)).find(({ sk }) => String(sk).startsWith('READS#'));
    expect(reads).toMatchObject({ count: 120, slot0: 60, [old.tokenId]: 60 });
  });

  test('ten active tokens of an account, each in a place of its own', async () => {
    const portal = newPortal();
    const { browser, account, accountId } = await tenantOf(portal);
    const details = { name: 'CI', scopes: ['keys:read'] as const, lifetimeMs: DAY_MS };
    const patient = { ...portal.operator, deadline: endlessDeadline() };
    const { done, refused } = await outcomes(
      Array.from({ length: 100 }, () => createToken(patient, accountId, details)),
    );
    const active = await readActive(portal.store, accountId);
    expect(
      Object.values(active ?? {})
        .map(({ slot }) => slot)
        .toSorted(),
    ).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect([done.length, new Set(refused)]).toEqual([10, new Set(['LIMIT_REACHED'])]);
    const { tokens } = (await browser.get(`${account}/tokens`)).body as { tokens: unknown[] };
    expect(tokens).toHaveLength(10);
    // Those that have expired make room.
    portal.clock.nowMs += DAY_MS;
    await browser.signIn(browser.email);
    expect((await tokenOf(browser, account)).token).toMatch(/^svc_mgmt_/);
  });
});

test('a token that expires after it was read changes nothing', async () => {
  const portal = newPortal();
  const { browser, account, project, projectId } = await tenantOf(portal);
  const { token } = await tokenOf(browser, account, { expiresInDays: 1 });
  await browser.signIn(browser.email);
  // The reads of what the change depends on come after that of the token.
  before(portal.own, 'GetItemCommand', () => Promise.resolve((portal.clock.nowMs += DAY_MS)));
  const answer = await program(portal, token).post(`/projects/${projectId}/keys`, {});
  expect(outcomeOf(answer)).toBe('401 TOKEN_EXPIRED');
  await browser.signIn(browser.email);
  expect((await browser.get(`${project}/keys`)).body).toMatchObject({ keys: [expect.anything()] });
});

describe('under one Idempotency-Key', () => {
  test('the tenth token is made once, and its repeat is none beyond the limit', async () => {
    const portal = newPortal();
    const { browser, account } = await tenantOf(portal);
    for (let i = 0; i < 9; i++) await tokenOf(browser, account);
    const headers = { 'idempotency-key': randomUUID() };
    const body = { name: 'CI', scopes: ['usage:read'], expiresInDays: 1 };
    const ask = () => created(browser.request('POST', `${account}/tokens`, { body, headers }));
    expect((await ask()).tokenId).toBe((await ask()).tokenId);
  });

  test('a token is made once, and its repeat shows a new secret of it until one is used', async () => {
    const portal = newPortal();
    const { browser, account } = await tenantOf(portal);
    const headers = { 'idempotency-key': randomUUID() };
    const body = { name: 'CI', scopes: ['usage:read'], expiresInDays: 1 };
    const ask = (sent: object = body) => browser.request('POST', `${account}/tokens`, { body: sent, headers });
    const [first, second] = [await created(ask()), await created(ask())];
    expect(second.tokenId).toBe(first.tokenId);
    expect(outcomeOf(await program(portal, first.token).get('/token'))).toBe('401 INVALID_TOKEN');
    expect((await program(portal, second.token).get('/token')).status).toBe(200);
    expect(outcomeOf(await ask())).toBe('409 CHANGED_MEANWHILE');
    expect(outcomeOf(await ask({ ...body, name: 'Other' }))).toBe('409 IDEMPOTENCY_CONFLICT');
    const { tokens } = (await browser.get(`${account}/tokens`)).body as { tokens: unknown[] };
    expect(tokens).toHaveLength(1);
  });

  test('a key is made once by 20 at once, and two tokens do not share the name of a request', async () => {
    const portal = newPortal();
    const { browser, account, project, projectId } = await tenantOf(portal);
    const [one, other] = [await tokenOf(browser, account), await tokenOf(browser, account)];
    const headers = { 'idempotency-key': 'job-7' };
    const make = ({ token }: { token: string }) =>
      program(portal, token).post(`/projects/${projectId}/keys`, {}, headers);
    const answers = await atOnce(20, () => make(one));
    expect(Object.keys(answers).filter((outcome) => !/^201$|CHANGED_MEANWHILE$/.test(outcome))).toEqual([]);
    const { keyId } = await created(make(one));
    expect((await created(make(other))).keyId).not.toBe(keyId);
    const { keys } = (await browser.get(`${project}/keys`)).body as { keys: unknown[] };
    expect(keys).toHaveLength(3);
    const bad = await program(portal, one.token).post(`/projects/${projectId}/keys`, {}, { 'idempotency-key': 'ä' });
    expect(outcomeOf(bad)).toBe('400 INVALID_IDEMPOTENCY_KEY');
  });
});

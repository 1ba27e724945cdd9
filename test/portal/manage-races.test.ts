import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { DEFAULT_LIMITS } from '../../functions/accounts/limits.ts';
import { createToken } from '../../functions/accounts/tokens/tokens.ts';
import { trustingProvider } from '../support/changes/provider.ts';
import { atOnce, outcomeOf } from '../support/claimants.ts';
import { auditOf, itemsOf, outcomes } from '../support/people.ts';
import { testPortal } from '../support/portal.ts';
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

  test('ten active tokens of an account', async () => {
    const portal = newPortal();
    const { browser, account, accountId } = await tenantOf(portal);
    const details = { name: 'CI', scopes: ['keys:read'] as const, lifetimeMs: DAY_MS };
    const { done, refused } = await outcomes(
      Array.from({ length: 100 }, () => createToken(portal.operator, accountId, details)),
    );
    expect([done.length, new Set(refused)]).toEqual([10, new Set(['LIMIT_REACHED'])]);
    const { tokens } = (await browser.get(`${account}/tokens`)).body as { tokens: unknown[] };
    expect(tokens).toHaveLength(10);
    // Those that have expired make room.
    portal.clock.nowMs += DAY_MS;
    await browser.signIn(browser.email);
    expect((await tokenOf(browser, account)).token).toMatch(/^svc_mgmt_/);
  });
});

describe('under one Idempotency-Key', () => {
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

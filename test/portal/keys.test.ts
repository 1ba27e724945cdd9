import { describe, expect, test } from '@jest/globals';
import { DEFAULT_LIMITS } from '../../functions/accounts/limits.ts';
import { trustingProvider } from '../support/changes/provider.ts';
import { testPortal } from '../support/portal.ts';
import { created, tenantOf } from '../support/portal-team.ts';
import { MINUTE_MS } from '../support/times.ts';

interface Keys {
  readonly keys: readonly { readonly keyId: string; readonly status: string }[];
  readonly cursor: string | null;
}

/** A project with three active keys and four that have ended. */
async function projectOf(readsPerMinute = DEFAULT_LIMITS.readsPerMinute) {
  const portal = testPortal(trustingProvider, { limits: { ...DEFAULT_LIMITS, readsPerMinute } });
  const tenant = await tenantOf(portal);
  const { browser, project } = tenant;
  for (let i = 0; i < 2; i++) await created(browser.post(`${project}/keys`, { expiresInDays: 30 + i }));
  for (let i = 0; i < 4; i++) {
    const { keyId = '' } = await created(browser.post(`${project}/keys`, {}));
    await browser.post(`${project}/keys/${keyId}/revoke`);
  }
  const ask = (query: Record<string, string> = {}) =>
    browser.get(`${project}/keys`, new URLSearchParams(query).toString());
  const pages = async (query: Record<string, string>) => {
    const read: Keys[] = [];
    for (let cursor: string | null = ''; cursor !== null; cursor = read.at(-1)?.cursor ?? null) {
      read.push((await ask({ ...query, ...(cursor !== '' && { cursor }) })).body as Keys);
    }
    return read.map(({ keys }) => keys.map(({ status }) => status));
  };
  return { portal, ...tenant, ask, pages };
}

describe('the list of keys', () => {
  test('is of those that go on, those that have ended, or both, and of pages', async () => {
    const { pages } = await projectOf();
    const [active, revoked] = ['active', 'revoked'];
    expect(await pages({ state: 'active' })).toEqual([[active, active, active]]);
    expect(await pages({ state: 'active', limit: '2' })).toEqual([[active, active], [active]]);
    expect(await pages({ state: 'ended', limit: '4' })).toEqual([[revoked, revoked, revoked, revoked]]);
    expect(await pages({ limit: '2' })).toEqual([[active, active], [active, revoked], [revoked, revoked], [revoked]]);
  });

  test.each([
    ['another state', 'state', { state: 'expired' }],
    ['a limit of none', 'limit', { limit: '0' }],
    ['a limit above 200', 'limit', { limit: '201' }],
    ['a cursor that is none', 'cursor', { cursor: 'x' }],
  ])('refuses %s, and names it', async (_what, field, query) => {
    const { ask } = await projectOf();
    expect(await ask(query)).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST', field } });
  });

  test('refuses a cursor of another state, of another project and of another list', async () => {
    const { ask, browser, account, project } = await projectOf();
    const cursorIn = ({ body }: { readonly body: unknown }): string => (body as Keys).cursor ?? '';
    const ended = cursorIn(await ask({ state: 'ended', limit: '1' }));
    expect((await ask({ state: 'ended', limit: '1', cursor: ended })).status).toBe(200);
    const audit = cursorIn(await browser.get(`${account}/audit`, 'limit=1'));
    const { projectId = '' } = await created(browser.post(`${account}/projects`, { name: 'Other' }));
    const query = new URLSearchParams({ state: 'ended', cursor: ended }).toString();
    for (const answer of [
      await ask({ state: 'active', cursor: ended }),
      await ask({ cursor: ended }),
      await ask({ state: 'ended', cursor: audit }),
      await browser.get(`${account}/projects/${projectId}/keys`, query),
    ]) {
      expect(answer).toMatchObject({ status: 400, body: { field: 'cursor' } });
    }
    expect((await browser.get(`${project}/events`, new URLSearchParams({ cursor: ended }).toString())).status).toBe(
      400,
    );
  });

  test('counts as a read, but for the first page of those that go on', async () => {
    const { portal, ask } = await projectOf(2);
    const [{ cursor }, ended] = [(await ask({ state: 'active', limit: '1' })).body as Keys, { state: 'ended' }];
    expect((await ask(ended)).status).toBe(200);
    expect((await ask({})).status).toBe(200);
    expect((await ask({})).status).toBe(429);
    expect((await ask(ended)).status).toBe(429);
    expect((await ask({ state: 'active', limit: '1', cursor: cursor ?? '' })).status).toBe(429);
    expect((await ask({ state: 'active' })).status).toBe(200);
    portal.clock.nowMs += MINUTE_MS;
    expect((await ask(ended)).status).toBe(200);
  });
});

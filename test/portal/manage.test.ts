import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { testGateway } from '../support/gateway.ts';
import { startProvider, type TestProvider } from '../support/identity.ts';
import { PORTAL, testPortal } from '../support/portal.ts';
import { created, tenantOf } from '../support/portal-team.ts';
import { testClock } from '../support/reports.ts';
import { program, tokenOf } from '../support/tokens.ts';

let provider: TestProvider;
beforeAll(async () => {
  provider = await startProvider(PORTAL);
});
afterAll(() => provider.stop());

describe('a program with a management token', () => {
  test('makes a key, uses it, reads units by key, changes, rotates and ends it', async () => {
    const clock = testClock();
    const portal = testPortal(provider, { clock });
    const { browser, account, accountId, projectId } = await tenantOf(portal);
    const { token, tokenId } = await tokenOf(browser, account);
    const ci = program(portal, token);
    expect((await ci.get('/token')).body).toMatchObject({ tokenId, accountId, status: 'active' });
    expect((await ci.get('/projects')).body).toMatchObject({ projects: [{ projectId }], cursor: null });

    const keys = `/projects/${projectId}/keys`;
    const { keyId = '', key = '' } = await created(ci.post(keys, { name: 'from CI', unitsLimit: 100 }));
    const gateway = testGateway({ clock });
    const pong = await gateway.ping(key);
    expect(pong.status).toBe(200);
    expect((await ci.get(`${keys}/${keyId}`)).body).toMatchObject({ name: 'from CI', unitsLimit: 100, unitsUsed: 1 });
    const usage = (await ci.get(`/projects/${projectId}/usage`, 'by=key')).body;
    expect(usage).toMatchObject({ by: 'key', keys: [{ keyId, name: 'from CI', requests: 1, units: 1 }] });
    const { requests } = (await ci.get(`/projects/${projectId}/requests`)).body as {
      requests: { requestId: string }[];
    };
    expect(requests).toHaveLength(1);
    expect((await ci.get(`/requests/${requests[0]?.requestId}`)).body).toEqual(requests[0]);

    expect((await ci.patch(`${keys}/${keyId}`, { name: 'CI of main' })).body).toMatchObject({ name: 'CI of main' });
    const { keyId: nextId = '', key: next = '' } = await created(ci.post(`${keys}/${keyId}/rotate`, { graceHours: 0 }));
    expect((await gateway.ping(next)).status).toBe(200);
    expect((await ci.post(`${keys}/${nextId}/revoke`)).body).toMatchObject({ status: 'revoked' });
    expect((await gateway.ping(next)).status).toBe(401);
  });
});

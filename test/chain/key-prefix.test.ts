import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { healthChain } from '../../functions/gateway/health-chain.ts';
import { API_KEY, authorizationFault } from '../../functions/shared/credentials/api-key.ts';
import { knowKeyPrefixes } from '../../functions/shared/credentials/credential-text.ts';
import { DEFAULT_KEY_PREFIX, keyPrefixesIn } from '../../functions/shared/settings/key-prefixes.ts';
import { errorView } from '../../functions/shared/telemetry.ts';
import { trustingProvider } from '../support/changes/provider.ts';
import { endlessDeadline, testDeadline } from '../support/deadline.ts';
import { gatewayWithTenant, tenant, testGateway } from '../support/gateway.ts';
import { httpEvent, invoke } from '../support/http.ts';
import { unknownKey, withChecksum } from '../support/keys.ts';
import { testPortal } from '../support/portal.ts';
import { tenantOf } from '../support/portal-team.ts';
import { testClock, testTelemetry } from '../support/reports.ts';

/** Today's, one of before, and the default, which no stage lists. */
const PREFIXES = ['acme', 'zz', DEFAULT_KEY_PREFIX] as const;
const stage = () => knowKeyPrefixes(keyPrefixesIn('acme', 'zz,acme'));
/** What is made while a stage has this prefix. */
async function under<T>(prefix: string, make: () => T | Promise<T>): Promise<T> {
  knowKeyPrefixes(keyPrefixesIn(prefix));
  try {
    return await make();
  } finally {
    stage();
  }
}
beforeEach(stage);
afterEach(() => knowKeyPrefixes([DEFAULT_KEY_PREFIX]));

test('new keys begin with the prefix of the stage, and are charged and ended like any', async () => {
  const portal = testPortal(trustingProvider, { startDeadline: endlessDeadline });
  const { browser, project, keyId, key } = await tenantOf(portal);
  expect(key).toMatch(/^acme_test_[0-9A-Za-z]{42}$/);
  const { body } = await browser.post(`${project}/keys/${keyId}/rotate`, { graceHours: 24 });
  expect((body as { key: string }).key).toMatch(/^acme_test_[0-9A-Za-z]{42}$/);
  expect((await browser.get('/api/session')).body).toMatchObject({ keyPrefixes: ['acme', 'zz', 'svc'] });
  const gateway = testGateway({ clock: portal.clock });
  expect((await gateway.ping(key)).status).toBe(200);
});

describe.each(PREFIXES)('a key that was made under the prefix %s', (prefix) => {
  test('works as before, and its report ends it', async () => {
    const portal = testPortal(trustingProvider, { startDeadline: endlessDeadline });
    const { key } = await under(prefix, () => tenantOf(portal));
    expect(key.startsWith(`${prefix}_test_`)).toBe(true);
    const gateway = testGateway({ clock: portal.clock });
    expect((await gateway.ping(key)).status).toBe(200);
    const body = { keys: [{ token: key, url: `https://example.com/a?${key}` }] };
    const headers = { 'content-type': 'application/json' };
    await portal.send({ method: 'POST', path: '/api/leaked-keys', headers, body });
    expect((await gateway.ping(key)).body.code).toBe('API_KEY_REVOKED');
  });

  test('is refused in each place where none belongs, and stands in no answer, event or line', async () => {
    const { gateway, key, projectId } = await gatewayWithTenant();
    const misplaced = await under(prefix, () => unknownKey('Project00001'));
    const encoded = misplaced.replaceAll('_', '%255F');
    const requests = [
      { query: `k=${encoded}` },
      { cookies: [`k=${misplaced}`] },
      { body: { deep: [misplaced] } },
      { body: { clientRequestId: misplaced } },
    ];
    for (const request of requests) {
      expect((await gateway.ping(key, request)).body.code).toBe('INVALID_REQUEST');
    }
    const dependencies = { clock: testClock(), randomBytes, startDeadline: testDeadline, telemetry: testTelemetry() };
    const health = healthChain({ ...dependencies, allowedOrigins: [] });
    const answer = await invoke(health, httpEvent({ method: 'GET', path: `/x/${encoded}`, body: null }));
    expect(answer.body.detail).toContain('in the path of');
    await gateway.ping(key, { headers: { 'user-agent': `curl ${misplaced.slice(0, 20)}` } });
    const events = await gateway.events(projectId);
    expect(events).toMatchObject([{ userAgent: null }]);
    expect(JSON.stringify([gateway.telemetry, dependencies.telemetry, events, answer])).not.toContain(
      misplaced.slice(9),
    );
    expect(errorView(new Error(`no item for ${misplaced}x`)).message).toBe(`no item for ${prefix}_…x`);
  });

  test('is told what is wrong with it', async () => {
    const key = await under(prefix, () => unknownKey('Project00001'));
    const fault = (text: string) => authorizationFault(`Bearer ${text}`, API_KEY);
    expect(fault(key)).toBeUndefined();
    expect(fault(key.slice(0, -1))).toContain(`it has ${key.length - 1} of ${key.length} characters`);
    expect(fault(`${key.slice(0, -1)}${key.endsWith('0') ? 1 : 0}`)).toContain('its checksum does not match');
    expect(fault('hello')).toBe(
      'This is no API key: one begins with acme_test_ or acme_live_ and has 52 characters. Copy it again.',
    );
  });
});

test('a prefix that the stage never had makes no key: such a text is served, and such a key is not known', async () => {
  const { gateway, key } = await gatewayWithTenant();
  const foreign = await under('other', () => tenant(gateway));
  expect((await gateway.ping(foreign.key)).body.code).toBe('INVALID_API_KEY');
  expect((await gateway.ping(key, { body: { clientRequestId: foreign.key } })).status).toBe(200);
});

test('the tag holds the prefix: a key under another one of the stage is another key', async () => {
  const { gateway, key } = await gatewayWithTenant();
  for (const prefix of ['zz', 'svc']) {
    const moved = withChecksum(`${prefix}${key.slice('acme'.length, -6)}`);
    expect((await gateway.ping(moved)).body.code).toBe('INVALID_API_KEY');
  }
});

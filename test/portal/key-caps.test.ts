import { beforeAll, describe, expect, test } from '@jest/globals';
import { createKey, expireKey, updateKey } from '../../functions/accounts/keys/api-keys.ts';
import { KEY, testGateway, type TestGateway } from '../support/gateway.ts';
import { trustingProvider } from '../support/changes/provider.ts';
import { testPortal, type TestPortal } from '../support/portal.ts';
import { created, join, tenantOf } from '../support/portal-team.ts';

let portal: TestPortal;
let gateway: TestGateway;
beforeAll(() => {
  portal = testPortal(trustingProvider);
  gateway = testGateway({ clock: portal.clock });
});

const ping = async (key: string) => {
  const { status, body } = await gateway.ping(key);
  return status === 200 ? 200 : body.code;
};
const USED_UP = 'KEY_QUOTA_EXCEEDED';

/** A project with a key, and what its pages tell of the caps. */
async function team() {
  const made = await tenantOf(portal);
  const { browser, project, keyId } = made;
  const listed = async () => {
    const { keys } = (await browser.get(`${project}/keys`, 'state=active')).body as { keys: Record<string, unknown>[] };
    const caps = keys.map((key): [string, unknown] => [String(key.keyId), [key.unitsLimit, key.unitsUsed]]);
    return Object.fromEntries(caps) as Record<string, unknown>;
  };
  const ofKey = `${project}/keys/${keyId}`;
  const rotate = () => created(browser.post(`${ofKey}/rotate`, { graceHours: 1 }));
  return { ...made, ofKey, listed, rotate };
}

describe('the cap of a key', () => {
  test('is set, changed and removed by any member, applies to the next request, and is shown with its use', async () => {
    const { browser: owner, accountId, account, keyId, key, ofKey, listed } = await team();
    const member = await join(portal, owner, accountId);
    expect(await ping(key)).toBe(200);
    expect(await member.patch(ofKey, { unitsLimit: 1 })).toMatchObject({ status: 200, body: { unitsLimit: 1 } });
    expect([await ping(key), await ping(key)]).toEqual([200, USED_UP]);
    expect(await listed()).toEqual({ [keyId]: [1, 1] });
    expect((await member.get(ofKey)).body).toMatchObject({ unitsLimit: 1, unitsUsed: 1, usage: { units: 2 } });

    await owner.patch(ofKey, { unitsLimit: 2, name: 'Agent' });
    expect([await ping(key), await ping(key)]).toEqual([200, USED_UP]);
    // Nothing changes, and nothing is audited.
    expect((await owner.patch(ofKey, { unitsLimit: 2 })).status).toBe(200);
    await member.patch(ofKey, { unitsLimit: null });
    expect([await ping(key), await listed()]).toEqual([200, { [keyId]: [null, null] }]);

    const { events } = (await owner.get(`${account}/audit`)).body as { events: Record<string, unknown>[] };
    const changes = events
      .filter(({ action }) => action === 'key.update')
      .map(({ before, after }) => ({ before, after }));
    expect(changes).toHaveLength(3);
    expect(changes).toEqual(
      expect.arrayContaining([
        { before: { unitsLimit: null }, after: { unitsLimit: 1 } },
        { before: { name: 'CI', unitsLimit: 1 }, after: { name: 'Agent', unitsLimit: 2 } },
        { before: { unitsLimit: 2 }, after: { unitsLimit: null } },
      ]),
    );
  });

  test('comes with a new key, is that of a repeated creation, and another one under its Idempotency-Key is refused', async () => {
    const { browser, project, listed } = await team();
    const create = (unitsLimit: number | null) =>
      browser.request('POST', `${project}/keys`, {
        body: { unitsLimit },
        headers: { 'idempotency-key': 'a-click', 'content-type': 'application/json' },
      });
    const { keyId = '' } = (await create(1)).body as Record<string, string>;
    const { key = '' } = (await create(1)).body as Record<string, string>;
    expect(await create(2)).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_CONFLICT' } });
    expect([await ping(key), await ping(key)]).toEqual([200, USED_UP]);
    expect(await listed()).toMatchObject({ [keyId]: [1, 1] });
  });

  test('is changed for both keys of a grace at the new one, and the replaced one is refused with 409', async () => {
    const { browser, project, keyId, key, ofKey, listed, rotate } = await team();
    await browser.patch(ofKey, { unitsLimit: 4 });
    await ping(key);
    const next = await rotate();
    expect(await browser.patch(ofKey, { unitsLimit: 9 })).toMatchObject({
      status: 409,
      body: { code: 'KEY_NOT_ACTIVE' },
    });
    expect((await browser.patch(ofKey, { name: 'Old' })).status).toBe(200);
    expect((await browser.patch(`${project}/keys/${next.keyId}`, { unitsLimit: 2 })).status).toBe(200);
    expect([await ping(key), await ping(next.key ?? ''), await ping(key)]).toEqual([200, USED_UP, USED_UP]);
    expect(await listed()).toEqual({ [keyId]: [2, 2], [next.keyId ?? '']: [2, 2] });
  });

  test('is that of the new key alone, once the replaced one has ended', async () => {
    const { browser, project, projectId, keyId, listed, rotate } = await team();
    const { keyId: next = '' } = await rotate();
    await expireKey(gateway.store, projectId, keyId, { inMs: 0 });
    expect((await browser.patch(`${project}/keys/${next}`, { unitsLimit: 2 })).status).toBe(200);
    expect(await listed()).toEqual({ [next]: [2, 0] });
    expect((await browser.get(`${project}/keys/${keyId}`)).body).toMatchObject({ unitsLimit: null, unitsUsed: null });
  });

  test('is a whole number from 0 to 10⁹, or none', async () => {
    const { browser, project, ofKey } = await team();
    const refused = { status: 400, body: { code: 'INVALID_REQUEST', field: 'unitsLimit' } };
    for (const unitsLimit of [-1, 1.5, 1_000_000_001, '5', true, [5]]) {
      expect(await browser.patch(ofKey, { unitsLimit })).toMatchObject(refused);
      expect(await browser.post(`${project}/keys`, { unitsLimit })).toMatchObject(refused);
    }
    expect((await browser.patch(ofKey, { unitsLimit: 1_000_000_000 })).status).toBe(200);
  });
});

describe('a rate limit above 1,800 a minute', () => {
  const TOO_FAST = 1_801;
  const refused = {
    status: 400,
    body: { code: 'INVALID_REQUEST', detail: expect.stringContaining('lower rate limit') },
  };

  test('takes no cap, and a key with one no such limit', async () => {
    const { browser, projectId, keyId, ofKey } = await team();
    const change = (rpm: number) => updateKey(gateway.store, projectId, keyId, { rpm });
    await change(TOO_FAST);
    expect(await browser.patch(ofKey, { unitsLimit: 5 })).toMatchObject(refused);
    await change(TOO_FAST - 1);
    expect((await browser.patch(ofKey, { unitsLimit: 5 })).status).toBe(200);
    await expect(change(TOO_FAST)).rejects.toThrow('at most 1800 a minute');
    expect((await browser.get(ofKey)).body).toMatchObject({ unitsLimit: 5, rpm: TOO_FAST - 1 });
  });

  test('of a replaced key in its grace takes none either, as both would spend from one counter', async () => {
    const { browser, project, projectId, keyId, key, rotate } = await team();
    const { keyId: next } = await rotate();
    await updateKey(gateway.store, projectId, keyId, { rpm: TOO_FAST });
    expect(await browser.patch(`${project}/keys/${next}`, { unitsLimit: 0 })).toMatchObject(refused);
    expect(await ping(key)).toBe(200);
  });

  test('makes no key with a cap', async () => {
    const { projectId } = await team();
    const details = { projectId, ...KEY, rpm: TOO_FAST };
    await expect(createKey(gateway.store, { ...details, unitsLimit: 5 })).rejects.toThrow('at most 1800 a minute');
    expect((await createKey(gateway.store, details)).keyId).toMatch(/^key_/);
  });
});

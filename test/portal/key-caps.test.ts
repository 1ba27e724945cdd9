import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { createKey, expireKey, updateKey } from '../../functions/accounts/keys/api-keys.ts';
import { itemKey } from '../../functions/shared/store/items.ts';
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

describe('the period of a cap', () => {
  const refused = { status: 400, body: { code: 'INVALID_REQUEST', field: 'unitsPeriod' } };
  /** A counter as the gateway writes it. */
  const counts = (projectId: string, span: string, capId: string, units: number) =>
    gateway.store.client.send(
      new PutCommand({
        TableName: gateway.store.tables.gateway,
        Item: { ...itemKey.capUnits(projectId, span, capId), units },
      }),
    );

  test('is chosen with the limit or changed alone, is told with what is spent in it, and audited where it is its own', async () => {
    const { browser, account, project, projectId, ofKey, keyId } = await team();
    const told = async () => {
      const { unitsLimit, unitsPeriod, unitsUsed } = (await browser.get(ofKey)).body as Record<string, unknown>;
      return [unitsLimit, unitsPeriod, unitsUsed];
    };
    const change = async (body: object) => {
      portal.clock.nowMs++;
      expect(await browser.patch(ofKey, body)).toMatchObject({ status: 200 });
    };
    expect(await told()).toEqual([null, null, null]);
    // The clock of tests says Tuesday, 15 January 2030.
    await Promise.all([
      counts(projectId, '2030-01-15', `${keyId}.d`, 1),
      counts(projectId, '2030-W03', `${keyId}.w`, 2),
      counts(projectId, '2030-01', keyId, 3),
      counts(projectId, 'once', `${keyId}.o`, 4),
    ]);
    await change({ unitsLimit: 9 });
    expect(await told()).toEqual([9, 'month', 3]);
    await change({ unitsPeriod: 'day' });
    expect(await told()).toEqual([9, 'day', 1]);
    await change({ unitsLimit: 8, unitsPeriod: 'week' });
    expect(await told()).toEqual([8, 'week', 2]);
    await change({ unitsLimit: 7 });
    expect(await told()).toEqual([7, 'week', 2]);
    await change({ unitsPeriod: 'once' });
    expect(await told()).toEqual([7, 'once', 4]);
    await change({ unitsPeriod: 'month' });
    expect(await told()).toEqual([7, 'month', 3]);
    await change({ unitsLimit: null });
    expect(await told()).toEqual([null, null, null]);

    const { keyId: made } = await created(browser.post(`${project}/keys`, { unitsLimit: 5, unitsPeriod: 'day' }));
    expect((await browser.get(`${project}/keys/${made}`)).body).toMatchObject({ unitsPeriod: 'day', unitsUsed: 0 });
    const { events } = (await browser.get(`${account}/audit`)).body as { events: Record<string, unknown>[] };
    expect(
      events
        .filter(({ action }) => action === 'key.update')
        .map(({ before, after }) => [before, after])
        .reverse(),
    ).toEqual([
      [{ unitsLimit: null }, { unitsLimit: 9 }],
      [{ unitsPeriod: null }, { unitsPeriod: 'day' }],
      [
        { unitsLimit: 9, unitsPeriod: 'day' },
        { unitsLimit: 8, unitsPeriod: 'week' },
      ],
      [{ unitsLimit: 8 }, { unitsLimit: 7 }],
      [{ unitsPeriod: 'week' }, { unitsPeriod: 'once' }],
      [{ unitsPeriod: 'once' }, { unitsPeriod: null }],
      [{ unitsLimit: 7 }, { unitsLimit: null }],
    ]);
    expect(events.find(({ keyId: of }) => of === made)).toMatchObject({ after: { unitsLimit: 5, unitsPeriod: 'day' } });
  });

  test('needs a limit, and is one of four', async () => {
    const { browser, project, ofKey } = await team();
    for (const body of [{ unitsPeriod: 'day' }, { unitsLimit: null, unitsPeriod: 'day' }]) {
      expect(await browser.patch(ofKey, body)).toMatchObject(refused);
      expect(await browser.post(`${project}/keys`, body)).toMatchObject(refused);
    }
    for (const unitsPeriod of ['year', 'Day', '', null, 1]) {
      expect(await browser.patch(ofKey, { unitsLimit: 5, unitsPeriod })).toMatchObject(refused);
      expect(await browser.post(`${project}/keys`, { unitsLimit: 5, unitsPeriod })).toMatchObject(refused);
    }
    await browser.patch(ofKey, { unitsLimit: 5, unitsPeriod: 'week' });
    expect(await browser.patch(ofKey, { unitsLimit: null, unitsPeriod: 'week' })).toMatchObject(refused);
    // A limit that is taken away takes its period along.
    await browser.patch(ofKey, { unitsLimit: null });
    expect(await browser.patch(ofKey, { unitsPeriod: 'week' })).toMatchObject(refused);
    expect(await browser.patch(ofKey, { unitsLimit: 5 })).toMatchObject({ body: { unitsPeriod: 'month' } });
  });

  test('is that of both keys of a grace, is changed at the new one, and audited of both', async () => {
    const { browser, account, project, keyId, ofKey, rotate } = await team();
    await browser.patch(ofKey, { unitsLimit: 4, unitsPeriod: 'week' });
    const { keyId: next = '' } = await rotate();
    expect(await browser.patch(ofKey, { unitsPeriod: 'day' })).toMatchObject({ body: { code: 'KEY_NOT_ACTIVE' } });
    expect((await browser.patch(`${project}/keys/${next}`, { unitsPeriod: 'once' })).status).toBe(200);
    const both = [ofKey, `${project}/keys/${next}`].map(async (path) => (await browser.get(path)).body);
    for (const key of await Promise.all(both))
      expect(key).toMatchObject({ unitsLimit: 4, unitsPeriod: 'once', capOf: null });
    const { events } = (await browser.get(`${account}/audit`)).body as { events: Record<string, unknown>[] };
    const changes = events.filter(({ after }) => (after as Record<string, unknown> | null)?.unitsPeriod === 'once');
    expect(changes.map(({ keyId: of }) => of).sort()).toEqual([keyId, next].sort());
    for (const event of changes) expect(event).toMatchObject({ before: { unitsPeriod: 'week' } });
  });

  test('of a stage with a quota by day: absent it is a day', async () => {
    const daily = testPortal(trustingProvider, { quotaPeriod: 'day' });
    const { browser, project, projectId, keyId } = await tenantOf(daily);
    const ofKey = `${project}/keys/${keyId}`;
    await counts(projectId, '2030-01-15', keyId, 2);
    await counts(projectId, '2030-01', `${keyId}.m`, 3);
    expect(await browser.patch(ofKey, { unitsLimit: 5 })).toMatchObject({ body: { unitsPeriod: 'day' } });
    expect((await browser.get(ofKey)).body).toMatchObject({ unitsPeriod: 'day', unitsUsed: 2 });
    await browser.patch(ofKey, { unitsPeriod: 'month' });
    expect((await browser.get(ofKey)).body).toMatchObject({ unitsPeriod: 'month', unitsUsed: 3 });
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

import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { createKey, expireKey, updateKey } from '../../functions/accounts/keys/api-keys.ts';
import { itemKey } from '../../functions/shared/store/items.ts';
import { readItem } from '../../functions/shared/store/tables.ts';
import { trustingProvider } from '../support/changes/provider.ts';
import { KEY, testGateway, type TestGateway } from '../support/gateway.ts';
import { interleaved } from '../support/overtaking.ts';
import { testPortal, type PortalAnswer, type TestPortal } from '../support/portal.ts';
import { created, tenantOf } from '../support/portal-team.ts';

let portal: TestPortal;
let gateway: TestGateway;
beforeAll(() => {
  portal = testPortal(trustingProvider);
  gateway = testGateway({ clock: portal.clock });
});

type Told = Record<string, unknown>;
const UNKNOWN = 'key_AAAAAAAAAAAAAAAA';

/** A project whose first key may spend some units once, and what a test does with it. */
async function team(unitsLimit = 10) {
  const made = await tenantOf(portal);
  const { browser, projectId, project } = made;
  const create = (body: object, idempotencyKey?: string) =>
    browser.request('POST', `${project}/keys`, {
      body,
      headers: {
        'content-type': 'application/json',
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      },
    });
  const { keyId: first = '' } = await created(create({ unitsLimit, unitsPeriod: 'once' }));
  const of = (keyId: string) => `${project}/keys/${keyId}`;
  const counter = itemKey.capUnits(projectId, 'once', `${first}.o`);
  return {
    ...made,
    first,
    of,
    create,
    share: async (keyId = first) => (await created(create({ capOf: keyId }))).keyId ?? '',
    change: (keyId: string, body: object) => {
      portal.clock.nowMs++;
      return browser.patch(of(keyId), body);
    },
    counted: () => readItem<Told>(gateway.store, counter),
    spend: (units: number) =>
      gateway.store.client.send(
        new UpdateCommand({
          TableName: gateway.store.tables.gateway,
          Key: counter,
          UpdateExpression: 'ADD units :units',
          ExpressionAttributeValues: { ':units': units },
        }),
      ),
    /** What the list of keys tells: the limit, its period, what is spent, and whose limit it is. */
    listed: async () => {
      const { keys } = (await browser.get(`${project}/keys`, 'state=active')).body as { keys: Told[] };
      return Object.fromEntries(
        keys.map(({ keyId, unitsLimit: limit, unitsPeriod, unitsUsed, capOf }) => [
          keyId,
          [limit, unitsPeriod, unitsUsed, capOf],
        ]),
      ) as Told;
    },
  };
}

const refused = (field: string, detail?: string) => ({
  status: 400,
  body: { code: 'INVALID_REQUEST', field, ...(detail !== undefined && { detail: expect.stringContaining(detail) }) },
});
const ENDED = { status: 409, body: { code: 'KEY_NOT_ACTIVE' } };

describe('keys that share a limit', () => {
  test('tell the limit and what is spent of all of them, and the id of the first key', async () => {
    const { first, share, keyId, spend, listed, browser, of, counted } = await team();
    expect((await listed())[first]).toEqual([10, 'once', 0, null]);
    const second = await share();
    const third = await share(second);
    await spend(7);
    expect(await listed()).toEqual({
      [keyId]: [null, null, null, null],
      [first]: [10, 'once', 7, null],
      [second]: [10, 'once', 7, first],
      [third]: [10, 'once', 7, first],
    });
    expect((await browser.get(of(third))).body).toMatchObject({ unitsLimit: 10, unitsUsed: 7, capOf: first });
    expect(await counted()).toMatchObject({ limit: 10, keyCount: 3, units: 7 });
    expect(await counted()).not.toHaveProperty('ttl');
  });

  test('have one limit, which a change through any of them changes for all, with one event; 0 is one, too', async () => {
    const { first, share, change, listed, counted, browser, account } = await team();
    const second = await share();
    const third = await share();
    expect(await change(third, { unitsLimit: 12, unitsPeriod: 'once' })).toMatchObject({
      status: 200,
      body: { unitsLimit: 12, unitsPeriod: 'once', capOf: first },
    });
    // Its own copy says 10, which is no longer the limit.
    expect(await change(second, { unitsLimit: 10 })).toMatchObject({ status: 200, body: { unitsLimit: 10 } });
    expect(await change(first, { unitsLimit: 0 })).toMatchObject({ status: 200, body: { unitsLimit: 0, capOf: null } });
    expect(await change(third, { unitsLimit: 0 })).toMatchObject({ status: 200, body: { unitsLimit: 0 } });
    expect(Object.values(await listed()).filter((told) => (told as unknown[])[0] === 0)).toHaveLength(3);
    expect(await counted()).toMatchObject({ limit: 0, keyCount: 3 });
    const { events } = (await browser.get(`${account}/audit`)).body as { events: Told[] };
    expect(
      events
        .filter(({ action }) => action === 'key.update')
        .map(({ keyId, before, after }) => [keyId, before, after])
        .reverse(),
    ).toEqual([
      [third, { unitsLimit: 10 }, { unitsLimit: 12 }],
      [second, { unitsLimit: 12 }, { unitsLimit: 10 }],
      [first, { unitsLimit: 10 }, { unitsLimit: 0 }],
    ]);
    expect(events.find(({ action, keyId }) => action === 'key.create' && keyId === second)).toMatchObject({
      after: { unitsLimit: 10, unitsPeriod: 'once', capOf: first },
    });
  });

  test('go on when the first of them has ended, or is rotated; a successor spends from the same', async () => {
    const { first, share, change, listed, browser, of, spend } = await team();
    const second = await share();
    const { keyId: next = '' } = await created(browser.post(`${of(second)}/rotate`, { graceHours: 1 }));
    await browser.post(`${of(first)}/revoke`);
    const third = await share(next);
    await spend(1);
    expect(await change(third, { unitsLimit: 20 })).toMatchObject({ status: 200 });
    // Also through one that is replaced: a job that knows no other key can end its run.
    expect(await change(second, { unitsLimit: 0 })).toMatchObject({ status: 200, body: { unitsLimit: 0 } });
    expect(await change(second, { unitsLimit: 20 })).toMatchObject({ status: 200 });
    const shared = [20, 'once', 1, first];
    expect(await listed()).toMatchObject({ [second]: shared, [next]: shared, [third]: shared });
    expect((await browser.get(of(first))).body).toMatchObject({ status: 'revoked', unitsLimit: 20, capOf: null });
  });

  test('keep their limit and its period', async () => {
    const { share, change, first, listed } = await team();
    const second = await share();
    for (const keyId of [first, second]) {
      expect(await change(keyId, { unitsLimit: null })).toMatchObject(refused('unitsLimit', '0 stops them all'));
      expect(await change(keyId, { unitsPeriod: 'week' })).toMatchObject(refused('unitsPeriod'));
      expect(await change(keyId, { unitsLimit: 3, unitsPeriod: 'month' })).toMatchObject(refused('unitsPeriod'));
    }
    expect(await listed()).toMatchObject({ [first]: [10, 'once', 0, null], [second]: [10, 'once', 0, first] });
  });

  test('are refused for what cannot be shared', async () => {
    const { projectId, first, create, keyId, browser, of, project, share } = await team();
    for (const more of [{ unitsLimit: 1 }, { unitsLimit: null }, { unitsPeriod: 'once' }])
      expect(await create({ capOf: first, ...more })).toMatchObject(refused('capOf', 'not both'));
    expect(await create({ capOf: 'key' })).toMatchObject(refused('capOf'));
    expect(await create({ capOf: UNKNOWN })).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    const other = await team();
    expect(await create({ capOf: other.first })).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    // Without a limit, by another period, of another mode.
    expect(await create({ capOf: keyId })).toMatchObject(refused('capOf', 'counts once'));
    for (const unitsPeriod of ['day', 'week', 'month']) {
      const { keyId: weekly } = await created(browser.post(`${project}/keys`, { unitsLimit: 5, unitsPeriod }));
      expect(await create({ capOf: weekly })).toMatchObject(refused('capOf', 'counts once'));
    }
    const live = { ...KEY, projectId, mode: 'live', unitsLimit: 5, unitsPeriod: 'once' } as const;
    const { keyId: ofLive } = await createKey(gateway.store, live);
    expect(await create({ capOf: ofLive })).toMatchObject(refused('capOf', 'same mode'));
    // What has ended, or is replaced.
    const [revoked, expired, replaced] = [await share(), await share(), await share()];
    await browser.post(`${of(revoked)}/revoke`);
    await expireKey(gateway.store, projectId, expired, { inMs: 0 });
    await browser.post(`${of(replaced)}/rotate`, { graceHours: 1 });
    for (const ended of [revoked, expired, replaced]) expect(await create({ capOf: ended })).toMatchObject(ENDED);
  });

  test('have at most 180 requests a minute each, from the first sharing on', async () => {
    const { projectId, first, create, share } = await team();
    const rate = (keyId: string, rpm: number) => updateKey(gateway.store, projectId, keyId, { rpm });
    await rate(first, 181);
    expect(await create({ capOf: first })).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } });
    await rate(first, 180);
    const second = await share();
    for (const keyId of [first, second]) await expect(rate(keyId, 181)).rejects.toThrow('at most 180 a minute');
    await rate(second, 180);
    await expect(createKey(gateway.store, { ...KEY, projectId, rpm: 181, capOf: first })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
    });
  });

  test('are at most 20, also when many are made at once, and those that ended count', async () => {
    const { first, create, share, counted, browser, of } = await team();
    await browser.post(`${of(await share())}/revoke`);
    const answers: PortalAnswer[] = [];
    for (let round = 0; round < 5; round++)
      answers.push(...(await Promise.all(Array.from({ length: 4 }, () => create({ capOf: first })))));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(18);
    for (const answer of answers.filter(({ status }) => status !== 201))
      expect(answer).toMatchObject(refused('capOf', 'At most 20'));
    expect(await counted()).toMatchObject({ keyCount: 20 });
  });
});

describe('a creation that shares, repeated under its Idempotency-Key,', () => {
  test('is the same key, counts once, and spends from the same limit; another key to share is a conflict', async () => {
    const { first, create, counted, listed } = await team();
    const { keyId: made = '' } = await created(create({ capOf: first }, 'a-click'));
    expect(await created(create({ capOf: first }, 'a-click'))).toMatchObject({ keyId: made });
    expect(await create({ capOf: made }, 'a-click')).toMatchObject({
      status: 409,
      body: { code: 'IDEMPOTENCY_CONFLICT' },
    });
    expect(await counted()).toMatchObject({ limit: 10, keyCount: 2 });
    expect((await listed())[made]).toEqual([10, 'once', 0, first]);
  });

  test('is so when the key that it named has ended since, or all places are taken', async () => {
    const { first, create, share, browser, of, keyId } = await team();
    await browser.post(`${of(keyId)}/revoke`);
    const { keyId: made = '' } = await created(create({ capOf: first }, 'a-click'));
    for (let keys = 2; keys < 20; keys++) await share();
    expect(await created(create({ capOf: first }, 'a-click'))).toMatchObject({ keyId: made });
    await browser.post(`${of(first)}/revoke`);
    expect(await created(create({ capOf: first }, 'a-click'))).toMatchObject({ keyId: made });
    expect(await create({ capOf: first }, 'another')).toMatchObject(ENDED);
  });
});

describe('a first sharing beside another change', () => {
  type Team = Awaited<ReturnType<typeof team>>;
  const share = ({ create, first }: Team) => create({ capOf: first });
  const OTHERS: Readonly<Record<string, (team: Team) => Promise<PortalAnswer>>> = {
    'a second first sharing': share,
    'another limit': ({ change, first }) => change(first, { unitsLimit: 4 }),
    'no limit': ({ change, first }) => change(first, { unitsLimit: null }),
    'another period': ({ change, first }) => change(first, { unitsPeriod: 'week' }),
    'its rotation': ({ browser, of, first }) => browser.post(`${of(first)}/rotate`, { graceHours: 0 }),
    'its revocation': ({ browser, of, first }) => browser.post(`${of(first)}/revoke`),
    'a rate above 180': async ({ projectId, first }) => {
      const { rpm } = await updateKey(gateway.store, projectId, first, { rpm: 181 }).catch(() => ({ rpm: 0 }));
      return { status: rpm === 0 ? 400 : 200 } as PortalAnswer;
    },
  };
  /** What may come of the sharing and of the other change, in either order of the two. */
  const ENDS: Readonly<Record<string, readonly string[]>> = {
    'a second first sharing': ['201, 201'],
    'another limit': ['201, 200'],
    'no limit': ['201, 400', '400, 200'],
    'another period': ['201, 400', '400, 200'],
    'its rotation': ['201, 201', '409, 201'],
    'its revocation': ['201, 200', '409, 200'],
    'a rate above 180': ['201, 400', '400, 200'],
  };

  test.each(Object.keys(OTHERS))('and %s come to one end, whichever commits first', async (name) => {
    const other = OTHERS[name] as (team: Team) => Promise<PortalAnswer>;
    const ends = new Set<string>();
    for (const isSharingFirst of [false, true]) {
      const made = await team();
      const client = name === 'a rate above 180' && isSharingFirst ? gateway.store.client : portal.client;
      const [one, two] = await interleaved(
        client,
        'TransactWriteItems',
        () => (isSharingFirst ? other(made) : share(made)),
        () => (isSharingFirst ? share(made) : other(made)),
      );
      const [sharing, changing] = isSharingFirst ? [two, one] : [one, two];
      const end = `${sharing?.status}, ${changing?.status}`;
      expect([name, isSharingFirst, ENDS[name]]).toEqual([name, isSharingFirst, expect.arrayContaining([end])]);
      ends.add(end);
      const { limit, keyCount } = (await made.counted()) ?? {};
      const isShared = sharing?.status === 201;
      const isBoth = name === 'a second first sharing';
      expect([limit, keyCount]).toEqual(
        isShared ? [name === 'another limit' ? 4 : 10, isBoth ? 3 : 2] : [undefined, undefined],
      );
      const told = Object.values(await made.listed()).filter((key) => (key as unknown[])[3] === made.first);
      const successors = isShared && name === 'its rotation' ? 1 : 0;
      expect(told).toHaveLength(isShared ? (isBoth ? 2 : 1) + successors : 0);
    }
    expect([...ends].sort()).toEqual([...(ENDS[name] ?? [])].sort());
  });
});

import type { BatchGetCommandInput } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { generateApiKey, readKeyTagSecrets } from '../../functions/shared/credentials/api-key.ts';
import { NOTICE_SAMPLES } from '../../functions/notices/webhooks/samples.ts';
import { createKey } from '../../functions/accounts/keys/api-keys.ts';
import { foundAtOf } from '../../functions/accounts/keys/found-at.ts';
import { reportLeakedKeys } from '../../functions/accounts/keys/leaked-keys.ts';
import { readKey } from '../../functions/accounts/keys/stored-keys.ts';
import { createProject } from '../../functions/accounts/projects/projects.ts';
import { system } from '../../functions/shared/system.ts';
import { listAudit } from '../../functions/accounts/authority/audit.ts';
import { noticeOf } from '../../functions/notices/stream/notice-of.ts';
import { trustingProvider } from '../support/changes/provider.ts';
import { endlessDeadline } from '../support/deadline.ts';
import { recordCalls } from '../support/database.ts';
import { intercept, misbehavingServer } from '../support/faults.ts';
import { KEY, testGateway } from '../support/gateway.ts';
import { recordOf, testNotices } from '../support/notices.ts';
import { itemsOf } from '../support/people.ts';
import { testPortal, type TestPortal } from '../support/portal.ts';
import { tenantOf } from '../support/portal-team.ts';
import { MINUTE_MS } from '../support/times.ts';

let portal: TestPortal;
beforeAll(() => {
  portal = testPortal(trustingProvider, { startDeadline: endlessDeadline });
});
const closing: (() => void)[] = [];
afterAll(() => {
  for (const close of closing) close();
});
const report = (body: unknown) =>
  portal.send({
    method: 'POST',
    path: '/api/leaked-keys',
    headers: { 'content-type': 'application/json' },
    body,
  });

describe('a report of leaked keys', () => {
  test('ends a test key at once, without a session, and tells the owners where it was found', async () => {
    const { key, accountId, keyId } = await tenantOf(portal);
    const url = 'https://github.com/octo/repo/blob/main/.env';
    expect(await report([{ token: key, type: 'sandbox_key', url }])).toMatchObject({ status: 204, text: '' });
    expect((await testGateway({ clock: portal.clock }).ping(key)).body.code).toBe('API_KEY_REVOKED');
    const told = (await itemsOf(portal, `ACCOUNT#${accountId}`)).filter(({ action }) => action === 'key.report');
    expect(told).toMatchObject([{ actor: 'report', keyId }]);
    const notice = noticeOf(told[0] as never);
    expect(notice).toMatchObject({
      type: 'key.leaked',
      actor: 'report',
      keyId,
      data: { foundAt: url, isRevoked: true },
    });
    const { projectId: _, keyId: __, ...sample } = NOTICE_SAMPLES['key.leaked'];
    expect(Object.keys(notice?.data ?? {})).toEqual(Object.keys(sample));
  });

  test('may come from a program that authenticates itself to whatever it calls', async () => {
    const { key } = await tenantOf(portal);
    const headers = { 'content-type': 'application/json', authorization: 'Basic c2Nhbm5lcg==' };
    const sent = { method: 'POST', path: '/api/leaked-keys', headers, body: { keys: [key] } };
    expect((await portal.send(sent)).status).toBe(204);
  });

  test('is answered the same for every text, and forged keys cost no database call', async () => {
    const { key } = await tenantOf(portal);
    const forged = generateApiKey('test', 'AAAAAAAAAAAA', readKeyTagSecrets('x', 'a'.repeat(40)), system.randomBytes);
    const { commands } = recordCalls(portal.client);
    const one = await report({ keys: [forged, 'no key', `${key}0`] });
    expect(commands).toEqual([]);
    const other = await report({ keys: [key] });
    expect([one.status, one.text]).toEqual([other.status, other.text]);
    // A second report of the same key neither.
    commands.length = 0;
    await report({ keys: Array.from({ length: 20 }, () => key) });
    expect(commands).toEqual([]);
  });

  test('takes at most 1,000 keys in 512 kB, and nothing beside the list', async () => {
    const { key } = await tenantOf(portal);
    const forged = Array.from({ length: 1_000 }, () =>
      generateApiKey('test', 'AAAAAAAAAAAA', readKeyTagSecrets('x', 'a'.repeat(40)), system.randomBytes),
    );
    const list = forged.map((token) => ({ token, type: 'sandbox_key', url: `https://example.com/${'x'.repeat(380)}` }));
    expect(JSON.stringify(list).length).toBeGreaterThan(480 * 1024);
    expect((await report(list)).status).toBe(204);
    expect((await report({ keys: [...forged, key] })).status).toBe(400);
    expect((await report(JSON.stringify([key]).padEnd(512 * 1024))).status).toBe(204);
    const tooLarge = await report(JSON.stringify([key]).padEnd(512 * 1024 + 1));
    expect(tooLarge).toMatchObject({ status: 413, body: { detail: 'The request body is over 524288 bytes.' } });
    for (const text of ['["k"],"x":1', '["k"],"keys":["k"]', '["k"],["k"]', '["k"]}', '["k"]{}']) {
      expect([text, (await report(text)).status]).toEqual([text, 400]);
    }
  });

  test('costs reads at the limit of its route alone, in one spelling', async () => {
    const { key, keyId, projectId } = await tenantOf(portal);
    for (const rawPath of ['/api/%6ceaked-keys', '/api/x/%2e%2e/leaked-keys', '/manage/%2e%2e/api/leaked-keys']) {
      const headers = { 'content-type': 'application/json' };
      const http = { method: 'POST', sourceIp: '192.0.2.1' };
      const sent = { rawPath, headers, body: JSON.stringify([key]), requestContext: { requestId: 'r', http } };
      expect([rawPath, (await portal.sendEvent(sent)).status]).toEqual([rawPath, 404]);
    }
    expect((await readKey(portal.operator, projectId, keyId)).status).toBe('active');
  });

  test('stores no address that is no https one or holds a key', async () => {
    const { key, accountId } = await tenantOf(portal);
    for (const body of [{}, { keys: [] }, { keys: [1] }, []]) expect((await report(body)).status).toBe(400);
    expect((await report([{ token: key, url: `http://example.com/${key}` }])).status).toBe(204);
    const events = await Array.fromAsync(listAudit(portal.store, accountId));
    expect(events.find(({ action }) => action === 'key.report')?.after).not.toHaveProperty('foundAt');
  });

  const twice = (text: string): string => encodeURIComponent(encodeURIComponent(text));
  const hidden = (key: string): string[] => [
    key.replace('_', '_\t'),
    key.replace('_', '_\r\n'),
    key.replace('_', '%5f'),
    key.replace('_', '%255f'),
    key.replaceAll('_', '%2525255F'),
    key.replace('_', '_%2509'),
    key.slice(0, 12),
    key.toUpperCase(),
    twice(key.replaceAll(/./g, (c) => `%${c.charCodeAt(0).toString(16)}`)),
    key.replace('_', '_/'),
    key.replace('_', '_%E2%80%8B'),
    key.replace('s', '%u0073'),
    `${key.slice(0, 4)}/${key.slice(4, 30)}%C2%AD${key.slice(30)}`,
    key.slice('svc_test_'.length),
    `svc_mgmt_${'a'.repeat(46)}`,
    'x'.repeat(300),
  ];
  test('stores of an address origin and path alone, and none with what begins a credential, however encoded', async () => {
    const { key } = await tenantOf(portal);
    const page = 'https://github.com/octo/repo/blob/main/a%20file.ts';
    const shown = [page, `${page}?k=${key}#${key}`, page.replace('//', `//ada:${key}@`), page.replace('//', '//a:b@')];
    expect(shown.map((url) => foundAtOf(url, key))).toEqual(shown.map(() => page));
    for (const text of hidden(key))
      expect([text, foundAtOf(`https://example.com/${text}`, key)]).toEqual([text, undefined]);
    for (const url of [`https://${key}.example.com/`, 'data:text/plain,x', 'x', undefined]) {
      expect([url, foundAtOf(url, key)]).toEqual([url, undefined]);
    }
  });
});

describe('a report of many keys', () => {
  /** Keys of projects of an account, as many of each project as given. */
  async function keysOf(counts: readonly number[]) {
    const { accountId } = await tenantOf(portal);
    const ofProject = async (count: number, n: number) => {
      const projectId = await createProject(portal.operator, { accountId, name: `P${n}`, quotaLimit: undefined });
      const keys: { readonly keyId: string; readonly key: string; readonly projectId: string }[] = [];
      while (keys.length < count)
        keys.push({ projectId, ...(await createKey(portal.operator, { projectId, ...KEY })) });
      return keys;
    };
    return { accountId, keys: (await Promise.all(counts.map(ofProject))).flat() };
  }
  type Keys = Awaited<ReturnType<typeof keysOf>>['keys'];
  const tokensOf = (keys: Keys) => ({ keys: keys.map(({ key }) => key) });
  const left = async (keys: Keys) => {
    const own = new Set(keys.map(({ keyId }) => keyId));
    const items = await itemsOf(portal, 'NOTICES#report');
    return items.filter((item) => (item.keys as { keyId: string }[]).some(({ keyId }) => own.has(keyId)));
  };
  const ended = async (keys: Keys): Promise<number> => {
    const stored = await Promise.all(keys.map(({ projectId, keyId }) => readKey(portal.operator, projectId, keyId)));
    return stored.filter(({ status }) => status === 'revoked').length;
  };
  /** What the notices function does with what is left, each message twice. */
  const work = async (items: readonly Record<string, unknown>[], notices = testNotices(portal)) => {
    await notices.give(items.map((item) => recordOf(item, 'INSERT')));
    const results = [];
    for (const message of [...notices.leftKeys, ...notices.leftKeys]) results.push(await notices.giveRun(message));
    return { ...notices, failed: results.filter(({ batchItemFailures }) => batchItemFailures.length > 0).length };
  };

  test('ends 20 of an account in a minute, at 30 at once too, and the others by a message, once each', async () => {
    const { accountId, keys } = await keysOf([15, 15]);
    const answers = await Promise.all(keys.map((key) => report(tokensOf([key]))));
    expect(answers.map(({ status }) => status)).toEqual(keys.map(() => 204));
    expect(await ended(keys)).toBe(20);
    const items = await left(keys);
    expect(items).toHaveLength(10);
    for (const { key } of keys) expect(JSON.stringify(items)).not.toContain(key.slice('svc_test_'.length));
    const { warnings, failed } = await work(items);
    expect([await ended(keys), warnings, failed]).toEqual([30, [], 0]);
    const audit = (await itemsOf(portal, `ACCOUNT#${accountId}`)).filter(({ action }) => action === 'key.report');
    expect(audit.map(({ actor }) => actor)).toEqual(keys.map(() => 'report'));
    // Each in a minute of its own: a new one begins from nothing.
    portal.clock.nowMs += MINUTE_MS;
    const more = await keysOf([3]);
    await report(tokensOf(more.keys));
    expect([await ended(more.keys), await left(more.keys)]).toEqual([3, []]);
  });

  test('ends 100 in the request, ten beside each other, and looks the others up in batches of 100', async () => {
    const accounts = await Promise.all(Array.from({ length: 20 }, () => keysOf([4, 3])));
    const keys = accounts.flatMap((account) => account.keys);
    const other = testPortal(trustingProvider, { clock: portal.clock, startDeadline: endlessDeadline });
    const { inputs, commands } = recordCalls(other.client);
    let [inFlight, most] = [0, 0];
    intercept(other.client, async (attempt) => {
      const isChange = attempt.operation === 'TransactWriteItems';
      most = Math.max(most, isChange ? ++inFlight : 0);
      return attempt.send().finally(() => (inFlight -= isChange ? 1 : 0));
    });
    const headers = { 'content-type': 'application/json' };
    const sent = await other.send({ method: 'POST', path: '/api/leaked-keys', headers, body: tokensOf(keys) });
    expect(sent.status).toBe(204);
    expect(await ended(keys)).toBe(100);
    expect(most).toBeLessThanOrEqual(10);
    expect(most).toBeGreaterThan(1);
    const batches = commands.flatMap((name, i) =>
      name === 'BatchGetItem' ? Object.values((inputs[i] as BatchGetCommandInput).RequestItems ?? {}) : [],
    );
    expect(batches.map(({ Keys }) => Keys?.length)).toEqual([100, 40, 40]);
    const items = await left(keys);
    expect(items.map((item) => (item.keys as unknown[]).length)).toEqual([40]);
    await work(items);
    expect(await ended(keys)).toBe(140);
  });

  test('that finds no time, or whose work dies, loses no key', async () => {
    const { keys } = await keysOf([4]);
    // The last call of the request still has time to store them.
    const startDeadline = () => Object.assign(new AbortController().signal, { leftMs: () => 1_500 });
    const late = testPortal(trustingProvider, { clock: portal.clock, startDeadline });
    const headers = { 'content-type': 'application/json' };
    expect((await late.send({ method: 'POST', path: '/api/leaked-keys', headers, body: tokensOf(keys) })).status).toBe(
      204,
    );
    expect(await ended(keys)).toBe(0);
    const items = await left(keys);
    const broken = testNotices(portal);
    let writes = 0;
    intercept(broken.client, async (attempt) => {
      if (attempt.operation === 'TransactWriteItems' && ++writes > 2) throw new Error('it died');
      return attempt.send();
    });
    expect((await work(items, broken)).failed).toBe(2);
    expect(await ended(keys)).toBe(2);
    expect((await work(items)).failed).toBe(0);
    expect(await ended(keys)).toBe(4);
  });

  test.each([
    ['revoke', 0],
    ['notify', 0],
    ['revoke', Infinity],
    ['notify', Infinity],
  ] as const)('ends test keys alone, where a stage ends any (%s), with %d ms for it', async (leakedKeys, leftMs) => {
    const { keys } = await keysOf([1]);
    const [{ projectId }] = keys as [(typeof keys)[number]];
    const live = { projectId, ...(await createKey(portal.operator, { projectId, ...KEY, mode: 'live' })) };
    const deadline = Object.assign(new AbortController().signal, { leftMs: () => leftMs });
    const found = [...keys, live].map(({ key }) => ({ token: key }));
    await reportLeakedKeys({ ...portal.operator, deadline }, found, leakedKeys);
    await work(await left(keys));
    for (const { keyId } of [...keys, live]) {
      const isEnded = leakedKeys === 'revoke' && keyId !== live.keyId;
      const key = await readKey(portal.operator, projectId, keyId);
      expect([key.status, key.leakedAt === undefined]).toEqual([isEnded ? 'revoked' : 'active', false]);
    }
  });

  test('that cannot be stored is answered by 503, and can be sent again', async () => {
    const { keys } = await keysOf([15, 15]);
    const other = testPortal(trustingProvider, { clock: portal.clock, startDeadline: endlessDeadline });
    const server = await misbehavingServer();
    closing.push(() => server.close());
    let isDown = true;
    intercept(other.client, (attempt) =>
      isDown && attempt.operation === 'PutItem' ? server.answer(attempt, 'isUnavailable') : attempt.send(),
    );
    const headers = { 'content-type': 'application/json' };
    const send = () => other.send({ method: 'POST', path: '/api/leaked-keys', headers, body: tokensOf(keys) });
    expect((await send()).status).toBe(503);
    isDown = false;
    expect((await send()).status).toBe(204);
    expect((await left(keys)).map((item) => (item.keys as unknown[]).length)).toEqual([10]);
  });
});

import { beforeAll, describe, expect, test } from '@jest/globals';
import { generateApiKey, readKeyTagSecrets } from '../../functions/shared/rules/credentials/api-key.ts';
import { NOTICE_SAMPLES } from '../../functions/shared/rules/notice-samples.ts';
import { system } from '../../functions/shared/system.ts';
import { listAudit } from '../../functions/accounts/audit/audit.ts';
import { noticeOf } from '../../functions/notices/changes/notice-of.ts';
import { trustingProvider } from '../support/changes/provider.ts';
import { recordCalls } from '../support/database.ts';
import { testGateway } from '../support/gateway.ts';
import { itemsOf } from '../support/people.ts';
import { testPortal, type TestPortal } from '../support/portal.ts';
import { tenantOf } from '../support/portal-team.ts';

let portal: TestPortal;
beforeAll(() => {
  portal = testPortal(trustingProvider);
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

  test('takes at most 20 keys, and stores no address that is no https one or holds a key', async () => {
    const { key, accountId } = await tenantOf(portal);
    expect((await report({ keys: Array.from({ length: 21 }, () => key) })).status).toBe(400);
    for (const body of [{}, { keys: [] }, { keys: [1] }, []]) expect((await report(body)).status).toBe(400);
    expect((await report([{ token: key, url: `https://example.com/?k=${key}` }])).status).toBe(204);
    const events = await Array.fromAsync(listAudit(portal.store, accountId));
    expect(events.find(({ action }) => action === 'key.report')?.after).not.toHaveProperty('foundAt');
  });

  test.each([
    ['a tab', (key: string) => key.replace('_', '_\t')],
    ['a line end', (key: string) => key.replace('_', '_\r\n')],
    ['an encoded character', (key: string) => key.replace('_', '%5f')],
  ])('stores no address that holds a key once it is read, with %s in it', async (_what, written) => {
    const { key, accountId } = await tenantOf(portal);
    const url = `https://example.com/?k=${written(key)}`;
    expect((await report([{ token: key, url }])).status).toBe(204);
    const events = await Array.fromAsync(listAudit(portal.store, accountId));
    expect(events.find(({ action }) => action === 'key.report')?.after).not.toHaveProperty('foundAt');
  });
});

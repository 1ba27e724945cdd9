import { describe, expect, test } from '@jest/globals';
import { replayId } from '../../functions/shared/request/metered-request.ts';
import { isoTime } from '../../functions/shared/time.ts';
import { itemKey } from '../../functions/shared/store/items.ts';
import { ping } from '../../functions/gateway/operations/ping.ts';
import { recordCalls } from '../support/database.ts';
import { created, stageWithTenant } from '../support/portal-team.ts';
import { DAY_MS } from '../support/times.ts';

async function projectOf() {
  const tenant = await stageWithTenant();
  const { gateway } = tenant;
  const lookUp = async (idempotencyKey: unknown, more: object = {}) =>
    tenant.browser.post(`${tenant.project}/charges/lookup`, { idempotencyKey, ...more });
  const charge = (idempotencyKey: string, body: object = {}) =>
    gateway.ping(tenant.key, { headers: { 'idempotency-key': idempotencyKey }, body });
  const record = itemKey.replay(tenant.projectId, replayId(ping, 'order-7'));
  return { lookUp, charge, record, ...tenant };
}

describe('whether a request was charged', () => {
  test('is answered with the request that was, and until when a repeat of it is free', async () => {
    const { lookUp, charge, gateway, projectId, clock } = await projectOf();
    await charge('order-7', { clientRequestId: 'a' });
    const [original] = await gateway.events(projectId);
    const storedUntil = isoTime(clock.nowMs + DAY_MS);
    // A replay and a conflict do not change it.
    clock.nowMs += 1;
    await charge('order-7', { clientRequestId: 'a' });
    await charge('order-7', { clientRequestId: 'b' });
    for (const more of [{}, { operation: 'sandbox.ping' }]) {
      const { status, body } = await lookUp('order-7', more);
      expect([status, body]).toEqual([200, { state: 'charged', original, storedUntil }]);
    }
  });

  test('with none where it was refused, of another key, another project, or a day ago, to the second', async () => {
    const { lookUp, charge, clock, browser, account, gateway, key } = await projectOf();
    await gateway.ping(key, { headers: { 'idempotency-key': 'refused' }, body: '[]' });
    await charge('order-7');
    const none = () => ({ status: 200, body: { state: 'none', asOf: isoTime(clock.nowMs) } });
    for (const other of ['refused', 'order-8', 'Order-7']) expect(await lookUp(other)).toMatchObject(none());
    const { projectId: second = '' } = await created(browser.post(`${account}/projects`, { name: 'Second' }));
    const ofSecond = await browser.post(`${account}/projects/${second}/charges/lookup`, { idempotencyKey: 'order-7' });
    expect(ofSecond).toMatchObject(none());
    clock.nowMs += DAY_MS - 1;
    await browser.signIn(browser.email);
    expect((await lookUp('order-7')).body).toMatchObject({ state: 'charged' });
    clock.nowMs += 1;
    expect(await lookUp('order-7')).toMatchObject(none());
  });

  test('of the record that is there when both are read, though another one was there before', async () => {
    const { lookUp, charge, gateway, projectId, portal, clock, browser } = await projectOf();
    await charge('order-7');
    let looks = 0;
    portal.client.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          const result = await next(args);
          // Right after the first read the record expires, and the request is executed again.
          if (commandName === 'TransactGetItemsCommand' && ++looks === 1) {
            clock.nowMs += DAY_MS;
            await charge('order-7');
            clock.nowMs -= DAY_MS;
          }
          return result;
        },
      { step: 'initialize', name: 'overtake' },
    );
    const { body } = await lookUp('order-7', { operation: ping.name });
    const newest = (await gateway.events(projectId)).at(-1);
    expect([looks, body]).toEqual([3, expect.objectContaining({ state: 'charged', original: newest })]);
    expect((await browser.get('/api/session')).status).toBe(200);
  });

  test('is read in transactions only, and none without a record takes one of one item', async () => {
    const { lookUp, charge, portal } = await projectOf();
    await charge('order-7');
    const { commands, inputs } = recordCalls(portal.client);
    await lookUp('order-7', { operation: ping.name });
    await lookUp('order-8', { operation: ping.name });
    const sizes = inputs.flatMap((input) => (input as { TransactItems?: unknown[] }).TransactItems?.length ?? []);
    expect(sizes.filter((_, i) => i < 3)).toEqual([1, 2, 1]);
    expect(commands.filter((command) => command === 'Query' || command === 'Put')).toEqual([]);
  });
});

test('what is no Idempotency-Key, and no operation, is refused by name, and is in no log', async () => {
  const { lookUp, portal } = await projectOf();
  for (const idempotencyKey of ['', 'a b', 'ä', 'x'.repeat(256), 7, null, undefined]) {
    const { status, body, text } = await lookUp(idempotencyKey);
    const refused = expect.objectContaining({ code: 'INVALID_REQUEST', field: 'idempotencyKey' });
    expect([status, body]).toEqual([400, refused]);
    expect(text).not.toContain('xxx');
  }
  const wrong = await lookUp('order-7', { operation: 'sandbox.none' });
  expect(wrong.body).toMatchObject({ code: 'INVALID_REQUEST', field: 'operation' });
  expect(JSON.stringify(portal.telemetry.requests)).not.toContain('order-7');
});

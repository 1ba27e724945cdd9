import { expect, test } from '@jest/globals';
import { findCharged } from '../../functions/usage/events/charged-request.ts';
import { gatewayWithTenant } from '../support/gateway.ts';
import { TEST_OPERATIONS, triple } from '../support/test-operation.ts';
import { MINUTE_MS } from '../support/times.ts';

test('a success is found by its Idempotency-Key alone, whatever its operation: of several the newest', async () => {
  const { gateway, key, projectId } = await gatewayWithTenant();
  const send = (path?: string) =>
    gateway.ping(key, { headers: { 'idempotency-key': 'order-7' }, ...(path && { path }) });
  const find = async () =>
    (await findCharged(gateway.store, projectId, { idempotencyKey: 'order-7' }, TEST_OPERATIONS))?.event?.operation;
  expect(await find()).toBeUndefined();
  await send(triple.path);
  expect(await find()).toBe('test.triple');
  gateway.clock.nowMs += MINUTE_MS;
  await send();
  expect(await find()).toBe('sandbox.ping');
});

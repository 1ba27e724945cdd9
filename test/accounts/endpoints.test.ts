import { describe, expect, test } from '@jest/globals';
import {
  createEndpoint,
  deleteEndpoint,
  disableEndpoint,
  MAX_ENDPOINTS,
  rotateEndpointSecret,
  updateEndpoint,
} from '../../functions/accounts/endpoints/endpoints.ts';
import { listEndpoints } from '../../functions/accounts/endpoints/stored-endpoints.ts';
import { testEndpoint } from '../../functions/accounts/endpoints/deliveries.ts';
import { testGateway } from '../support/gateway.ts';
import { itemsOf, ownAccount } from '../support/people.ts';
import { testClock } from '../support/reports.ts';
import { MINUTE_MS } from '../support/times.ts';

const DETAILS = { url: 'https://example.com/hooks', kinds: ['key.expiring'] } as const;
async function scene() {
  const clock = testClock();
  const gateway = testGateway({ clock });
  const { accountId, store } = await ownAccount(gateway);
  return { clock, gateway, accountId, store: { ...store, clock } };
}
const codeOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'done',
    (error: unknown) => (error as { code?: unknown }).code ?? error,
  );

describe('endpoints of an account', () => {
  test('are five at most, also where many are made at once, and one that is deleted makes room', async () => {
    const { accountId, store } = await scene();
    const results = await Promise.all(
      Array.from({ length: 12 }, () => codeOf(createEndpoint(store, accountId, DETAILS))),
    );
    expect(results.filter((result) => result === 'done')).toHaveLength(MAX_ENDPOINTS);
    expect(results.filter((result) => result === 'LIMIT_REACHED')).toHaveLength(12 - MAX_ENDPOINTS);
    const [first] = await listEndpoints(store, accountId);
    const ended = await Promise.all(
      Array.from({ length: 3 }, () => codeOf(deleteEndpoint(store, accountId, first?.endpointId ?? ''))),
    );
    expect(ended.filter((result) => result === 'done')).toHaveLength(1);
    expect(await codeOf(createEndpoint(store, accountId, DETAILS))).toBe('done');
    expect(await codeOf(createEndpoint(store, accountId, DETAILS))).toBe('LIMIT_REACHED');
    expect(await listEndpoints(store, accountId)).toHaveLength(MAX_ENDPOINTS);
  });

  test('show a secret once: to a repeat within ten minutes, later to nobody, and it is stored nowhere', async () => {
    const { clock, gateway, accountId, store } = await scene();
    const made = await createEndpoint(store, accountId, DETAILS, 'one-click');
    clock.nowMs += 10 * MINUTE_MS - 1;
    expect(await createEndpoint(store, accountId, DETAILS, 'one-click')).toEqual(made);
    const { endpointId } = made;
    clock.nowMs += 1;
    expect(await codeOf(createEndpoint(store, accountId, DETAILS, 'one-click'))).toBe('CHANGED_MEANWHILE');
    const other = { ...DETAILS, url: 'https://example.com/other' };
    expect(await codeOf(createEndpoint(store, accountId, other, 'one-click'))).toBe('IDEMPOTENCY_CONFLICT');
    const rotated = await rotateEndpointSecret(store, accountId, endpointId, 'another-click');
    expect(rotated.secret).not.toBe(made.secret);
    expect(await rotateEndpointSecret(store, accountId, endpointId, 'another-click')).toEqual(rotated);
    clock.nowMs += 10 * MINUTE_MS;
    expect(await codeOf(rotateEndpointSecret(store, accountId, endpointId, 'another-click'))).toBe('CHANGED_MEANWHILE');
    const stored = JSON.stringify(await itemsOf(gateway, `NOTICES#${accountId}`));
    for (const { secret } of [made, rotated]) expect(stored).not.toContain(secret.slice('whsec_'.length));
  });

  test('show no secret of which another has taken the place, though the creation is repeated at once', async () => {
    const { accountId, store } = await scene();
    const { endpointId } = await createEndpoint(store, accountId, DETAILS, 'one-click');
    await rotateEndpointSecret(store, accountId, endpointId);
    expect(await codeOf(createEndpoint(store, accountId, DETAILS, 'one-click'))).toBe('CHANGED_MEANWHILE');
  });

  test('have addresses that no audit event holds', async () => {
    const { gateway, accountId, store } = await scene();
    const { endpointId } = await createEndpoint(store, accountId, DETAILS);
    await updateEndpoint(store, accountId, endpointId, {
      url: 'https://example.com/changed',
      kinds: ['member.removed'],
    });
    await deleteEndpoint(store, accountId, endpointId);
    const audit = await itemsOf(gateway, `ACCOUNT#${accountId}`);
    expect(audit.filter(({ action }) => String(action).startsWith('endpoint.'))).toHaveLength(3);
    expect(JSON.stringify(audit)).not.toContain('example.com/');
  });

  test('that are switched on again begin without failures; switching off twice is one change', async () => {
    const { gateway, accountId, store } = await scene();
    const { endpointId } = await createEndpoint(store, accountId, DETAILS);
    const operator = { ...gateway.store, actor: () => Promise.resolve('operator') };
    for (let i = 0; i < 2; i++) await disableEndpoint(operator, accountId, endpointId, 'operator');
    expect(await listEndpoints(store, accountId)).toMatchObject([{ status: 'disabled', disabledBy: 'operator' }]);
    const events = (await itemsOf(gateway, `ACCOUNT#${accountId}`)).filter(
      ({ action }) => action === 'endpoint.disable',
    );
    expect(events).toMatchObject([{ actor: 'operator', endpointId }]);
    const answered = await updateEndpoint(store, accountId, endpointId, { status: 'active' });
    expect([answered.disabledBy, answered.disabledAt]).toEqual([undefined, undefined]);
    const [again] = await listEndpoints(store, accountId);
    expect([again?.status, again?.disabledBy, again?.disabledAt]).toEqual(['active', undefined, undefined]);
  });

  test('get one test for one click, however often it is sent', async () => {
    const { gateway, accountId, store } = await scene();
    const { endpointId } = await createEndpoint(store, accountId, DETAILS);
    const ids = await Promise.all(
      Array.from({ length: 5 }, () => testEndpoint(store, accountId, endpointId, undefined, 'one-click')),
    );
    expect(new Set(ids).size).toBe(1);
    const items = await itemsOf(gateway, `NOTICES#${accountId}`);
    expect(items.filter(({ sk }) => String(sk).startsWith('DELIVERY#'))).toHaveLength(1);
  });
});

test('an endpoint that was deleted is not created again under its Idempotency-Key, also by five repeats at once', async () => {
  const { accountId, store } = await scene();
  const create = (idempotencyKey: string) => createEndpoint(store, accountId, DETAILS, idempotencyKey);
  const made = await create('same-key');
  // A repeat is no other.
  expect(await create('same-key')).toEqual(made);
  await deleteEndpoint(store, accountId, made.endpointId);
  const repeats = await Promise.allSettled(Array.from({ length: 5 }, () => create('same-key')));
  const refused = { status: 'rejected', reason: expect.objectContaining({ code: 'CHANGED_MEANWHILE' }) };
  expect(repeats).toEqual(repeats.map(() => refused));
  const other = await create('another-key');
  expect([other.endpointId, other.secret]).not.toEqual([made.endpointId, made.secret]);
  expect(await listEndpoints(store, accountId)).toMatchObject([{ endpointId: other.endpointId }]);
});

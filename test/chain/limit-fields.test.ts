import { describe, expect, test } from '@jest/globals';
import { intercept } from '../support/faults.ts';
import { gatewayWithTenant, type TenantOptions } from '../support/gateway.ts';
import { testClock } from '../support/reports.ts';
import { MONTH_END_EPOCH_SECONDS, NOW_MS } from '../support/times.ts';

/** The seconds until the end of the month, from {@link NOW_MS} on. */
const MONTH_LEFT = MONTH_END_EPOCH_SECONDS - NOW_MS / 1_000;
const BOTH = '"minute";q=60;w=60, "quota";q=10000';

/** A gateway, and a function for the fields of its next answer. */
async function gatewayWith(options: TenantOptions = {}, clock = testClock()) {
  const { gateway, key } = await gatewayWithTenant(options, { clock });
  const ask = async (request: Parameters<typeof gateway.ping>[1] = {}) => {
    const { status, headers } = await gateway.ping(key, request);
    const { 'ratelimit-policy': policies, ratelimit: left, 'retry-after': retryAfter } = headers;
    return { status, policies, left, ...(retryAfter !== undefined && { retryAfter }), all: headers };
  };
  return { gateway, ask };
}

describe('RateLimit and RateLimit-Policy', () => {
  test('say beside the X- headers what the limits are and what is left, of refusals and replays too', async () => {
    const { ask } = await gatewayWith();
    const request = { headers: { 'idempotency-key': 'idempotency-key-k' } };
    const answers = [await ask(request), await ask(request), await ask({ body: 'no' })];
    const other = await ask({ ...request, body: { clientRequestId: 'other' } });
    expect([...answers, other].map(({ status, policies, left }) => [status, policies, left])).toEqual(
      [200, 200, 400, 409].map((status, i) => [
        status,
        BOTH,
        `"minute";r=${59 - i};t=30, "quota";r=9999;t=${MONTH_LEFT}`,
      ]),
    );
  });

  test('name no quota where the project has none', async () => {
    const { ask } = await gatewayWith({ quotaLimit: undefined });
    expect(await ask()).toMatchObject({ policies: '"minute";q=60;w=60', left: '"minute";r=59;t=30' });
  });

  test.each([0, 1, 999])(
    'of a 429 name only the limit that refused, and Retry-After is not before its end: %d ms into a second',
    async (ms) => {
      const { ask: ofKey } = await gatewayWith({ rpm: 1 }, testClock(NOW_MS + ms));
      await ofKey();
      expect(await ofKey()).toMatchObject({
        status: 429,
        retryAfter: '30',
        policies: '"minute";q=1;w=60',
        left: '"minute";r=0;t=30',
      });
      const { ask: ofProject } = await gatewayWith({ quotaLimit: 0 }, testClock(NOW_MS + ms));
      expect(await ofProject()).toMatchObject({
        status: 429,
        retryAfter: String(MONTH_LEFT),
        policies: '"quota";q=0',
        left: `"quota";r=0;t=${MONTH_LEFT}`,
      });
    },
  );

  test('are not on a 503, which has the X- headers', async () => {
    const { gateway, ask } = await gatewayWith();
    intercept(gateway.client, ({ operation, send }) =>
      operation === 'TransactWriteItems' ? Promise.reject(new Error('the store is away')) : send(),
    );
    const { all, ...answer } = await ask();
    expect(answer).toEqual({ status: 503, policies: undefined, left: undefined, retryAfter: '1' });
    expect(all).toMatchObject({ 'x-ratelimit-remaining': '59', 'x-service-quota-remaining': '10000' });
  });

  test('are not on an answer before authentication', async () => {
    const { ask } = await gatewayWith();
    expect(await ask({ headers: { authorization: 'Bearer nothing' } })).toMatchObject({
      status: 401,
      policies: undefined,
      left: undefined,
    });
  });
});

import { describe, expect, test } from '@jest/globals';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { createKey, revokeKey, updateKey } from '../../functions/accounts/keys/api-keys.ts';
import { ERRORS } from '../../functions/shared/http/errors.ts';
import { rotateKey } from '../../functions/accounts/keys/key-rotation.ts';
import { ping } from '../../functions/gateway/operations/ping.ts';
import { itemKey } from '../../functions/shared/store/items.ts';
import { recordCalls } from '../support/database.ts';
import { expectProblem, quotaHeaders, rateHeaders } from '../support/expectations.ts';
import { gatewayWithTenant, tenant, testGateway, type TestGateway } from '../support/gateway.ts';
import { forgedKey, unknownKey } from '../support/keys.ts';
import { MINUTE_END_EPOCH_SECONDS, MINUTE_MS, MONTH_END_EPOCH_SECONDS } from '../support/times.ts';

const CHALLENGE = { 'www-authenticate': 'Bearer realm="sandbox-gateway"' };
const INVALID_TOKEN = { 'www-authenticate': 'Bearer realm="sandbox-gateway", error="invalid_token"' };
const INSUFFICIENT_SCOPE = {
  'www-authenticate': 'Bearer realm="sandbox-gateway", error="insufficient_scope", scope="sandbox:invoke"',
};
const LIMITS = {
  ...rateHeaders(60, 59, MINUTE_END_EPOCH_SECONDS),
  ...quotaHeaders(10_000, 10_000, MONTH_END_EPOCH_SECONDS),
};

const setProjectStatus = ({ store }: TestGateway, projectId: string, status: string) =>
  store.client.send(
    new UpdateCommand({
      TableName: store.tables.gateway,
      Key: itemKey.project(projectId),
      UpdateExpression: 'SET #status = :status',
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: { ':status': status },
    }),
  );

describe('a request without a usable key', () => {
  test('learns that the key is missing when there is no Authorization header, or an empty one', async () => {
    const gateway = testGateway();
    for (const authorization of [undefined, '', ' ']) {
      const answer = await gateway.ping('', { headers: { authorization } });
      expectProblem(answer, 'MISSING_API_KEY', CHALLENGE);
      expect(answer.body.detail).toMatch(authorization === undefined ? /^Send the API key/ : /header is empty/);
    }
  });

  test('learns that the key is invalid, and of a key whose form is right no more', async () => {
    const { gateway, key, projectId } = await gatewayWithTenant();
    const other = await tenant(gateway);
    const swapped = Array.from(key)
      .map((c) => (c === c.toUpperCase() ? c.toLowerCase() : c.toUpperCase()))
      .join('');
    const attempts = [
      ...['Bearer', 'Bearer ', `Basic ${key}`, `Token ${key}`, key, `Bearer${key}`, `Bearer\t${key}`],
      ...[`Bearer ${key} x`, `Bearer ${key},Bearer ${key}`, `Bearer "${key}"`, `Bearer ${key.slice(0, -1)}`],
      ...[`Bearer ${key}0`, `Bearer ${swapped}`, `Bearer ${key.toLowerCase()}`, `Bearer ${key.toUpperCase()}`],
      `Bearer ${key.slice(0, 9)}${other.key.slice(9, 21)}${key.slice(21)}`,
    ];
    // With a correct checksum, but never created; the first has a correct tag.
    const wellFormed = [`Bearer ${unknownKey(projectId)}`, `Bearer ${forgedKey(projectId)}`];
    for (const authorization of [...attempts, ...wellFormed]) {
      const answer = await gateway.ping('', { headers: { authorization } });
      expectProblem(answer, 'INVALID_API_KEY', INVALID_TOKEN);
      // What each says: rules/authorization.
      expect(answer.body.detail === ERRORS.INVALID_API_KEY.detail).toBe(wellFormed.includes(authorization));
    }
  });

  test('is refused with the key in another header', async () => {
    const { gateway, key } = await gatewayWithTenant();
    const headers = { 'content-type': 'application/json', 'x-api-key': key };
    expectProblem(await gateway.send({ headers }), 'MISSING_API_KEY', CHALLENGE);
  });

  test('leaves no usage event and no trace of the key in the log', async () => {
    const { gateway, key, projectId } = await gatewayWithTenant();
    await gateway.ping(`${key}0`);
    await gateway.ping(unknownKey(projectId));
    expect(await gateway.events(projectId)).toEqual([]);
    expect(JSON.stringify(gateway.telemetry.requests)).not.toContain(key.slice(9));
    // The project in an unknown key is only a claim of its sender.
    const entry = { code: 'INVALID_API_KEY', event: null, projectId: null, keyId: null };
    expect(gateway.telemetry.requests).toMatchObject([entry, entry]);
  });
});

describe('a key that may not ping', () => {
  test('is refused on the very next request after it is revoked', async () => {
    const { gateway, key, keyId, projectId } = await gatewayWithTenant();
    expect((await gateway.ping(key)).status).toBe(200);
    await revokeKey(gateway.store, projectId, keyId);
    expectProblem(await gateway.ping(key), 'API_KEY_REVOKED', INVALID_TOKEN);
  });

  test('is refused from its expiry on, to the millisecond', async () => {
    const { gateway, key } = await gatewayWithTenant({ lifetimeMs: 1_000 });
    gateway.clock.nowMs += 999;
    expect((await gateway.ping(key)).status).toBe(200);
    gateway.clock.nowMs += 1;
    expectProblem(await gateway.ping(key), 'API_KEY_EXPIRED', INVALID_TOKEN);
  });

  test('is refused on the very next request after it is paused, and served on the next after it is resumed', async () => {
    const { gateway, key, keyId, projectId } = await gatewayWithTenant();
    expect((await gateway.ping(key)).status).toBe(200);
    const { store, client } = gateway;
    await updateKey(store, projectId, keyId, { paused: true });
    const calls = recordCalls(client);
    expectProblem(await gateway.ping(key), 'API_KEY_PAUSED');
    expect(calls.roundTrips).toBe(2);
    await updateKey(store, projectId, keyId, { paused: false });
    expect((await gateway.ping(key)).status).toBe(200);
    // What has ended is told before a pause, which a member could end.
    await updateKey(store, projectId, keyId, { paused: true, expiresAtMs: gateway.clock.nowMs + 1 });
    gateway.clock.nowMs += 1;
    expectProblem(await gateway.ping(key), 'API_KEY_EXPIRED', INVALID_TOKEN);
  });

  test('is refused without the scope, also when its scope only contains the needed one as text', async () => {
    const gateway = testGateway();
    for (const scope of ['sandbox:read', 'sandbox:invoke:more', 'my-sandbox:invoke']) {
      const { key } = await tenant(gateway, { scopes: new Set([scope]) });
      expectProblem(await gateway.ping(key), 'INSUFFICIENT_SCOPE', INSUFFICIENT_SCOPE);
    }
  });

  test('is refused when it is a test key, by an operation of live keys in its own words', async () => {
    const live = { ...ping, requires: { ...ping.requires, mode: 'live' as const } };
    const { gateway, key } = await gatewayWithTenant({}, { operations: [live] });
    expect((await gateway.ping(key)).body).toMatchObject({
      code: 'KEY_MODE_MISMATCH',
      detail: 'This operation takes live keys only; this is a test key.',
    });
  });

  test('is refused while its project is suspended, and served again when it is resumed', async () => {
    const { gateway, key, projectId } = await gatewayWithTenant();
    await setProjectStatus(gateway, projectId, 'suspended');
    expectProblem(await gateway.ping(key), 'PROJECT_SUSPENDED');
    await setProjectStatus(gateway, projectId, 'active');
    expect((await gateway.ping(key)).status).toBe(200);
  });

  test('leaves one event of 0 units per key, code and minute', async () => {
    const { gateway, key, keyId, projectId } = await gatewayWithTenant();
    await revokeKey(gateway.store, projectId, keyId);
    const first = await gateway.ping(key, { body: { clientRequestId: 'mine' } });
    gateway.clock.nowMs += MINUTE_MS / 2 - 1;
    await gateway.ping(key);
    gateway.clock.nowMs += MINUTE_MS;
    await gateway.ping(key);
    const events = await gateway.events(projectId);
    expect(events).toHaveLength(2);
    expect(events[0]).toEqual({
      requestId: first.body.requestId,
      projectId,
      keyId,
      event: 'request_rejected',
      operation: 'sandbox.ping',
      status: 401,
      code: 'API_KEY_REVOKED',
      units: 0,
      period: '2030-01',
      latencyMs: 0,
      clientRequestId: 'mine',
      inputTokens: null,
      outputTokens: null,
      totalTokens: null,
      occurredAt: '2030-01-15T10:00:30.000Z',
      originalRequestId: null,
      detail: first.body.detail,
      userAgent: null,
      sourceAddress: null,
      idempotencyTag: null,
    });
  });

  test('leaves an event for each key and each code of the same minute', async () => {
    const { gateway, key, keyId, projectId } = await gatewayWithTenant({ mode: 'live' });
    const scopes = new Set(['sandbox:invoke']);
    const other = await createKey(gateway.store, { projectId, mode: 'live', scopes, rpm: 60 });
    for (const each of [key, other.key]) expectProblem(await gateway.ping(each), 'KEY_MODE_MISMATCH');
    await revokeKey(gateway.store, projectId, keyId);
    await gateway.ping(key);
    const events = (await gateway.events(projectId)).map(({ keyId: of, code }) => `${of} ${code}`);
    expect(events.sort()).toEqual(
      [`${keyId} API_KEY_REVOKED`, `${keyId} KEY_MODE_MISMATCH`, `${other.keyId} KEY_MODE_MISMATCH`].sort(),
    );
  });

  test('works for the grace of its rotation, while the new key works at once', async () => {
    const { gateway, key, keyId, projectId } = await gatewayWithTenant();
    const next = await rotateKey(gateway.store, projectId, keyId, 2 * MINUTE_MS);
    expect((await gateway.ping(next.key)).status).toBe(200);
    gateway.clock.nowMs += 2 * MINUTE_MS - 1;
    expect((await gateway.ping(key)).status).toBe(200);
    gateway.clock.nowMs += 1;
    expectProblem(await gateway.ping(key), 'API_KEY_EXPIRED', INVALID_TOKEN);
  });
});

describe('bad input', () => {
  const deep = (levels: number) => '{"a":'.repeat(levels) + '1' + '}'.repeat(levels);

  // What else is bad, and how it is told: rules/metered-request, rules/i-json.
  test.each([
    ['no body', null],
    ['text that is not JSON', '{"clientRequestId":'],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['a clientRequestId that is a number', '{"clientRequestId":1}'],
  ])('is refused: %s', async (_name, body) => {
    const { gateway, key, projectId } = await gatewayWithTenant();
    const response = await gateway.ping(key, { body });
    expectProblem(response, 'INVALID_REQUEST', LIMITS);
    expect(await gateway.events(projectId)).toMatchObject([
      { event: 'request_rejected', code: 'INVALID_REQUEST', status: 400, units: 0, clientRequestId: null },
    ]);
    expect(await gateway.quotaUsed(projectId)).toBe(0);
  });

  test('leaves an event of its own each time, also in the same minute: the rate limit bounds them', async () => {
    const { gateway, key, projectId } = await gatewayWithTenant({ rpm: 2 });
    const answers = [];
    for (let i = 0; i < 4; i++) answers.push(await gateway.ping(key, { body: '' }));
    const recorded = (await gateway.events(projectId)).map(({ requestId, code }) => [requestId, code]);
    expect(recorded.sort()).toEqual(answers.map(({ body }) => [body.requestId, body.code]).sort());
    expect(recorded.map(([, code]) => code).sort()).toEqual([
      ...['INVALID_REQUEST', 'INVALID_REQUEST', 'RATE_LIMIT_EXCEEDED', 'RATE_LIMIT_EXCEEDED'],
    ]);
  });

  test('just within its bounds is taken', async () => {
    const { gateway, key } = await gatewayWithTenant();
    const near = [
      deep(32),
      JSON.stringify({ clientRequestId: 'a-long-request-id'.repeat(8).slice(0, 128) }),
      JSON.stringify({ clientRequestId: '😀'.repeat(128) }),
      '{"clientRequestId":""}',
      '{"n":[9007199254740992,-0,0.1,1e22,5e-324,1.7976931348623157e308,100000000000000000000]}',
      '{"__proto__":{"clientRequestId":1},"a:b":"{[\\"","s":"\\ud83d\\ude00\\u0000"}',
    ];
    for (const body of near) expect(await gateway.ping(key, { body })).toMatchObject({ status: 200 });
  });

  test('over 16 KiB of decoded bytes is too large', async () => {
    const { gateway, key } = await gatewayWithTenant();
    const sized = (bytes: number) => `{"a":"${'x'.repeat(bytes - 8)}"}`;
    expect((await gateway.ping(key, { body: sized(16_384) })).status).toBe(200);
    expect((await gateway.ping(key, { body: Buffer.from(sized(16_384)) })).status).toBe(200);
    const rate = (remaining: number) => ({
      ...rateHeaders(60, remaining, MINUTE_END_EPOCH_SECONDS),
      ...quotaHeaders(10_000, 9_998, MONTH_END_EPOCH_SECONDS),
    });
    expectProblem(await gateway.ping(key, { body: sized(16_385) }), 'PAYLOAD_TOO_LARGE', rate(57));
    expectProblem(await gateway.ping(key, { body: Buffer.from(sized(16_385)) }), 'PAYLOAD_TOO_LARGE', rate(56));
    // Fewer than 16 KiB of characters, more than 16 KiB of bytes.
    expectProblem(await gateway.ping(key, { body: `{"a":"${'é'.repeat(8_189)}"}` }), 'PAYLOAD_TOO_LARGE', rate(55));
  });

  test('of another media type is refused; parameters and case do not matter', async () => {
    const { gateway, key } = await gatewayWithTenant();
    const typed = async (type: string | undefined) =>
      (await gateway.ping(key, { headers: { 'content-type': type } })).body.code;
    for (const good of [
      'application/json',
      'Application/JSON',
      'application/json; charset=utf-8',
      'application/json ;x=1',
    ])
      expect(await typed(good)).toBeUndefined();
    for (const bad of [
      undefined,
      '',
      'text/plain',
      'application/jsonx',
      'application/json-patch+json',
      'json',
      'x-application/json',
    ])
      expect(await typed(bad)).toBe('UNSUPPORTED_MEDIA_TYPE');
  });
});

describe('of several reasons to refuse, the first in rank is named', () => {
  const bad = {
    headers: { 'content-type': 'text/plain', 'idempotency-key': '' },
    body: 'x'.repeat(16_385),
  };

  test('401 and 403 before everything', async () => {
    const { gateway, key, keyId, projectId } = await gatewayWithTenant({ rpm: 1 });
    await gateway.ping(key);
    await setProjectStatus(gateway, projectId, 'suspended');
    expect((await gateway.ping(key, bad)).body.code).toBe('PROJECT_SUSPENDED');
    await revokeKey(gateway.store, projectId, keyId);
    expect((await gateway.ping(key, bad)).body.code).toBe('API_KEY_REVOKED');
  });

  test('then 429 for the rate, 413, an empty body, 415, 400, and 429 for the quota', async () => {
    const { gateway, key } = await gatewayWithTenant({ rpm: 6, quotaLimit: 0 });
    const code = async (request: Parameters<TestGateway['ping']>[1]) => (await gateway.ping(key, request)).body.code;
    expect(await code(bad)).toBe('PAYLOAD_TOO_LARGE');
    for (const body of ['', null]) expect(await code({ ...bad, body })).toBe('INVALID_REQUEST');
    expect(await code({ ...bad, body: 'x' })).toBe('UNSUPPORTED_MEDIA_TYPE');
    expect(await code({ headers: { 'idempotency-key': '' } })).toBe('INVALID_IDEMPOTENCY_KEY');
    expect(await code({})).toBe('QUOTA_EXCEEDED');
    expect(await code(bad)).toBe('RATE_LIMIT_EXCEEDED');
  });

  test('a conflict before the quota', async () => {
    const { gateway, key } = await gatewayWithTenant({ quotaLimit: 1 });
    const headers = { 'idempotency-key': 'idempotency-key-k' };
    await gateway.ping(key, { headers });
    const other = await gateway.ping(key, { headers, body: { clientRequestId: 'other' } });
    expect(other.body.code).toBe('IDEMPOTENCY_CONFLICT');
  });
});

test('the event of a refusal keeps the words of its answer, which are ours, also when it is kept once a minute', async () => {
  const { gateway, key, keyId, projectId } = await gatewayWithTenant({ quotaLimit: 0 });
  const answers = [
    await gateway.ping(key, { body: '{"clientRequestId":"<b>","clientRequestId":1}' }),
    await gateway.ping(key, { body: { clientRequestId: 5 } }),
    await gateway.ping(key, { headers: { 'content-type': 'text/<b>' } }),
    await gateway.ping(key),
  ];
  await revokeKey(gateway.store, projectId, keyId);
  answers.push(await gateway.ping(key));
  const events = await gateway.events(projectId);
  const kept = new Map(events.map(({ requestId, detail }) => [requestId, detail]));
  expect(answers.map(({ body }) => kept.get(String(body.requestId)))).toEqual(answers.map(({ body }) => body.detail));
  expect(JSON.stringify(events)).not.toContain('<b>');
});

test('no detail of the catalogue is longer than an event keeps', () => {
  const longest = Math.max(...Object.values(ERRORS).map(({ detail }) => detail.length));
  expect(longest).toBeLessThanOrEqual(200);
});

import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { BatchGetCommand, TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { describe, expect, test } from '@jest/globals';
import { healthChain } from '../../functions/gateway/health-chain.ts';
import { ERRORS, type ErrorCode } from '../../functions/shared/http/errors.ts';
import { minuteAt, slotOf } from '../../functions/shared/request/admission.ts';
import { httpEvent, invoke, type TestRequest } from '../support/http.ts';
import { forgedKey } from '../support/keys.ts';
import { testDeadline } from '../support/deadline.ts';
import { mockedGateway, PROJECT_ID, type MockedGateway } from '../support/mocked-gateway.ts';
import { testClock, testTelemetry } from '../support/reports.ts';
import { NOW_MS } from '../support/times.ts';

/** What the handler writes. The admission is one conditional write of the key, which counts the request. */
interface Written {
  readonly admissions: 0 | 1;
  /** Transactions of charge, usage event and replay record. */
  readonly settlements: 0 | 1;
  /** The names of usage events of 0 units. */
  readonly events: readonly string[];
}
const NOTHING: Written = { admissions: 0, settlements: 0, events: [] };
const refusedBefore: Written = { admissions: 1, settlements: 0, events: ['request_rejected'] };
const charged: Written = { admissions: 1, settlements: 1, events: [] };

const KEY = { keyId: 'key_1', status: 'active', mode: 'test', scopes: new Set(['sandbox:invoke']), rpm: 60 };
/** The condition of the admission fails, and shows the key as it is. */
const keyIs = (key: object | undefined) => (gateway: MockedGateway) =>
  gateway.store
    .on(UpdateCommand)
    .rejects(
      new ConditionalCheckFailedException({ message: 'failed', $metadata: {}, ...(key && { Item: marshall(key) }) }),
    );
const minute = minuteAt(NOW_MS);

interface Outcome {
  readonly name: string;
  readonly status: number;
  readonly code: ErrorCode | undefined;
  readonly gateway?: Parameters<typeof mockedGateway>[0];
  readonly store?: (gateway: MockedGateway) => unknown;
  readonly request?: TestRequest;
  readonly key?: string;
  readonly wrote: Written;
}

/** Every answer of the metered handler, with what the store said and what was written. */
const OUTCOMES: readonly Outcome[] = [
  { name: '200: charged', status: 200, code: undefined, wrote: charged },
  {
    name: '400: no JSON',
    status: 400,
    code: 'INVALID_REQUEST',
    request: { body: '{' },
    wrote: refusedBefore,
  },
  {
    name: '400: an Idempotency-Key with a space',
    status: 400,
    code: 'INVALID_IDEMPOTENCY_KEY',
    request: { headers: { 'idempotency-key': 'idempotency key-k' } },
    wrote: refusedBefore,
  },
  {
    name: '401: no key',
    status: 401,
    code: 'MISSING_API_KEY',
    request: { headers: { authorization: undefined } },
    wrote: NOTHING,
  },
  { name: '401: a forged key', status: 401, code: 'INVALID_API_KEY', key: forgedKey(PROJECT_ID), wrote: NOTHING },
  {
    name: '401: an unknown key',
    status: 401,
    code: 'INVALID_API_KEY',
    store: keyIs(undefined),
    wrote: { ...NOTHING, admissions: 1 },
  },
  {
    name: '401: a revoked key',
    status: 401,
    code: 'API_KEY_REVOKED',
    store: keyIs({ ...KEY, status: 'revoked' }),
    wrote: refusedBefore,
  },
  {
    name: '401: an expired key',
    status: 401,
    code: 'API_KEY_EXPIRED',
    store: keyIs({ ...KEY, expiresAtMs: NOW_MS }),
    wrote: refusedBefore,
  },
  {
    name: '403: a paused key',
    status: 403,
    code: 'API_KEY_PAUSED',
    store: keyIs({ ...KEY, paused: true }),
    wrote: refusedBefore,
  },
  {
    name: '403: a key without the scope',
    status: 403,
    code: 'INSUFFICIENT_SCOPE',
    store: keyIs({ ...KEY, scopes: new Set(['sandbox:read']) }),
    wrote: refusedBefore,
  },
  {
    name: '403: a live key',
    status: 403,
    code: 'KEY_MODE_MISMATCH',
    store: keyIs({ ...KEY, mode: 'live' }),
    wrote: refusedBefore,
  },
  {
    name: '403: a suspended project',
    status: 403,
    code: 'PROJECT_SUSPENDED',
    store: ({ store }) =>
      store
        .on(BatchGetCommand)
        .resolves({ Responses: { Gateway: [{ pk: `PROJECT#${PROJECT_ID}`, sk: 'PROJECT', status: 'suspended' }] } }),
    wrote: refusedBefore,
  },
  {
    name: '413: a body over 16 KiB',
    status: 413,
    code: 'PAYLOAD_TOO_LARGE',
    request: { body: ' '.repeat(16_385) },
    wrote: refusedBefore,
  },
  {
    name: '415: a form',
    status: 415,
    code: 'UNSUPPORTED_MEDIA_TYPE',
    request: { headers: { 'content-type': 'text/plain' } },
    wrote: refusedBefore,
  },
  {
    name: '429: the minute is used up',
    status: 429,
    code: 'RATE_LIMIT_EXCEEDED',
    store: keyIs({ ...KEY, window: minute, [slotOf(minute)]: 60 }),
    wrote: { ...refusedBefore, events: ['rate_limit_rejected'] },
  },
  {
    name: '429: the quota is used up',
    status: 429,
    code: 'QUOTA_EXCEEDED',
    gateway: { quotaLimit: 1, quotaUsed: 1 },
    wrote: { ...refusedBefore, events: ['quota_rejected'] },
  },
  {
    name: '429: the key quota is used up',
    status: 429,
    code: 'KEY_QUOTA_EXCEEDED',
    store: ({ store }) =>
      store.on(UpdateCommand).resolves({ Attributes: { keyId: 'key_1', rpm: 60, unitsLimit: 0, capId: 'key_1' } }),
    wrote: { ...refusedBefore, events: ['quota_rejected'] },
  },
  {
    name: '503: the store is away',
    status: 503,
    code: 'SERVICE_UNAVAILABLE',
    store: ({ store }) =>
      store.on(TransactWriteCommand).rejects(Object.assign(new Error('connect ECONNREFUSED'), { $metadata: {} })),
    // It may have been committed: nobody writes a second event.
    wrote: charged,
  },
];

describe('the metered handler answers', () => {
  test.each(OUTCOMES)('$name', async ({ status, code, gateway: options, store, request, key, wrote }) => {
    const gateway = mockedGateway(options);
    store?.(gateway);
    const response = await gateway.ping(request, key);
    expect([response.status, response.body.code]).toEqual([status, code]);
    const definition = code && ERRORS[code];
    expect('retry-after' in response.headers).toBe(definition !== undefined && 'retryable' in definition);
    const shouldRetry = status >= 500 || code === 'RATE_LIMIT_EXCEEDED';
    expect(response.headers['x-should-retry']).toBe(code === undefined ? undefined : String(shouldRetry));
    expect({
      admissions: Math.min(1, gateway.store.commandCalls(UpdateCommand).length),
      settlements: gateway.settlements().length,
      events: gateway.events().map((item) => String(item?.event)),
    }).toEqual(wrote);
  });

  test('200: from the record, without a charge; 409: another request under the same Idempotency-Key', async () => {
    const under = (body: object) => ({ headers: { 'idempotency-key': 'k' }, body });
    const first = mockedGateway();
    await first.ping(under({}));
    const replay = first.settlements()[0]?.TransactItems?.[2]?.Put?.Item;
    const gateway = mockedGateway(replay && { replay });
    const replayed = await gateway.ping(under({}));
    expect([replayed.status, replayed.headers['x-service-idempotency-replayed']]).toEqual([200, 'true']);
    const other = await gateway.ping(under({ clientRequestId: 'another' }));
    expect([other.status, other.body.code]).toEqual([409, 'IDEMPOTENCY_CONFLICT']);
    expect(gateway.settlements()).toEqual([]);
    expect(gateway.events().map((item) => String(item?.event))).toEqual(['idempotency_replay', 'idempotency_conflict']);
  });

  test('500: a defect, without a charge', async () => {
    const gateway = mockedGateway();
    gateway.store.on(BatchGetCommand).callsFake(() => {
      throw new TypeError('a defect');
    });
    const { status, body } = await gateway.ping();
    expect([status, body.code, gateway.settlements()]).toEqual([500, 'INTERNAL_ERROR', []]);
  });
});

describe('the health handler answers', () => {
  const handler = healthChain({
    clock: testClock(),
    randomBytes: (size) => new Uint8Array(size),
    startDeadline: () => testDeadline(),
    telemetry: testTelemetry(),
    portalOrigin: undefined,
    allowedOrigins: [],
  });
  test.each([
    ['200: GET', 'GET', '/api/v1/health', 200, undefined],
    ['200: HEAD', 'HEAD', '/api/v1/health', 200, undefined],
    ['404: an unknown path', 'GET', '/api/v1/nothing', 404, 'NOT_FOUND'],
    ['405: an unknown method', 'DELETE', '/api/v1/sandbox/ping', 405, 'METHOD_NOT_ALLOWED'],
  ])('%s', async (_name, method, path, status, code) => {
    const response = await invoke(handler, httpEvent({ method, path, body: null }));
    expect([response.status, response.body.code]).toEqual([status, code]);
  });
});

test('no code of the catalogue is without its outcome here', () => {
  const shown = new Set<string | undefined>(OUTCOMES.map(({ code }) => code));
  const apart = ['IDEMPOTENCY_CONFLICT', 'INTERNAL_ERROR', 'NOT_FOUND', 'METHOD_NOT_ALLOWED'];
  expect(Object.keys(ERRORS).filter((code) => !shown.has(code) && !apart.includes(code))).toEqual([]);
});

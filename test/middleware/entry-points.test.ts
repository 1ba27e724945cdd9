import { randomBytes } from 'node:crypto';
import {
  DynamoDBDocumentClient,
  BatchGetCommand,
  PutCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import { PING_PATH } from '../../functions/contract.ts';
import { generateApiKey } from '../../functions/core/api-key.ts';
import { httpEvent, invoke, type TestResponse } from '../support/http.ts';

const store = mockClient(DynamoDBDocumentClient);
// Lambda collects both; the logger sends errors to the second.
const streams = [process.stdout, process.stderr].map((stream) => jest.spyOn(stream, 'write').mockReturnValue(true));
const lines = (): Record<string, unknown>[] =>
  streams.flatMap(({ mock }) => mock.calls.map(([text]) => JSON.parse(String(text)) as Record<string, unknown>));

let ping: Parameters<typeof invoke>[0];
let health: Parameters<typeof invoke>[0];
let warmUpCalls: number;
const earlier = { ...process.env };

beforeAll(async () => {
  Object.assign(process.env, {
    ...{ GATEWAY_TABLE: 'Gateway', USAGE_TABLE: 'Usage', PORTAL_ORIGIN: 'https://portal.example.com' },
    ...{ AWS_REGION: 'us-east-1', AWS_LAMBDA_FUNCTION_NAME: 'ping' },
  });
  store.rejects(new Error('the store is away'));
  ({ handler: ping } = await import('../../functions/ping/handler.ts'));
  warmUpCalls = store.calls().length;
  ({ handler: health } = await import('../../functions/health/handler.ts'));
});
afterAll(() => {
  for (const stream of streams) stream.mockRestore();
  process.env = earlier;
});
beforeEach(() => {
  for (const stream of streams) stream.mockClear();
  store.reset();
  store.on(UpdateCommand).resolves({ Attributes: { keyId: 'key_1', rpm: 60 } });
  store.on(BatchGetCommand).resolves({ Responses: { Gateway: [{ sk: 'PROJECT', status: 'active' }] } });
  store.on(TransactWriteCommand).resolves({});
  store.on(PutCommand).resolves({});
});

const key = generateApiKey('test', 'Project00001', randomBytes);
const send = (body: string): Promise<TestResponse> => {
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'idempotency-key': 'canary-key',
  };
  return invoke(ping, httpEvent({ method: 'POST', path: PING_PATH, headers, body }));
};

describe('the entry point of the ping function', () => {
  test('opens its connection while it starts, and starts although the store is away', () => {
    expect(warmUpCalls).toBe(1);
  });

  test('serves a ping on the tables of its environment, and logs one line of JSON', async () => {
    const response = await send('{"clientRequestId":"canary-id"}');
    expect(response.status).toBe(200);
    const [settlement] = store.commandCalls(TransactWriteCommand);
    const tables = settlement?.args[0].input.TransactItems?.map(({ Update, Put }) => (Update ?? Put)?.TableName);
    expect(tables).toEqual(['Gateway', 'Usage', 'Gateway']);
    expect(lines()).toMatchObject([
      { level: 'INFO', message: 'request', requestId: response.body.requestId, status: 200 },
    ]);
  });

  test('logs a failure with its cause, and no key, Idempotency-Key or body in any line', async () => {
    const cause = Object.assign(new Error('connect ECONNREFUSED'), {
      $metadata: {},
      $response: { body: 'canary-answer' },
    });
    store.on(TransactWriteCommand).rejects(cause);
    expect((await send('{"clientRequestId":"canary-id"}')).status).toBe(503);
    await send('canary, and no JSON');
    expect(lines()).toMatchObject([
      { level: 'INFO', status: 400 },
      {
        level: 'ERROR',
        status: 503,
        error: { name: 'StoreUnavailableError', cause: { message: 'connect ECONNREFUSED' } },
      },
    ]);
    expect(JSON.stringify(lines())).not.toMatch(/canary|svc_test/);
  });

  test('counts a lost usage event in a metric, in CloudWatch’s embedded format', async () => {
    store.on(PutCommand).rejects(new Error('away'));
    expect((await send('')).status).toBe(400);
    const metric = lines().find((line) => '_aws' in line);
    expect(metric).toMatchObject({ service: 'sandbox-gateway', UsageEventLost: 1 });
  });
});

describe('the entry point of the health function', () => {
  test('answers without the store, to the origins of its environment', async () => {
    const headers = { origin: 'https://portal.example.com' };
    const response = await invoke(health, httpEvent({ path: '/api/v1/health', headers }));
    expect(response).toMatchObject({
      status: 200,
      headers: { 'access-control-allow-origin': 'https://portal.example.com' },
    });
    expect(store.calls()).toHaveLength(0);
  });
});

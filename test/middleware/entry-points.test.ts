import {
  DynamoDBDocumentClient,
  BatchGetCommand,
  PutCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import { PING_PATH } from '../../functions/operations/ping.ts';
import { LOCAL_KEY_TAG_SECRET } from '../../local/settings.ts';
import { httpEvent, invoke, type TestResponse } from '../support/http.ts';
import { unknownKey } from '../support/keys.ts';
import { captureLines } from '../support/secrets/lines.ts';

const store = mockClient(DynamoDBDocumentClient);
const captured = captureLines();
type Line = Record<string, unknown>;
const lines = (): Line[] => captured.lines.map((text) => JSON.parse(text) as Line);
const logs = (): Line[] => lines().filter((line) => !('_aws' in line));
/** Lines in CloudWatch's embedded metric format. */
const metrics = (): Line[] => lines().filter((line) => '_aws' in line);

let ping: Parameters<typeof invoke>[0];
let health: Parameters<typeof invoke>[0];
let warmUpCalls: number;
let firstLines: Line[];
const earlier = { ...process.env };

beforeAll(async () => {
  Object.assign(process.env, {
    GATEWAY_TABLE: 'Gateway',
    USAGE_TABLE: 'Usage',
    PORTAL_ORIGIN: 'https://portal.example.com',
    AWS_REGION: 'us-east-1',
    AWS_LAMBDA_FUNCTION_NAME: 'ping',
    STAGE: 'staging',
    USAGE_RETENTION_DAYS: '100',
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    KEY_TAG_SECRETS: LOCAL_KEY_TAG_SECRET,
  });
  store.rejects(new Error('the store is away'));
  ({ handler: ping } = await import('../../functions/metered/handler.ts'));
  warmUpCalls = store.calls().length;
  ({ handler: health } = await import('../../functions/health/handler.ts'));
  await send('{}');
  firstLines = lines();
});
afterAll(() => {
  captured.stop();
  process.env = earlier;
});
beforeEach(() => {
  captured.lines.length = 0;
  store.reset();
  store.on(UpdateCommand).resolves({ Attributes: { keyId: 'key_1', rpm: 60 } });
  store.on(BatchGetCommand).resolves({ Responses: { Gateway: [{ sk: 'PROJECT', status: 'active' }] } });
  store.on(TransactWriteCommand).resolves({});
  store.on(PutCommand).resolves({});
});

const key = unknownKey('Project00001');
const send = (body: string): Promise<TestResponse> => {
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'idempotency-key': 'canary-key',
  };
  return invoke(ping, httpEvent({ method: 'POST', path: PING_PATH, headers, body }));
};

describe('the entry point of the metered function', () => {
  test('opens its connection while it starts, and starts although the store is away', () => {
    expect(warmUpCalls).toBe(1);
  });

  test('serves a ping on the tables of its environment, and logs one line of JSON', async () => {
    const response = await send('{"clientRequestId":"canary-id"}');
    expect(response.status).toBe(200);
    const [settlement] = store.commandCalls(TransactWriteCommand);
    const tables = settlement?.args[0].input.TransactItems?.map(({ Update, Put }) => (Update ?? Put)?.TableName);
    expect(tables).toEqual(['Gateway', 'Usage', 'Gateway']);
    expect(logs()).toMatchObject([
      { level: 'INFO', message: 'request', requestId: response.body.requestId, status: 200 },
    ]);
  });

  test('keeps charged events as long as its environment says', async () => {
    const sentAtSeconds = Date.now() / 1_000;
    await send('{}');
    const [settlement] = store.commandCalls(TransactWriteCommand);
    const event = settlement?.args[0].input.TransactItems?.[1]?.Put?.Item as { ttl: number };
    expect((event.ttl - sentAtSeconds) / 86_400).toBeCloseTo(100, 2);
  });

  test('logs a failure with its cause, and no key, Idempotency-Key or body in any line', async () => {
    const cause = Object.assign(new Error('connect ECONNREFUSED'), {
      $metadata: {},
      $response: { body: 'canary-answer' },
    });
    store.on(TransactWriteCommand).rejects(cause);
    expect((await send('{"clientRequestId":"canary-id"}')).status).toBe(503);
    await send('canary, and no JSON');
    expect(logs()).toMatchObject([
      {
        level: 'ERROR',
        status: 503,
        error: { name: 'StoreUnavailableError', cause: { message: 'connect ECONNREFUSED' } },
      },
      { level: 'INFO', status: 400 },
    ]);
    expect(JSON.stringify(lines())).not.toMatch(/canary|svc_test/);
  });

  test('reports each request in metrics of low cardinality, units only when some were charged', async () => {
    await send('{}');
    await send('no JSON');
    const common = { service: 'sandbox-gateway', stage: 'staging', route: 'POST /api/v1/sandbox/ping', Requests: 1 };
    const dimensions = ['service', 'stage', 'route', 'outcome'];
    const directive = [{ Namespace: 'SandboxGateway', Dimensions: [dimensions] }];
    expect(metrics()).toMatchObject([
      { ...common, outcome: 'request_succeeded', UnitsCharged: 1, _aws: { CloudWatchMetrics: directive } },
      { ...common, outcome: 'INVALID_REQUEST', _aws: { CloudWatchMetrics: directive } },
    ]);
    for (const line of metrics()) expect(line.Latency).toBeGreaterThanOrEqual(0);
    expect(metrics()[1]).not.toHaveProperty('UnitsCharged');
  });

  test('counts a lost usage event in a metric', async () => {
    store.on(PutCommand).rejects(new Error('away'));
    expect((await send('')).status).toBe(400);
    expect(metrics()).toContainEqual(expect.objectContaining({ stage: 'staging', UsageEventLost: 1 }));
  });
});

describe('an entry point whose keys cannot be told from forged ones does not start', () => {
  test.each([
    ['without KEY_TAG_SECRETS', '', 'KEY_TAG_SECRETS is not set.'],
    ['with one that is too short', 'canary', /^KEY_TAG_SECRETS must be one or more secrets(?!.*canary)/],
  ])('%s', async (_what, text, message) => {
    jest.resetModules();
    process.env.KEY_TAG_SECRETS = text;
    await expect(import('../../functions/metered/handler.ts')).rejects.toThrow(message);
  });
});

test('the first request of an instance is reported as a cold start, of its function', () => {
  expect(firstLines).toContainEqual(expect.objectContaining({ ColdStart: 1, function_name: 'ping', stage: 'staging' }));
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

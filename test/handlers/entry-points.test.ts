import { randomBytes } from 'node:crypto';
import {
  DynamoDBDocumentClient,
  BatchGetCommand,
  DeleteCommand,
  PutCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import { DEFAULT_LIMITS } from '../../functions/accounts/store/limits.ts';
import { newSession } from '../../functions/accounts/people/sessions.ts';
import { PING_PATH } from '../../functions/gateway/operations/ping.ts';
import type { PortalHandler } from '../../functions/portal/request/lambda.ts';
import { settings } from '../../functions/portal/runtime.ts';
import { quotaPeriod, stageName } from '../../functions/shared/system.ts';
import { LOCAL_KEY_TAG_SECRET, LOCAL_KEY_TAG_SECRETS } from '../../local/settings.ts';
import { PORTAL_METRICS, PORTAL_SERVICE } from '../../functions/shared/names.ts';
import { httpEvent, invoke, type TestResponse } from '../support/http.ts';
import { unknownKey } from '../support/keys.ts';
import { captureLines } from '../support/secrets/lines.ts';

const store = mockClient(DynamoDBDocumentClient);
// Other files of this worker use the same class (test/support/environment.mjs).
afterAll(() => store.restore());
const captured = captureLines();
type Line = Record<string, unknown>;
const lines = (): Line[] => captured.lines.map((text) => JSON.parse(text) as Line);
const logs = (): Line[] => lines().filter((line) => !('_aws' in line));
/** Lines in CloudWatch's embedded metric format. */
const metrics = (): Line[] => lines().filter((line) => '_aws' in line);

let ping: Parameters<typeof invoke>[0];
let health: Parameters<typeof invoke>[0];
let portal: PortalHandler;
let warmUpCalls: number;
let firstLines: Line[];
let portalWarmUpCalls: number;
let firstOfPortal: Line[];
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
    GATEWAY_URL: 'https://gateway.example.com',
    QUOTA_PERIOD: 'month',
    OIDC_ISSUER: 'http://127.0.0.1:1',
    OIDC_CLIENT_ID: 'portal',
    OIDC_CLIENT_SECRET: 'a secret of the client that is shown to nobody',
  });
  store.rejects(new Error('the store is away'));
  ({ handler: ping } = await import('../../functions/gateway/metered.ts'));
  warmUpCalls = store.calls().length;
  ({ handler: health } = await import('../../functions/gateway/health.ts'));
  await send('{}');
  firstLines = lines();
  captured.lines.length = 0;
  store.reset();
  store.rejects(new Error('the store is away'));
  ({ handler: portal } = await import('../../functions/portal/handler.ts'));
  portalWarmUpCalls = store.calls().length;
  await ask('GET', '/api/nothing');
  firstOfPortal = lines();
});
afterAll(() => {
  captured.stop();
  process.env = earlier;
});
beforeEach(() => {
  captured.lines.length = 0;
  store.reset();
  store.on(UpdateCommand).resolves({ Attributes: { keyId: 'key_1', rpm: 60 } });
  store
    .on(BatchGetCommand)
    .resolves({ Responses: { Gateway: [{ pk: 'PROJECT#Project00001', sk: 'PROJECT', status: 'active' }] } });
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
    const answer = await send('{"clientRequestId":"canary-id"}');
    expect(answer).toMatchObject({
      status: 503,
      headers: { link: '<https://portal.example.com/docs/errors#SERVICE_UNAVAILABLE>; rel="help"' },
    });
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
});

describe('an entry point that cannot distinguish keys from forged ones does not start', () => {
  test.each([
    ['without KEY_TAG_SECRETS', { KEY_TAG_SECRETS: '' }, 'KEY_TAG_SECRETS is not set.'],
    [
      'with one that is too short',
      { KEY_TAG_SECRETS: 'canary' },
      /^KEY_TAG_SECRETS must be one or more secrets(?!.*canary)/,
    ],
    ['with a prefix that is none', { KEY_PREFIXES: 'acme,a' }, /^KEY_PREFIXES must be prefixes of 2 to 12 letters/],
  ])('%s', async (_what, environment, message) => {
    jest.resetModules();
    Object.assign(process.env, environment);
    await expect(import('../../functions/gateway/metered.ts')).rejects.toThrow(message);
  });
});

test('the first request of an instance is reported as a cold start, of its function', () => {
  expect(firstLines).toContainEqual(expect.objectContaining({ ColdStart: 1, function_name: 'ping', stage: 'staging' }));
});

const ask = (method: string, path: string, cookies: string[] = []) => {
  const headers = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };
  return portal(httpEvent({ method, path, headers, cookies, body: null }));
};

describe('the entry point of the portal’s function', () => {
  const user = { userId: `usr_${'A'.repeat(16)}` };
  const kept = { browser: 'Firefox on Linux', idToken: undefined };
  const { token, item } = newSession(
    user,
    kept,
    Date.now(),
    { idleMs: 1, absoluteMs: 3_600_000 },
    { randomBytes: (n) => randomBytes(n), secrets: LOCAL_KEY_TAG_SECRETS },
  );
  const session = [`__Host-Http-session=${token}`];
  beforeEach(() => {
    store
      .on(BatchGetCommand)
      .resolves({ Responses: { Gateway: [item, { ...user, pk: `USER#${user.userId}`, sk: 'USER' }] } });
    store.on(DeleteCommand).resolves({});
  });

  test('opens its connection while it starts, and starts although the store is away', () => {
    expect(portalWarmUpCalls).toBe(1);
    expect(firstOfPortal).toContainEqual(
      expect.objectContaining({ ColdStart: 1, function_name: 'ping', stage: 'staging', service: PORTAL_SERVICE }),
    );
  });

  test('logs one line of JSON a request, with its service', async () => {
    const { headers, statusCode } = await ask('POST', '/api/sign-out', session);
    expect(statusCode).toBe(200);
    expect(logs()).toEqual([
      expect.objectContaining({
        level: 'INFO',
        message: 'request',
        service: PORTAL_SERVICE,
        route: 'POST /api/sign-out',
        status: 200,
        requestId: headers?.['x-service-request-id'],
        apiRequestId: 'api-gateway-request-id',
        userId: user.userId,
        durationMs: expect.any(Number),
      }),
    ]);
  });

  test('logs a failure with its cause, and no token in any line', async () => {
    store.on(DeleteCommand).rejects(Object.assign(new Error('connect ECONNREFUSED'), { $metadata: {} }));
    expect((await ask('POST', '/api/sign-out', session)).statusCode).toBe(503);
    const cause = { message: 'connect ECONNREFUSED' };
    expect(logs()).toMatchObject([
      { level: 'ERROR', message: 'request', status: 503, error: { name: 'StoreUnavailableError', cause } },
    ]);
    expect(JSON.stringify(lines())).not.toContain(token.slice(-20));
  });

  test('reports each request in metrics of low cardinality, and as a change what was made', async () => {
    for (const [method, path, cookies] of [
      ['POST', '/api/sign-out', session],
      ['POST', '/api/sign-out', []],
      ['GET', '/api/sign-in', []],
      ['GET', '/api/nothing', []],
    ] as const) {
      await ask(method, path, [...cookies]);
    }
    store.on(DeleteCommand).rejects(Object.assign(new Error('connect ECONNREFUSED'), { $metadata: {} }));
    await ask('POST', '/api/sign-out', session);
    const common = { service: PORTAL_SERVICE, stage: 'staging', Requests: 1, Latency: expect.any(Number) };
    const requests = metrics().filter((line) => 'Requests' in line);
    expect(requests).toMatchObject([
      { ...common, outcome: 'ok', Changes: 1 },
      { ...common, outcome: 'refused' },
      { ...common, outcome: 'ok' },
      { ...common, outcome: 'refused' },
      { ...common, outcome: 'failed' },
    ]);
    expect(requests.map((line) => 'Changes' in line)).toEqual([true, false, false, false, false]);
    const directive = { Namespace: 'SandboxGateway', Dimensions: [['service', 'stage', 'outcome']] };
    for (const line of requests) expect(line).toMatchObject({ _aws: { CloudWatchMetrics: [directive] } });
    // Two of each outcome and the changes that were made, each counted kind, a cold start, and what API Gateway throttled.
    expect(2 * 3 + 1 + Object.keys(PORTAL_METRICS).length + 2).toBeLessThanOrEqual(20);
  });

  test('warns of a sign-in that fails, with its cause, and counts it', async () => {
    const { headers } = await ask('GET', '/api/sign-in');
    expect(headers?.location).toBe('/?signIn=failed');
    const requestId = headers?.['x-service-request-id'];
    const error = { message: 'something went wrong', cause: expect.anything() };
    expect(logs()).toMatchObject([
      { level: 'WARN', message: 'A sign-in failed.', requestId, error },
      { level: 'INFO', message: 'request', requestId },
    ]);
    expect(metrics()).toContainEqual(
      expect.objectContaining({ service: PORTAL_SERVICE, stage: 'staging', SignInsFailed: 1 }),
    );
  });
});

describe('the settings of the portal’s function', () => {
  const read = (variables: Readonly<Record<string, string>>) => {
    const before = { ...process.env };
    Object.assign(process.env, { USAGE_RETENTION_DAYS: '' }, variables);
    try {
      const { issuerLabel, cognitoOrigin, trustEmail } = settings.provider();
      const provider = { issuerLabel, cognitoOrigin, trustEmail };
      const sessions = settings.sessionLimits();
      const limits = { ...settings.defaults(), ...sessions, ...settings.limits() };
      const [period, days] = [quotaPeriod(), settings.usageRetentionDays()];
      return { ...limits, ...provider, period, days, stage: stageName(), portalOrigin: settings.portalOrigin() };
    } finally {
      process.env = before;
    }
  };
  const usual = {
    rpm: 60,
    quotaUnits: 10_000,
    idleMs: 2 * 3_600_000,
    absoluteMs: 12 * 3_600_000,
    ...DEFAULT_LIMITS,
    issuerLabel: 'http://127.0.0.1:1',
    cognitoOrigin: undefined,
    trustEmail: false,
    period: 'month',
    days: 400,
    stage: 'staging',
    portalOrigin: 'https://portal.example.com',
  };

  test.each<[Record<string, string>, Partial<typeof usual> | Record<string, unknown>]>([
    [{}, {}],
    [
      { DEFAULT_RPM: '7', DEFAULT_QUOTA_UNITS: '0' },
      { rpm: 7, quotaUnits: 0 },
    ],
    [{ DEFAULT_QUOTA_UNITS: 'none' }, { quotaUnits: undefined }],
    [{ STAGE: '' }, { stage: 'local' }],
    [
      { SESSION_IDLE_MINUTES: '5', SESSION_HOURS: '3' },
      { idleMs: 300_000, absoluteMs: 10_800_000 },
    ],
    [
      { QUOTA_PERIOD: 'day', USAGE_RETENTION_DAYS: '30' },
      { period: 'day', days: 30 },
    ],
    [
      { MEMBERS_PER_ACCOUNT: '9', READS_PER_MINUTE: '8' },
      { membersPerAccount: 9, readsPerMinute: 8 },
    ],
    [
      { OIDC_ISSUER_LABEL: 'corporate', OIDC_TRUST_EMAIL: 'true' },
      { issuerLabel: 'corporate', trustEmail: true },
    ],
    [{ OIDC_TRUST_EMAIL: 'false', COGNITO_ORIGIN: 'https://x.example' }, { cognitoOrigin: 'https://x.example' }],
  ])('are what %j says, and as usual otherwise', (variables, expected) => {
    expect(read(variables)).toEqual({ ...usual, ...expected });
  });

  test.each([
    ['DEFAULT_RPM', '0', 'DEFAULT_RPM must be a whole number from 1 to 1000000.'],
    ['DEFAULT_QUOTA_UNITS', 'x', 'DEFAULT_QUOTA_UNITS must be a whole number from 0 to 1000000000, or none.'],
    ['OIDC_TRUST_EMAIL', 'yes', 'OIDC_TRUST_EMAIL must be true or false.'],
    ['OIDC_CLIENT_ID', '', 'OIDC_CLIENT_ID is not set.'],
    ['OIDC_CLIENT_SECRET', '', 'OIDC_CLIENT_SECRET is not set.'],
  ])('may not be %s=%s: it does not start', (name, value, message) => {
    expect(() => read({ [name]: value })).toThrow(message);
  });

  test('have the client secret where it is kept, which nobody reads before a sign-in', async () => {
    expect(await settings.provider().clientSecret.current()).toBe('a secret of the client that is shown to nobody');
    // In AWS the environment has no secret.
    expect(read({ OIDC_CLIENT_SECRET: '', OIDC_CLIENT_SECRET_ARN: 'arn:aws:secretsmanager:x' })).toEqual(usual);
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

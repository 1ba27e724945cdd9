import { ConditionalCheckFailedException, DynamoDBServiceException } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  DynamoDBDocumentClient,
  PutCommand,
  TransactGetCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import { PING_PATH } from '../../functions/gateway/operations/ping.ts';
import { LOCAL_KEY_TAG_SECRET } from '../../local/settings.ts';
import { httpEvent, invoke } from '../support/http.ts';
import { unknownKey } from '../support/keys.ts';
import { captureLines } from '../support/secrets/lines.ts';

const key = unknownKey('Project00001');
const SECRET = /svc_test|canary/;
const headers = {
  authorization: `Bearer ${key}`,
  'content-type': 'application/json',
  'idempotency-key': 'canary-idempotency-key',
};
const body = '{"clientRequestId":"canary-id","other":"canary-member"}';

const store = mockClient(DynamoDBDocumentClient);
// Other files of this worker use the same class (test/support/environment.mjs).
afterAll(() => store.restore());
const captured = captureLines();
const earlier = { ...process.env };
let ping: Parameters<typeof invoke>[0];

beforeAll(async () => {
  Object.assign(process.env, {
    GATEWAY_TABLE: 'Gateway',
    USAGE_TABLE: 'Usage',
    AWS_REGION: 'us-east-1',
    POWERTOOLS_LOG_LEVEL: 'DEBUG',
    POWERTOOLS_LOGGER_LOG_EVENT: 'true',
    POWERTOOLS_DEV: 'false',
    KEY_TAG_SECRETS: LOCAL_KEY_TAG_SECRET,
  });
  ({ handler: ping } = await import('../../functions/gateway/metered.ts'));
});
afterAll(() => {
  captured.stop();
  process.env = earlier;
});
beforeEach(() => {
  captured.lines.length = 0;
  store.reset();
  store.on(UpdateCommand).resolves({ Attributes: { keyId: 'key_1', rpm: 60 } });
  store.on(BatchGetCommand).resolves({
    Responses: { Gateway: [{ pk: 'PROJECT#Project00001', sk: 'PROJECT', status: 'active', quotaLimit: 9 }] },
  });
  store.on(TransactWriteCommand).resolves({});
  store.on(PutCommand).resolves({});
  store.on(TransactGetCommand).resolves({ Responses: [{}] });
});

/** A failure whose message repeats input, as DynamoDB's validation does, and as SDKs of the future may. */
const echoing = (name: string) =>
  new DynamoDBServiceException({
    name,
    message: `1 validation error: Value '{clientRequestId=canary-id, key=${key}}' at 'item' (${headers.authorization}): ${body}`,
    $fault: 'client',
    $metadata: { httpStatusCode: 400 },
  });
const Item = marshall({ keyId: 'key_1', projectId: 'Project00001', status: 'revoked', note: 'canary-item' });

describe('the entry point, with its logger at DEBUG, writes no key, Idempotency-Key or body', () => {
  test.each<[string, number, { event?: object; given?: () => void }]>([
    ['of a success', 200, {}],
    ['of a body that is refused', 400, { event: { body: '{"canary-member"' } }],
    [
      'of an Idempotency-Key that is refused',
      400,
      { event: { headers: { ...headers, 'idempotency-key': 'canary key' } } },
    ],
    [
      'of a key that is revoked',
      401,
      {
        given: () =>
          store.on(UpdateCommand).rejects(new ConditionalCheckFailedException({ message: 'x', $metadata: {}, Item })),
      },
    ],
    [
      'of a settlement that is not valid',
      500,
      { given: () => store.on(TransactWriteCommand).rejects(echoing('ValidationException')) },
    ],
    ['of a read that fails', 500, { given: () => store.on(BatchGetCommand).rejects(echoing('ValidationException')) }],
    [
      'of an event that is lost',
      400,
      { event: { body: '' }, given: () => store.on(PutCommand).rejects(echoing('ValidationException')) },
    ],
    ['of a defect', 500, { given: () => store.on(UpdateCommand).rejects(new TypeError(`no ${key}`)) }],
  ])('%s (%i)', async (_name, status, { event = {}, given }) => {
    given?.();
    const response = await invoke(ping, { ...httpEvent({ method: 'POST', path: PING_PATH, headers, body }), ...event });
    expect(response.status).toBe(status);
    expect(captured.lines.length).toBeGreaterThan(0);
    expect(captured.lines.join('')).not.toMatch(SECRET);
    expect(JSON.stringify(response)).not.toMatch(SECRET);
  });
});

import { randomBytes, randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  DynamoDBDocumentClient,
  PutCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { PING_PATH } from '../../functions/gateway/operations/ping.ts';
import { DEFAULT_USAGE_RETENTION_DAYS as USAGE_RETENTION_DAYS } from '../../functions/shared/names.ts';
import { dynamoDbRequestStore } from '../../functions/gateway/ledger/dynamodb-request-store.ts';
import { itemKey } from '../../functions/shared/store/items.ts';
import { meteredChain } from '../../functions/gateway/metered-chain.ts';
import { LOCAL_KEY_TAG_SECRETS } from '../../local/settings.ts';
import { httpEvent, invoke, type TestRequest } from './http.ts';
import { unknownKey } from './keys.ts';
import { PORTAL_ORIGIN } from './gateway.ts';
import { testClock, testTelemetry } from './reports.ts';
import { TEST_OPERATIONS } from './test-operation.ts';

export const PROJECT_ID = 'Project00001';
/** The time of a request. It passes only while the request waits. */
const REQUEST_MS = 4_000;
/** The fixed value of the gateway's random source. */
export const MAX_JITTER = 0.5;

interface Options {
  readonly quotaLimit?: number;
  readonly quotaUsed?: number;
  /** A replay record in the table. */
  readonly replay?: Record<string, unknown>;
}

/** A gateway with a mocked store; by default the store admits the key and settles everything. */
export function mockedGateway({ quotaLimit = 100, quotaUsed = 0, replay }: Options = {}) {
  const documents = DynamoDBDocumentClient.from(new DynamoDBClient({ region: 'local' }));
  const store = mockClient(documents);
  const telemetry = testTelemetry();
  const deadline = new AbortController();
  const sleeps: number[] = [];
  const sleptMs = () => sleeps.reduce((sum, ms) => sum + ms, 0);
  const key = unknownKey(PROJECT_ID);
  const snapshot = {
    Responses: {
      Gateway: [
        { ...itemKey.project(PROJECT_ID), status: 'active', quotaLimit },
        { ...itemKey.quota(PROJECT_ID, '2030-01'), units: quotaUsed },
        ...(replay ? [replay] : []),
      ],
    },
  };
  store.on(UpdateCommand).resolves({ Attributes: { keyId: 'key_1', rpm: 60 } });
  store.on(BatchGetCommand).resolves(snapshot);
  store.on(TransactWriteCommand).resolves({});
  store.on(PutCommand).resolves({});

  const handler = meteredChain({
    clock: testClock(),
    randomBytes,
    startDeadline: () => Object.assign(deadline.signal, { leftMs: () => REQUEST_MS - sleptMs() }),
    telemetry,
    portalOrigin: PORTAL_ORIGIN,
    allowedOrigins: [],
    quotaPeriod: 'month',
    operations: TEST_OPERATIONS,
    keyTagSecrets: LOCAL_KEY_TAG_SECRETS,
    store: dynamoDbRequestStore({
      client: documents,
      tables: { gateway: 'Gateway', usage: 'Usage' },
      usageRetentionDays: USAGE_RETENTION_DAYS,
      newId: randomUUID,
      random: () => MAX_JITTER,
      sleep: (ms, signal) => {
        sleeps.push(ms);
        return signal.aborted ? Promise.reject(signal.reason as Error) : Promise.resolve();
      },
    }),
  });
  return {
    handler,
    key,
    store,
    snapshot,
    telemetry,
    deadline,
    sleeps,
    ping: ({ headers, ...request }: TestRequest = {}, apiKey = key) => {
      const all = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', ...headers };
      return invoke(handler, httpEvent({ method: 'POST', path: PING_PATH, ...request, headers: all }));
    },
    /** The settlements that were sent. */
    settlements: () => store.commandCalls(TransactWriteCommand).map(({ args }) => args[0].input),
    /** The events of 0 units that were sent. */
    events: () => store.commandCalls(PutCommand).map(({ args }) => args[0].input.Item),
  };
}
export type MockedGateway = ReturnType<typeof mockedGateway>;

import { randomBytes, randomUUID } from 'node:crypto';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { PING_PATH } from '../../functions/gateway/operations/ping.ts';
import { DEFAULT_USAGE_RETENTION_DAYS as USAGE_RETENTION_DAYS } from '../../functions/shared/names.ts';
import { SANDBOX_SCOPE } from '../../functions/shared/credentials/credential-text.ts';
import type { KeyTagSecrets } from '../../functions/shared/credentials/api-key.ts';
import type { Deadline } from '../../functions/shared/deadline.ts';
import { periodAt, type QuotaPeriod } from '../../functions/shared/time.ts';
import type { UsageEvent } from '../../functions/shared/request/usage-event.ts';
import type { SourceAddresses } from '../../functions/shared/names.ts';
import { createAccount } from '../../functions/accounts/team/accounts.ts';
import { createKey } from '../../functions/accounts/keys/api-keys.ts';
import type { KeyDetails } from '../../functions/accounts/keys/new-keys.ts';
import type { ConflictRetry } from '../../functions/shared/store/client.ts';
import type { AccountStore } from '../../functions/accounts/store/account-store.ts';
import { dynamoDbRequestStore } from '../../functions/gateway/ledger/dynamodb-request-store.ts';
import { createProject, updateProject } from '../../functions/accounts/projects/projects.ts';
import { itemKey } from '../../functions/shared/store/items.ts';
import { listUsage } from '../../functions/usage/events/log.ts';
import { verifyLedger } from '../../functions/usage/checks/verification.ts';
import { meteredChain } from '../../functions/gateway/metered-chain.ts';
import { LOCAL_KEY_TAG_SECRETS } from '../../local/settings.ts';
import { testDatabase } from './database.ts';
import { TEST_OPERATIONS } from './test-operation.ts';
import { testClock, testTelemetry, type TestClock } from './reports.ts';
import { answerOf, httpEvent, invoke, type TestRequest } from './http.ts';
import { localKeyTagSecrets } from './keys.ts';
import type { MeteredOperation } from '../../functions/shared/request/operation.ts';
import { testDeadline } from './deadline.ts';

export const PORTAL_ORIGIN = 'https://portal.example.com';
/** The actor of every change in these tests. */
export const ACTOR = 'arn:aws:iam::123456789012:user/operator';
export const LOCAL_DEV_ORIGIN = 'http://localhost:5173';

/** A gateway on the real engine, with its own clock. Several can share one database. */
interface GatewayOptions {
  readonly clock?: TestClock;
  readonly quotaPeriod?: QuotaPeriod;
  /** Starts the deadline of each request; default: none. */
  readonly startDeadline?: () => Deadline;
  /** Waits between attempts; default: not at all. */
  readonly sleep?: ConflictRetry['sleep'];
  /** Randomness of delays and of the choice among shards; default: always the least. */
  readonly random?: ConflictRetry['random'];
  readonly operations?: readonly MeteredOperation[];
  readonly sourceAddresses?: SourceAddresses;
  readonly keyTagSecrets?: KeyTagSecrets;
  /** The code of another version; default: this one. */
  readonly version?: {
    readonly meteredChain: typeof meteredChain;
    readonly dynamoDbRequestStore: typeof dynamoDbRequestStore;
  };
}
export function testGateway({
  clock = testClock(),
  quotaPeriod = 'month',
  startDeadline = () => testDeadline(),
  sleep = () => Promise.resolve(),
  random = () => 0,
  operations = TEST_OPERATIONS,
  sourceAddresses = 'none',
  keyTagSecrets = LOCAL_KEY_TAG_SECRETS,
  version,
}: GatewayOptions = {}) {
  // The function has the permissions of its policy; the platform team and the tests may do anything.
  const { client, documents, tables } = testDatabase('metered');
  const operator = testDatabase();
  const telemetry = testTelemetry();
  const patience = { random, sleep };
  const who = { newId: randomUUID, actor: () => Promise.resolve(ACTOR), keyTagSecrets: localKeyTagSecrets };
  const ofStage = { quotaPeriod: () => quotaPeriod };
  const store: AccountStore = {
    client: operator.documents,
    tables,
    clock,
    randomBytes,
    ...patience,
    ...who,
    ...ofStage,
  };
  const code = version ?? { meteredChain, dynamoDbRequestStore };
  const call = version ? answerOf : invoke;
  const handler = code.meteredChain({
    clock,
    randomBytes,
    startDeadline,
    telemetry,
    portalOrigin: PORTAL_ORIGIN,
    allowedOrigins: [PORTAL_ORIGIN, LOCAL_DEV_ORIGIN],
    quotaPeriod,
    operations,
    sourceAddresses,
    keyTagSecrets,
    store: code.dynamoDbRequestStore({
      client: documents,
      tables,
      usageRetentionDays: USAGE_RETENTION_DAYS,
      newId: randomUUID,
      ...patience,
    }),
  });
  return {
    client,
    operatorClient: operator.client,
    store,
    clock,
    telemetry,
    handle: (event: Parameters<typeof invoke>[1]) => call(handler, event),
    send: (request: TestRequest) => call(handler, httpEvent({ method: 'POST', path: PING_PATH, ...request })),
    ping: (key: string, request: Partial<TestRequest> = {}) =>
      call(
        handler,
        httpEvent({ method: 'POST', path: PING_PATH, ...request, headers: pingHeaders(key, request.headers) }),
      ),
    events: (projectId: string): Promise<UsageEvent[]> => Array.fromAsync(listUsage(store, projectId, {})),
    quotaUsed: async (projectId: string): Promise<number> => {
      const Key = itemKey.quota(projectId, periodAt(clock.now(), quotaPeriod).id);
      const { Item } = await operator.documents.send(
        new GetCommand({ TableName: tables.gateway, Key, ConsistentRead: true }),
      );
      return (Item?.units as number | undefined) ?? 0;
    },
    verify: (projectId: string) => verifyLedger(store, projectId, periodAt(clock.now(), quotaPeriod)),
  };
}
export type TestGateway = ReturnType<typeof testGateway>;

const pingHeaders = (key: string, headers: TestRequest['headers'] = {}) => ({
  authorization: `Bearer ${key}`,
  'content-type': 'application/json',
  ...headers,
});

export interface TenantOptions extends Partial<Omit<KeyDetails, 'projectId'>> {
  readonly quotaLimit?: number | undefined;
  /** The number of shards of the quota. */
  readonly shards?: number;
}

/** A key in these tests, unless they say otherwise. */
export const KEY = { mode: 'test', scopes: new Set([SANDBOX_SCOPE]), rpm: 60 } as const;

/** A new project with one key. */
export async function tenant({ store }: Pick<TestGateway, 'store'>, options: TenantOptions = {}) {
  const { quotaLimit = 'quotaLimit' in options ? undefined : 10_000, shards = 1, ...key } = options;
  const accountId = await createAccount(store, { name: 'Test', email: 'test@example.com' });
  const projectId = await createProject(store, { accountId, name: 'Test', quotaLimit });
  if (shards > 1) await updateProject(store, projectId, { shards });
  return { accountId, projectId, ...(await createKey(store, { projectId, ...KEY, ...key })) };
}

/** A gateway of its own, with a project and a key. */
export async function gatewayWithTenant(options?: TenantOptions, gatewayOptions?: GatewayOptions) {
  const gateway = testGateway(gatewayOptions);
  return { gateway, ...(await tenant(gateway, options)) };
}

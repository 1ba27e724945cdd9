import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { createAccount } from '../functions/accounts/team/accounts.ts';
import { createKey } from '../functions/accounts/keys/api-keys.ts';
import { MAX_CAPPED_RPM } from '../functions/accounts/keys/key-caps.ts';
import { createProject, updateProject } from '../functions/accounts/projects/projects.ts';
import { hashApiKey } from '../functions/shared/credentials/api-key.ts';
import { SANDBOX_MODE, SANDBOX_SCOPE } from '../functions/shared/credentials/credential-text.ts';
import { MAX_UNITS_LIMIT } from '../functions/shared/choices.ts';
import type { Clock } from '../functions/shared/time.ts';
import { generateId } from '../functions/shared/ids.ts';
import { dynamoDbRequestStore } from '../functions/gateway/ledger/dynamodb-request-store.ts';
import { meteredChain } from '../functions/gateway/metered-chain.ts';
import type { MiddyChain } from '../functions/gateway/middleware/chain.ts';
import type { GatewayContext, HttpEvent, HttpResponse } from '../functions/gateway/middleware/request-state.ts';
import type { Telemetry } from '../functions/gateway/middleware/request-context.ts';
import { chainDependencies } from '../functions/gateway/runtime.ts';
import { createClient, documentClient } from '../functions/shared/store/client.ts';
import { system } from '../functions/shared/system.ts';
import { DEFAULT_USAGE_RETENTION_DAYS } from '../functions/shared/names.ts';
import { localAccountStore } from '../local/account-store.ts';
import { startDatabase, type RunningDatabase } from '../local/database.ts';
import { chooseEngine } from '../local/engines.ts';
import { LOCAL_KEY_TAG_SECRETS, LOCAL_TABLES } from '../local/settings.ts';
import { createTables } from '../local/tables.ts';
import { peerChain } from './peer/chain.ts';
import { PEER_TABLES, type PeerKey } from './peer/store.ts';
import { createPeerTables } from './peer/tables.ts';
import { generateKey, TIME_LEFT } from './request.ts';

/** Limits of a project and its one key. The peer has no shards and no caps. */
export type Limits = Pick<PeerKey, 'rpm' | 'quotaLimit'> & { readonly shards?: number; readonly unitsLimit?: number };

/** Limits that no measurement reaches. */
export const AMPLE: Limits = { rpm: 1_000_000_000, quotaLimit: 1_000_000_000 };

/** The same of a key with a cap, with as many requests a minute as it may have. */
export const CAPPED: Limits = { ...AMPLE, rpm: MAX_CAPPED_RPM, unitsLimit: MAX_UNITS_LIMIT };

/** One of the two compositions that are compared. */
export interface Subject {
  readonly name: 'gateway' | 'peer';
  /** Creates a project with a key and returns the key. */
  readonly createTenant: (limits: Limits) => Promise<string>;
  /** Serves a request as in Lambda. */
  readonly handle: (event: HttpEvent) => Promise<HttpResponse>;
}

/** What a subject works with. */
export interface SubjectOptions {
  readonly client: DynamoDBClient;
  readonly clock?: Clock;
  /** By default nothing is reported, since the log makes no calls. */
  readonly telemetry?: Telemetry;
}

const SILENT: Telemetry = { request: () => undefined, warn: () => undefined, count: () => undefined };

const common = ({ clock = system.clock, telemetry = SILENT }: SubjectOptions) => {
  const quotaPeriod = 'month' as const;
  return { ...chainDependencies(), clock, telemetry, quotaPeriod, keyTagSecrets: LOCAL_KEY_TAG_SECRETS };
};

/** Each request has a context of its own. */
const handleBy = (handler: MiddyChain) => (event: HttpEvent) =>
  handler(event, { ...TIME_LEFT } as unknown as GatewayContext);

/** The gateway's own ping. */
export function gatewaySubject(options: SubjectOptions): Subject {
  const client = documentClient(options.client);
  const books = { client, tables: LOCAL_TABLES, usageRetentionDays: DEFAULT_USAGE_RETENTION_DAYS };
  const requests = dynamoDbRequestStore({ ...system, ...books });
  const store = localAccountStore(client);
  return {
    name: 'gateway',
    createTenant: async ({ rpm, quotaLimit, shards, unitsLimit }) => {
      const accountId = await createAccount(store, { name: 'Bench', email: 'bench@example.com' });
      const projectId = await createProject(store, { accountId, name: 'Bench', quotaLimit });
      if (shards) await updateProject(store, projectId, { shards });
      const scopes = new Set([SANDBOX_SCOPE]);
      return (await createKey(store, { projectId, mode: SANDBOX_MODE, scopes, rpm, unitsLimit })).key;
    },
    handle: handleBy(meteredChain({ ...common(options), store: requests })),
  };
}

/** The peer's ping. */
function peerSubject(options: SubjectOptions): Subject {
  const documents = documentClient(options.client);
  return {
    name: 'peer',
    createTenant: async (limits) => {
      const { projectId, key } = generateKey();
      const scopes = new Set([SANDBOX_SCOPE]);
      const keyId = generateId('key', system.randomBytes);
      const stored: PeerKey = { ...limits, keyId, projectId, mode: SANDBOX_MODE, scopes, status: 'active' };
      const Item = { id: `KEY#${hashApiKey(key)}`, ...stored };
      await documents.send(new PutCommand({ TableName: PEER_TABLES.state, Item }));
      return key;
    },
    handle: handleBy(peerChain({ ...common(options), client: options.client })),
  };
}

/** Both subjects on one engine, with one client. */
export interface Subjects extends Pick<RunningDatabase, 'engine' | 'address'> {
  readonly client: DynamoDBClient;
  readonly gateway: Subject;
  readonly peer: Subject;
}

/**
 * Calls a function with both subjects on a fresh engine in memory. By default the clock stands still, so that what is
 * prepared in a minute is measured in it. Figures that are compared need separate engines, because the token store of
 * dynoxide makes transactions slower as it grows.
 */
export async function withSubjects<T>(work: (subjects: Subjects) => Promise<T>, clock = stoppedClock()): Promise<T> {
  const database = await startDatabase(chooseEngine(), 0);
  const client = createClient(database.address);
  try {
    await Promise.all([createTables(client, LOCAL_TABLES), createPeerTables(client)]);
    const subjects = { gateway: gatewaySubject({ client, clock }), peer: peerSubject({ client, clock }) };
    return await work({ ...database, client, ...subjects });
  } finally {
    client.destroy();
    await database.stop();
  }
}

const stoppedClock = (nowMs = system.clock.now()): Clock => ({ now: () => nowMs });

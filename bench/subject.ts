import { randomBytes, randomUUID } from 'node:crypto';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import type { Context } from 'aws-lambda';
import { DEFAULT_USAGE_RETENTION_DAYS } from '../functions/wiring.ts';
import {
  generateApiKey,
  generateProjectId,
  hashApiKey,
  SANDBOX_MODE,
  SANDBOX_SCOPE,
} from '../functions/core/api-key.ts';
import type { Clock } from '../functions/core/clock.ts';
import { createAccount } from '../functions/accounts/accounts.ts';
import { createKey } from '../functions/accounts/api-keys.ts';
import { dynamoDbRequestStore } from '../functions/ledger/dynamodb-request-store.ts';
import { createProject } from '../functions/accounts/projects.ts';
import { documentClient } from '../functions/store/client.ts';
import type { GatewayContext, HttpEvent, HttpResponse } from '../functions/middleware/request-state.ts';
import type { Telemetry } from '../functions/middleware/telemetry.ts';
import { meteredChain } from '../functions/metered/chain.ts';
import { system } from '../functions/system.ts';
import { LOCAL_ACTOR, LOCAL_KEY_TAG_SECRETS, LOCAL_TABLES } from '../local/settings.ts';
import { peerChain } from './peer/chain.ts';
import type { PeerKey } from './peer/store.ts';
import { PEER_TABLES } from './peer/tables.ts';

/** Limits of a project and its one key. */
export interface Limits {
  readonly rpm: number;
  readonly quotaLimit: number;
}

/** Limits that no measurement reaches. */
export const AMPLE: Limits = { rpm: 1_000_000_000, quotaLimit: 1_000_000_000 };

/** One of the two that are compared. */
export interface Subject {
  readonly name: 'gateway' | 'peer';
  /** Creates a project with a key and returns the key. Calls the engine itself, past whatever is measured. */
  readonly createTenant: (limits: Limits) => Promise<string>;
  /** Serves a request as Lambda would have it served. */
  readonly handle: (event: HttpEvent) => Promise<HttpResponse>;
}

/** What a subject works with. */
export interface SubjectOptions {
  /** For what prepares. */
  readonly operator: DynamoDBClient;
  /** For what is measured. */
  readonly client: DynamoDBClient;
  readonly clock?: Clock;
}

/** Reports nothing: what the log costs is not part of a chain's calls. */
const SILENT: Telemetry = { request: () => undefined, warn: () => undefined, count: () => undefined };

const common = ({ clock = system.clock }: SubjectOptions) => ({
  ...{ clock, newId: system.newId, startDeadline: system.startDeadline },
  ...{ telemetry: SILENT, allowedOrigins: [], quotaPeriod: 'month' as const, keyTagSecrets: LOCAL_KEY_TAG_SECRETS },
});

/** The gateway's own ping. */
export function gatewaySubject(options: SubjectOptions): Subject {
  const { operator, client } = options;
  const tables = LOCAL_TABLES;
  const actor = () => Promise.resolve(LOCAL_ACTOR);
  const keyTagSecrets = () => Promise.resolve(LOCAL_KEY_TAG_SECRETS);
  const plane = { client: documentClient(operator), tables, ...system, actor, keyTagSecrets };
  const usageRetentionDays = DEFAULT_USAGE_RETENTION_DAYS;
  const store = dynamoDbRequestStore({ client: documentClient(client), tables, usageRetentionDays, ...system });
  const handler = meteredChain({ ...common(options), store });
  return {
    name: 'gateway',
    createTenant: async ({ rpm, quotaLimit }) => {
      const accountId = await createAccount(plane, { name: 'Bench', email: 'bench@example.com' });
      const projectId = await createProject(plane, { accountId, name: 'Bench', quotaLimit });
      const scopes = new Set([SANDBOX_SCOPE]);
      return (await createKey(plane, { projectId, mode: SANDBOX_MODE, scopes, rpm })).key;
    },
    handle: (event) => handler(event, lambdaContext()),
  };
}

/** The peer's. */
export function peerSubject(options: SubjectOptions): Subject {
  const { operator, client } = options;
  const documents = documentClient(operator);
  const handler = peerChain({ ...common(options), client });
  return {
    name: 'peer',
    createTenant: async (limits) => {
      const projectId = generateProjectId(randomBytes);
      const key = generateApiKey(SANDBOX_MODE, projectId, LOCAL_KEY_TAG_SECRETS, randomBytes);
      const stored: PeerKey = {
        ...{ keyId: `key_${randomUUID()}`, projectId, mode: SANDBOX_MODE, scopes: new Set([SANDBOX_SCOPE]) },
        ...{ status: 'active', ...limits },
      };
      const Item = { id: `KEY#${hashApiKey(key)}`, ...stored };
      await documents.send(new PutCommand({ TableName: PEER_TABLES.state, Item }));
      return key;
    },
    handle: (event) => handler(event, lambdaContext()),
  };
}

/** A context of its own for each request, with the one thing in it that Powertools asks for. */
const lambdaContext = (): GatewayContext =>
  ({ getRemainingTimeInMillis: () => 5_000 }) satisfies Partial<Context> as unknown as GatewayContext;

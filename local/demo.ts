import { GetCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { DEFAULT_QUOTA_UNITS, DEFAULT_RPM } from '../functions/wiring.ts';
import { keyRefusal, type KeyRecord } from '../functions/core/admission.ts';
import { hashApiKey, SANDBOX_MODE, SANDBOX_SCOPE } from '../functions/core/api-key.ts';
import { readCredentials } from '../functions/core/api-key.ts';
import type { KeyTagSecrets } from '../functions/core/api-key.ts';
import { SANDBOX_ACCESS } from '../functions/core/operation.ts';
import { createKey } from '../functions/accounts/api-keys.ts';
import { asPerson } from '../functions/accounts/changes.ts';
import type { AccountStore } from '../functions/accounts/account-store.ts';
import { findOrMakePerson } from '../functions/accounts/identities.ts';
import { DEFAULT_LIMITS, type Limits } from '../functions/accounts/limits.ts';
import { createOwnAccount, listOwnAccounts } from '../functions/accounts/own-accounts.ts';
import { createProject } from '../functions/accounts/projects.ts';
import { readProjects } from '../functions/accounts/stored-projects.ts';
import { itemKey, type TableNames } from '../functions/store/items.ts';
import { system } from '../functions/system.ts';
import { localAccountStore } from './account-store.ts';
import { DEMO_PERSON, LOCAL_ISSUER } from './identity/people.ts';
import { readPrivateFile, replacePrivateFile } from './private-file.ts';
import { demoFile } from './settings.ts';

const Demo = v.object({ projectId: v.string(), keyId: v.string(), key: v.string() });
/** A project and a test key to try the gateway with. */
export type Demo = v.InferOutput<typeof Demo>;

const NAME = 'Demo';
/** The demo person's account is made automatically, without limits. */
const NO_LIMITS = Object.fromEntries(
  Object.keys(DEFAULT_LIMITS).map((name) => [name, Number.MAX_SAFE_INTEGER]),
) as unknown as Limits;

/**
 * The demo of an earlier run, if data are kept and its key still works; else a new key in the demo project of the demo
 * person, who finds both in the portal.
 */
export async function prepareDemo(
  client: DynamoDBDocumentClient,
  tables: TableNames,
  secrets: KeyTagSecrets,
  dataDirectory: string | undefined,
): Promise<Demo> {
  const store = localAccountStore(client, tables, secrets);
  const accountId = await demoAccount(store);
  const projects = await Array.fromAsync(readProjects(store, [accountId]));
  const usable = projects.filter(({ status }) => status === 'active');

  const earlier = dataDirectory === undefined ? undefined : await readPrivateFile(demoFile(dataDirectory), Demo);
  const isTheirs = usable.some(({ projectId }) => projectId === earlier?.projectId);
  if (earlier && isTheirs && (await isUsable(client, tables, secrets, earlier))) return earlier;

  const known = usable.find(({ name }) => name === NAME)?.projectId;
  const projectId = known ?? (await createProject(store, { accountId, name: NAME, quotaLimit: DEFAULT_QUOTA_UNITS }));
  const scopes = new Set([SANDBOX_SCOPE]);
  const newKey = await createKey(store, { projectId, mode: SANDBOX_MODE, scopes, rpm: DEFAULT_RPM, name: NAME });
  const demo = { projectId, ...newKey };
  if (dataDirectory !== undefined) await replacePrivateFile(demoFile(dataDirectory), demo);
  return demo;
}

/** An account of the demo person; account and person are made if necessary. */
async function demoAccount(store: AccountStore): Promise<string> {
  const { subject, email, name } = DEMO_PERSON;
  const person = { email, name, emailVerified: true };
  const userId = await findOrMakePerson(store, { issuer: LOCAL_ISSUER, subject, ...person });
  const owned = (await listOwnAccounts(store, userId)).find(({ role }) => role === 'owner');
  return (
    owned?.accountId ??
    createOwnAccount(asPerson(store, { userId, identityHash: undefined, limits: NO_LIMITS }), { name: NAME, person })
  );
}

async function isUsable(
  client: DynamoDBDocumentClient,
  tables: TableNames,
  secrets: KeyTagSecrets,
  { key }: Demo,
): Promise<boolean> {
  if (readCredentials(`Bearer ${key}`, secrets) === 'invalid') return false;
  const Key = itemKey.apiKey(hashApiKey(key));
  const { Item } = await client.send(new GetCommand({ TableName: tables.gateway, Key, ConsistentRead: true }));
  return keyRefusal(Item as KeyRecord | undefined, SANDBOX_ACCESS, system.clock.now()) === undefined;
}

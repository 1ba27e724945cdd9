import { GetCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { DEFAULT_QUOTA_UNITS, DEFAULT_RPM } from '../functions/shared/names.ts';
import { keyRefusal, type KeyRecord } from '../functions/shared/request/admission.ts';
import { hashApiKey, readCredentials, type KeyTagSecrets } from '../functions/shared/credentials/api-key.ts';
import { SANDBOX_MODE, SANDBOX_SCOPE } from '../functions/shared/credentials/credential-text.ts';
import { SANDBOX_ACCESS } from '../functions/shared/request/operation.ts';
import { createKey } from '../functions/accounts/keys/api-keys.ts';
import type { AccountStore } from '../functions/accounts/store/account-store.ts';
import { findOrMakePerson } from '../functions/accounts/people/identities.ts';
import { createOwnAccount, listOwnAccounts } from '../functions/accounts/team/own-accounts.ts';
import { createProject } from '../functions/accounts/projects/projects.ts';
import { readProjects } from '../functions/accounts/projects/stored-projects.ts';
import { itemKey } from '../functions/shared/store/items.ts';
import type { TableNames } from '../functions/shared/store/tables.ts';
import { system } from '../functions/shared/system.ts';
import { localAccountStore } from './account-store.ts';
import { asDemoPerson } from './demo-data/people.ts';
import { DEMO_PERSON, LOCAL_ISSUER } from './identity/people.ts';
import { readPrivateFile, replacePrivateFile } from './private-file.ts';
import { demoFile } from './settings.ts';

const Demo = v.object({ projectId: v.string(), keyId: v.string(), key: v.string() });
/** A project and a test key to try the gateway with. */
type Demo = v.InferOutput<typeof Demo>;

const NAME = 'Demo';
/** Of an account that is filled with demo data. */
const FILLED_NAME = 'Riverside maps';

/** The options of {@link prepareDemo}. */
export interface DemoOptions {
  readonly tables: TableNames;
  readonly keyTagSecrets: KeyTagSecrets;
  readonly dataDirectory: string | undefined;
  /** The age of the account that is filled with data; undefined: none is filled. */
  readonly filledAgeMs: number | undefined;
}

/** A demo. `made` is the account that was just made for it; undefined: the account existed. */
export interface PreparedDemo extends Demo {
  readonly made: { readonly accountId: string; readonly userId: string } | undefined;
}

/**
 * The demo of an earlier run, if data are kept and its key still works; else a new key in the demo project of the demo
 * person, who finds both in the portal.
 */
export async function prepareDemo(client: DynamoDBDocumentClient, options: DemoOptions): Promise<PreparedDemo> {
  const store = localAccountStore(client, options.tables, options.keyTagSecrets);
  const { accountId, made } = await demoAccount(store, options.filledAgeMs);
  return { ...(await demoKey(store, accountId, options)), made };
}

async function demoKey(store: AccountStore, accountId: string, options: DemoOptions): Promise<Demo> {
  const { client } = store;
  const { tables, keyTagSecrets: secrets, dataDirectory } = options;
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
async function demoAccount(store: AccountStore, filledAgeMs: number | undefined) {
  const { subject, email, name } = DEMO_PERSON;
  const person = { email, name, emailVerified: true };
  const userId = await findOrMakePerson(store, { issuer: LOCAL_ISSUER, subject, ...person });
  const owned = (await listOwnAccounts(store, userId)).find(({ role }) => role === 'owner');
  if (owned) return { accountId: owned.accountId, made: undefined };
  const madeMs = system.clock.now() - (filledAgeMs ?? 0);
  const then = { ...store, clock: { now: () => madeMs } };
  const details = { name: filledAgeMs === undefined ? NAME : FILLED_NAME, person };
  const accountId = await createOwnAccount(asDemoPerson(then, userId), details);
  return { accountId, made: { accountId, userId } };
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

import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { GetCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { DEFAULT_QUOTA_UNITS, DEFAULT_RPM } from '../functions/wiring.ts';
import { keyRefusal, type KeyRecord } from '../functions/core/admission.ts';
import { hashApiKey, SANDBOX_MODE, SANDBOX_SCOPE } from '../functions/core/api-key.ts';
import { readCredentials } from '../functions/core/bearer.ts';
import type { KeyTagSecrets } from '../functions/core/key-tag.ts';
import { SANDBOX_ACCESS } from '../functions/core/operation.ts';
import { createAccount } from '../functions/accounts/accounts.ts';
import { createKey } from '../functions/accounts/api-keys.ts';
import type { ControlPlane } from '../functions/accounts/control-plane.ts';
import { createProject } from '../functions/accounts/projects.ts';
import { itemKey, type TableNames } from '../functions/store/table-items.ts';
import { system } from '../functions/system.ts';
import { demoFile, LOCAL_ACTOR } from './settings.ts';

const Demo = v.object({ projectId: v.string(), keyId: v.string(), key: v.string() });
/** An account, a project and a test key to try the gateway with. */
export type Demo = v.InferOutput<typeof Demo>;

/** The demo of an earlier run, where data is kept and its key still works; else a new one. */
export async function prepareDemo(
  client: DynamoDBDocumentClient,
  tables: TableNames,
  secrets: KeyTagSecrets,
  dataDirectory: string | undefined,
): Promise<Demo> {
  const earlier = dataDirectory === undefined ? undefined : await readDemo(dataDirectory);
  if (earlier && (await isUsable(client, tables, secrets, earlier))) return earlier;

  const actor = () => Promise.resolve(LOCAL_ACTOR);
  const keyTagSecrets = () => Promise.resolve(secrets);
  const plane: ControlPlane = { client, tables, ...system, actor, keyTagSecrets };
  const accountId = await createAccount(plane, { name: 'Demo', email: 'demo@example.com' });
  const projectId = await createProject(plane, { accountId, name: 'Demo', quotaLimit: DEFAULT_QUOTA_UNITS });
  const scopes = new Set([SANDBOX_SCOPE]);
  const newKey = await createKey(plane, { projectId, mode: SANDBOX_MODE, scopes, rpm: DEFAULT_RPM, name: 'Demo' });
  const demo = { projectId, ...newKey };
  if (dataDirectory !== undefined) {
    await replaceFile(demoFile(dataDirectory), `${JSON.stringify(demo, null, 2)}\n`);
  }
  return demo;
}

async function readDemo(dataDirectory: string): Promise<Demo | undefined> {
  try {
    return v.parse(Demo, JSON.parse(await readFile(demoFile(dataDirectory), 'utf8')));
  } catch {
    // Absent or damaged: a new demo replaces it.
    return undefined;
  }
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

/** Writes a file that only its owner can read, all of it or nothing, whatever mode an earlier one had. */
async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.${process.pid}`;
  await rm(temporary, { force: true });
  await writeFile(temporary, text, { mode: 0o600 });
  await rename(temporary, path);
}

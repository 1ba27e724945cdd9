import { afterEach, beforeAll, expect, test } from '@jest/globals';
import { SandboxGateway } from 'sandbox-gateway';
import { SandboxManagement, type KeyCreated } from 'sandbox-gateway/management';
import { charges } from 'sandbox-gateway/testing';
import { asGateway, bytesOf, rawServer, type Step } from '../../support/clients/raw-server.ts';
import { ping, signedIn, type Site } from '../../support/portal-site.ts';
import { shared } from '../../support/shared/client.ts';

/** The management client of the TypeScript library, with the real portal behind a network that breaks. */
let site: Site;
let projectId: string;
let token: string;
beforeAll(async () => {
  site = await shared<Site>('portal');
  const { create, newProject } = await signedIn(site, 'manager@example.com');
  const { account, project } = await newProject();
  projectId = project.split('/').at(-1) ?? '';
  const scopes = ['keys:read', 'keys:write', 'usage:read'];
  ({ token = '' } = await create(`${account}/tokens`, { name: 'CI', scopes, expiresInDays: 1 }));
});
let server: Awaited<ReturnType<typeof rawServer>> | undefined;
afterEach(() => server?.close());
const managementAt = (origin: string) => new SandboxManagement({ token, baseURL: `${origin}/manage/v1` });

const lost: Step = {
  run: async (wire) => {
    await wire.gateway();
    wire.reset();
  },
};
const cutOff: Step = {
  run: async (wire) => {
    await wire.write(bytesOf(await wire.gateway()).subarray(0, -20));
    wire.end();
  },
};

test('of a creation and a rotation whose answers are lost there is one key each, whose secret works', async () => {
  server = await rawServer(site.portalUrl, [lost, cutOff, asGateway, cutOff, lost, asGateway]);
  const management = managementAt(`http://127.0.0.1:${server.port}`);
  const made = await management.keys.create(projectId, { name: 'CI' });
  const works = async ({ key }: KeyCreated): Promise<number> => (await ping(site, key)).status;
  expect(await works(made)).toBe(200);
  const next = await management.keys.rotate(projectId, made.keyId, { graceHours: 1 });
  expect([await works(next), await works(made)]).toEqual([200, 200]);
  const keys = await Array.fromAsync(management.keys.list(projectId, { limit: 1 }));
  expect(keys.map(({ keyId }) => keyId).toSorted()).toEqual([made.keyId, next.keyId].toSorted());
  const [first, , , second] = server.attempts;
  expect(server.attempts.slice(0, 6)).toEqual([first, first, first, second, second, second]);
  await server.close();
  server = undefined;
  await expect(management.keys.get(projectId, made.keyId)).rejects.toMatchObject({ code: 'CONNECTION_FAILED' });
});

test('what a program does with a key is told: units, requests and their causes', async () => {
  const management = managementAt(site.portalUrl);
  const { key, keyId } = await management.keys.create(projectId, { name: 'Job', expiresInHours: 1, unitsLimit: 2 });
  const gateway = new SandboxGateway({ apiKey: key, baseURL: site.url });
  const request = { clientRequestId: 'job-7' };
  const { idempotencyKey, requestId } = await gateway.ping(request);
  await gateway.ping(request, { idempotencyKey });
  await expect(gateway.ping({ ...request, simulate: 'QUOTA_EXCEEDED' })).rejects.toMatchObject({ status: 429 });
  expect(await charges(management, projectId, 'job-7')).toEqual({ charged: 1, replayed: 1, refused: 1 });
  expect(await management.requests.get(requestId)).toMatchObject({ keyId, units: 1, clientRequestId: 'job-7' });
  const { complete, keys } = await management.usage.get(projectId, { by: 'key' });
  expect([complete, keys?.find((each) => each.keyId === keyId)?.units]).toEqual([true, 1]);
  expect(await management.keys.update(projectId, keyId, { paused: true })).toMatchObject({ paused: true });
  expect(await management.keys.revoke(projectId, keyId)).toMatchObject({ status: 'revoked' });
  await expect(management.keys.rotate(projectId, keyId)).rejects.toMatchObject({
    status: 409,
    code: 'KEY_NOT_ACTIVE',
  });
  const projects = await Array.fromAsync(management.projects.list());
  expect(projects).toEqual([expect.objectContaining({ projectId, quotaUsed: expect.any(Number) })]);
});

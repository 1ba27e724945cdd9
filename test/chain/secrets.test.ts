import { describe, expect, test } from '@jest/globals';
import { hashApiKey } from '../../functions/shared/credentials/api-key.ts';
import { revokeKey } from '../../functions/accounts/keys/api-keys.ts';
import { suspendProject } from '../../functions/accounts/projects/projects.ts';
import { recordCalls } from '../support/database.ts';
import { forgedKey, unknownKey } from '../support/keys.ts';
import { gatewayWithTenant, type TestGateway } from '../support/gateway.ts';
import type { TestResponse } from '../support/http.ts';

/** Records the bodies of a client's requests as it sends them. */
function recordBodies({ client }: TestGateway): string[] {
  const bodies: string[] = [];
  client.middlewareStack.add(
    (next) => (args) => {
      const { body } = args.request as { body: Uint8Array };
      bodies.push(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString());
      return next(args);
    },
    { step: 'finalizeRequest', priority: 'low', name: 'recordBodies' },
  );
  return bodies;
}

/** A response without the values that differ in every one. */
const steady = ({ status, headers, body }: TestResponse) => {
  const { 'x-service-request-id': _id, ...others } = headers;
  return { status, headers: others, body: { ...body, requestId: '' } as TestResponse['body'] };
};

test('of a request only digests reach the database, and its clientRequestId in its usage event', async () => {
  const { gateway, key, projectId, keyId } = await gatewayWithTenant({ quotaLimit: 1 });
  const bodies = recordBodies(gateway);
  const headers = { 'idempotency-key': 'an-idempotency-key' };
  const body = { clientRequestId: 'the-client-request-id', other: 'another-member' };
  const statuses = [];
  for (const request of [{ headers, body }, { headers, body }, { headers }, { body }, { body: 'another-member' }]) {
    statuses.push((await gateway.ping(key, request)).status);
  }
  await revokeKey(gateway.store, projectId, keyId);
  statuses.push((await gateway.ping(key, { headers, body })).status);
  expect(statuses).toEqual([200, 200, 409, 429, 400, 401]);

  const sent = bodies.join('\n');
  expect(sent).toContain(hashApiKey(key));
  expect(sent).not.toContain(key.slice('svc_test_'.length + projectId.length));
  expect(sent).not.toMatch(/svc_test|Bearer|an-idempotency-key|another-member/);
  const naming = bodies.filter((text) => text.includes('the-client-request-id'));
  expect(naming.every((text) => /"event":\{"S":"[a-z_]+"\}/.test(text))).toBe(true);
  expect(sent.match(/the-client-request-id/g)).toHaveLength(naming.length);
  expect(sent.match(/"clientRequestId":\{"S":"the-client-request-id"\}/g)).toHaveLength(naming.length);
});

test('a forged key, its checksum right and another project named in it, costs no call and is answered as an unknown one', async () => {
  const { gateway, key, projectId } = await gatewayWithTenant();
  const record = recordCalls(gateway.client);
  const answers = [];
  for (const forged of [forgedKey(projectId), forgedKey('NoSuchProj00'), forgedKey(projectId, 'live')])
    answers.push(steady(await gateway.ping(forged)));
  expect(record.commands).toEqual([]);
  const unknown = steady(await gateway.ping(unknownKey(projectId)));
  expect(record.commands.length).toBeGreaterThan(0);
  for (const answer of answers) expect(answer).toEqual(unknown);
  expect((await gateway.ping(key)).status).toBe(200);
});

describe('a key that was never made and names another project', () => {
  test('is answered as one that names none, costs the same calls, and leaves nothing in that project', async () => {
    const { gateway, projectId } = await gatewayWithTenant({ quotaLimit: 0, rpm: 1 });
    const record = recordCalls(gateway.client);
    const answerTo = async (named: string) => {
      record.commands.length = 0;
      record.roundTrips = 0;
      const response = steady(await gateway.ping(unknownKey(named)));
      return { response, commands: [...record.commands].sort(), roundTrips: record.roundTrips };
    };
    const ofStranger = await answerTo('NoSuchProj00');
    expect(await answerTo(projectId)).toEqual(ofStranger);
    expect(ofStranger.response.body.code).toBe('INVALID_API_KEY');
    expect(Object.keys(ofStranger.response.headers).filter((name) => /ratelimit|quota/.test(name))).toEqual([]);
    expect(ofStranger.commands.length).toBeGreaterThan(0);
    expect(await gateway.events(projectId)).toEqual([]);
  });

  test('with a wrong checksum it costs no call', async () => {
    const { gateway, projectId } = await gatewayWithTenant();
    const record = recordCalls(gateway.client);
    const forged = unknownKey(projectId);
    await gateway.ping(`${forged.slice(0, -1)}${forged.endsWith('a') ? 'b' : 'a'}`);
    expect(record.commands).toEqual([]);
  });

  test.each(['suspended', 'active'])('a revoked key tells nothing of its project either (%s)', async (status) => {
    const { gateway, key, keyId, projectId } = await gatewayWithTenant({ quotaLimit: 3 });
    await revokeKey(gateway.store, projectId, keyId);
    if (status === 'suspended') await suspendProject(gateway.store, projectId);
    const response = await gateway.ping(key);
    expect(response.body.code).toBe('API_KEY_REVOKED');
    expect(response.text).not.toContain(projectId);
    expect(Object.keys(response.headers).filter((name) => /ratelimit|quota/.test(name))).toEqual([]);
  });
});

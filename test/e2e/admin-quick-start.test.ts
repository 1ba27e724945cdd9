import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { portalStackNameOf, PORTAL_STACK_OUTPUTS, stackNameOf, STACK_OUTPUTS } from '../../functions/shared/names.ts';
import { PING_PATH } from '../../functions/gateway/operations/ping.ts';
import { LOCAL_KEY_TAG_SECRET, LOCAL_TABLES } from '../../local/settings.ts';
import { admin, adminOnAws } from '../support/admin.ts';
import { startCloudFormation, startSecretsManager, startSts } from '../support/aws-services.ts';
import { createClient, documentClient } from '../../functions/shared/store/client.ts';
import { itemKey } from '../../functions/shared/store/items.ts';
import { addressAs, variablesOf } from '../support/door/callers.ts';
import { adminProcess, end, startGateway, type RunningGateway, type Variables } from '../support/processes.ts';

/** A database of its own: the command’s ids are the same in each. */
let gateway: RunningGateway;
let here: Variables;
beforeAll(async () => {
  gateway = await startGateway();
  here = { DYNAMODB_PORT: new URL(gateway.databaseUrl).port, PORT: new URL(gateway.url).port };
});
afterAll(() => end(gateway));

const run = async (...args: string[]) => (await admin(['quick-start', '--local', '--json', ...args], here)).json;
const ping = (key: unknown) =>
  fetch(gateway.url + PING_PATH, {
    method: 'POST',
    headers: { authorization: `Bearer ${String(key)}`, 'content-type': 'application/json' },
    body: '{}',
  });

describe('quick-start', () => {
  test('leads from nothing to a ping, and again to another key of the same project', async () => {
    const first = await run();
    expect(Object.keys(first)).toEqual(['accountId', 'projectId', 'keyId', 'key', 'gatewayUrl', 'portalUrl']);
    expect(first).toMatchObject({ gatewayUrl: gateway.url, portalUrl: 'http://localhost:5173' });
    expect((await ping(first.key)).status).toBe(200);
    const { accountId, projectId, key } = await run();
    expect({ accountId, projectId }).toEqual({ accountId: first.accountId, projectId: first.projectId });
    expect(key).not.toBe(first.key);
    expect((await ping(key)).status).toBe(200);
  });

  test('makes one account and one project, however many run at once', async () => {
    const other = await startGateway();
    const there = { DYNAMODB_PORT: new URL(other.databaseUrl).port };
    try {
      const runs = await Promise.all(
        Array.from({ length: 5 }, () => adminProcess(['quick-start', '--local', '--json'], there)),
      );
      expect(runs.map(({ status, stderr }) => [status, stderr])).toEqual(runs.map(() => [0, '']));
      expect(new Set(runs.map(({ json }) => json.projectId)).size).toBe(1);
      expect(new Set(runs.map(({ json }) => json.key)).size).toBe(5);
      const { json } = await admin(['project', 'list', '--local', '--json'], there);
      const projects = json.projects as { projectId: string; name: string }[];
      expect(projects.filter(({ name }) => name === 'Quick start')).toHaveLength(1);
    } finally {
      await end(other);
    }
  });

  test('says in words what it made, and prints the request to send', async () => {
    const { stdout } = await admin(['quick-start', '--local'], { ...here, PORTAL: 'off' });
    expect(stdout).toMatch(/^portal +none is deployed$/m);
    const [, key] =
      /^ curl -i \S+\/api\/v1\/sandbox\/ping -H 'Authorization: Bearer (svc_test_\w+)'/m.exec(stdout) ?? [];
    expect((await ping(key)).status).toBe(200);
    expect((await admin(['quick-start', '--local'], here)).stdout).toMatch(
      /member add --account acc_\w+ .* --role owner --local/,
    );
  });

  test('begins anew where the account was closed', async () => {
    const { accountId } = await run();
    const client = documentClient(createClient(addressAs('test', gateway.databaseUrl)));
    await client.send(
      new UpdateCommand({
        TableName: LOCAL_TABLES.gateway,
        Key: itemKey.account(String(accountId)),
        UpdateExpression: 'SET #status = :closed',
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: { ':closed': 'closed' },
      }),
    );
    client.destroy();
    const next = await run();
    expect(next.accountId).not.toBe(accountId);
    expect((await ping(next.key)).status).toBe(200);
  });

  test('makes no key that would be refused: a suspended project is named, with what ends it', async () => {
    const { projectId } = await run();
    await admin(['project', 'suspend', '--project', String(projectId), '--local', '--yes'], here);
    const refused = await admin(['quick-start', '--local'], here);
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('is suspended')]);
    await admin(['project', 'resume', '--project', String(projectId), '--local'], here);
  });

  test('tells the addresses of a deployed stage', async () => {
    const secretArn = 'arn:aws:secretsmanager:us-east-1:123456789012:secret:KeyTagSecret-AbCdEf';
    const [formation, sts, secrets] = await Promise.all([
      ...([startCloudFormation(), startSts(), startSecretsManager(secretArn)] as const),
    ]);
    formation.stacks.set(stackNameOf('anna'), {
      [STACK_OUTPUTS.apiUrl]: 'https://example.execute-api.us-east-1.amazonaws.com',
      [STACK_OUTPUTS.gatewayTableName]: LOCAL_TABLES.gateway,
      [STACK_OUTPUTS.usageTableName]: LOCAL_TABLES.usage,
      [STACK_OUTPUTS.quotaPeriod]: 'day',
      [STACK_OUTPUTS.defaultRpm]: '7',
      [STACK_OUTPUTS.defaultQuotaUnits]: 'none',
      [STACK_OUTPUTS.usageRetentionDays]: '100',
      [STACK_OUTPUTS.keyTagSecretArn]: secretArn,
      [STACK_OUTPUTS.keyTagSecretVersion]: 'AWSCURRENT',
    });
    sts.arn = 'arn:aws:sts::123456789012:assumed-role/Operators/ada';
    secrets.versions.set('AWSCURRENT', LOCAL_KEY_TAG_SECRET);
    const aws = {
      ...variablesOf('operator'),
      AWS_ENDPOINT_URL_DYNAMODB: gateway.databaseUrl,
      AWS_ENDPOINT_URL_CLOUDFORMATION: formation.url,
      AWS_ENDPOINT_URL_STS: sts.url,
      AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.url,
    };
    const onAnna = async () => (await adminOnAws(['quick-start', '--stage', 'anna', '--json'], aws)).json;
    expect(await onAnna()).toMatchObject({
      gatewayUrl: 'https://example.execute-api.us-east-1.amazonaws.com',
      portalUrl: null,
    });
    formation.stacks.set(portalStackNameOf('anna'), { [PORTAL_STACK_OUTPUTS.url]: 'https://d1.cloudfront.net' });
    expect(await onAnna()).toMatchObject({ portalUrl: 'https://d1.cloudfront.net' });
    for (const service of [formation, sts, secrets]) service.close();
  });
});

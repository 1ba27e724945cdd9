import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { portalStackNameOf } from '../../lib/stack-names.ts';
import { itemKey } from '../../functions/shared/store/items.ts';
import { LOCAL_TABLES } from '../../local/settings.ts';
import { admin } from '../support/admin.ts';
import { cliOfGateway, type GatewayCli } from '../support/cli.ts';
import { deployedStage, OUTPUTS, STAGE } from '../support/deployed-stage.ts';
import { portOf, type Variables } from '../support/processes.ts';

/** No other file uses the command there: its ids are the same in each database. */
let cli: GatewayCli;
let here: Variables;
beforeAll(async () => {
  cli = await cliOfGateway();
  here = { ...cli.here, PORT: portOf(cli.url) };
});
afterAll(() => cli.close());

const run = async () => (await admin(['quick-start', '--local', '--json'], here)).json;
const statusOf = async (key: unknown) => (await cli.ping(String(key))).status;

describe('quick-start', () => {
  test('makes one account and one project, however many run at once', async () => {
    const runs = await Promise.all(Array.from({ length: 5 }, run));
    expect(Object.keys(runs[0] ?? {})).toEqual(['accountId', 'projectId', 'keyId', 'key', 'gatewayUrl', 'portalUrl']);
    expect(runs[0]).toMatchObject({ gatewayUrl: cli.url, portalUrl: 'http://localhost:5173' });
    for (const { key } of runs) expect(await statusOf(key)).toBe(200);
    expect(new Set(runs.map(({ projectId }) => projectId)).size).toBe(1);
    expect(new Set(runs.map(({ key }) => key)).size).toBe(5);
    const projects = (await cli.json('project', 'list')).projects as { name: string }[];
    expect(projects.filter(({ name }) => name === 'Quick start')).toHaveLength(1);
  });

  test('says in words what it made, and prints the request to send', async () => {
    const { stdout } = await admin(['quick-start', '--local'], { ...here, PORTAL: 'off' });
    expect(stdout).toMatch(/^portal +none is deployed$/m);
    const [, key] =
      /^ curl -i \S+\/api\/v1\/sandbox\/ping -H 'Authorization: Bearer (svc_test_\w+)'/m.exec(stdout) ?? [];
    expect(await statusOf(key)).toBe(200);
    expect((await admin(['quick-start', '--local'], here)).stdout).toMatch(
      /member add --account acc_\w+ .* --role owner --local/,
    );
  });

  test('begins anew where the account was closed', async () => {
    const { accountId } = await run();
    await cli.store.client.send(
      new UpdateCommand({
        TableName: LOCAL_TABLES.gateway,
        Key: itemKey.account(String(accountId)),
        UpdateExpression: 'SET #status = :closed',
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: { ':closed': 'closed' },
      }),
    );
    const next = await run();
    expect(next.accountId).not.toBe(accountId);
    expect(await statusOf(next.key)).toBe(200);
  });

  test('makes no key that would be refused: a suspended project is named, with what ends it', async () => {
    const { projectId } = await run();
    await admin(['project', 'suspend', '--project', String(projectId), '--local', '--yes'], here);
    const refused = await admin(['quick-start', '--local'], here);
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('is suspended')]);
    await admin(['project', 'resume', '--project', String(projectId), '--local'], here);
  });

  test('tells the addresses of a deployed stage', async () => {
    const aws = await deployedStage(cli.databaseUrl);
    const told = async () => (await aws.run(['quick-start'])).json;
    expect(await told()).toMatchObject({ gatewayUrl: OUTPUTS.ApiUrl, portalUrl: null });
    aws.cloudFormation.stacks.set(portalStackNameOf(STAGE), {
      PortalUrl: 'https://d1.cloudfront.net',
    });
    expect(await told()).toMatchObject({ portalUrl: 'https://d1.cloudfront.net' });
    aws.close();
  });
});

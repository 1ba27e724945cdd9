import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { PING_PATH } from '../../functions/gateway/operations/ping.ts';
import { LOCAL_KEY_TAG_SECRET } from '../../local/settings.ts';
import { variablesOf } from '../support/door/callers.ts';
import { admin, adminOnAws } from '../support/admin.ts';
import { adminProcess, end, portOf, startGateway, type RunningGateway, type Variables } from '../support/processes.ts';
import { startSts, type TestSts } from '../support/aws-services.ts';

const ARN = 'arn:aws:sts::123456789012:assumed-role/Operators/ada';

let gateway: RunningGateway;
let sts: TestSts;
let accountId: string;

/** A person of the platform team with AWS credentials, on a database that need not be local. */
const aws = (): Variables => ({
  AWS_ENDPOINT_URL: gateway.databaseUrl,
  AWS_ENDPOINT_URL_STS: sts.url,
  ...variablesOf('operator'),
  GATEWAY_TABLE: 'Gateway',
  USAGE_TABLE: 'Usage',
});
const updateTo = (name: string) => ['account', 'update', '--account', accountId, '--name', name, '--json'];
const update = (name: string, variables: Variables, ...options: string[]) =>
  adminOnAws([...updateTo(name), ...options], variables);
const actors = async () => {
  const { json } = await adminOnAws(['audit', 'list', '--account', accountId, '--json'], aws());
  return (json.events as { actor: string }[]).map(({ actor }) => actor);
};

beforeAll(async () => {
  [gateway, sts] = await Promise.all([startGateway(), startSts()]);
});
beforeEach(async () => {
  Object.assign(sts, { arn: ARN, asked: 0 });
  const create = ['account', 'create', '--name', 'A', '--email', 'a@example.com', '--json', '--local'];
  accountId = String((await admin(create, { DYNAMODB_PORT: portOf(gateway.databaseUrl) })).json.accountId);
});
afterAll(async () => {
  sts.close();
  await end(gateway);
});

describe('the actor of a change', () => {
  test('is the AWS identity whose credentials are used; reading asks for none', async () => {
    expect((await update('B', aws())).status).toBe(0);
    expect(sts.asked).toBe(1);
    expect(await actors()).toEqual(['local', ARN]);
    expect(sts.asked).toBe(1);
  });

  test('is local with --local and on a database of this machine, and STS is not asked', async () => {
    expect((await update('B', { ...aws(), DYNAMODB_PORT: portOf(gateway.databaseUrl) }, '--local')).status).toBe(0);
    expect((await update('C', { ...aws(), AWS_ENDPOINT_URL_DYNAMODB: gateway.databaseUrl })).status).toBe(0);
    expect(await actors()).toEqual(['local', 'local', 'local']);
    expect(sts.asked).toBe(0);
  });

  test.each([
    [
      'an identity that has expired',
      { arn: undefined },
      {},
      '\\(ExpiredToken: It has expired.\\)\\. Sign in again: .*',
    ],
    [
      'an STS that does not answer',
      {},
      { AWS_ENDPOINT_URL_STS: 'http://127.0.0.1:1' },
      /\(.*ECONNREFUSED.*\)\./.source,
    ],
  ])('that cannot be found out ends the change with one line: %s', async (_what, state, variables, cause) => {
    Object.assign(sts, state);
    const { status, stdout, stderr } = await adminProcess(updateTo('B'), { ...aws(), ...variables });
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(
      new RegExp(
        `^error: Nothing was changed, since the audit could not say by whom: AWS STS cannot be asked ${cause}\n$`,
      ),
    );
    const shown = await adminOnAws(['account', 'show', '--account', accountId, '--json'], aws());
    expect(shown.json).toMatchObject({ accountId, name: 'A' });
  });
});

describe('a key on tables that are named', () => {
  const create = () => ['key', 'create', '--project', gateway.projectId, '--mode', 'test', '--json'];
  const pinged = async (key: unknown) => {
    const headers = { Authorization: `Bearer ${String(key)}`, 'Content-Type': 'application/json' };
    return (await fetch(gateway.url + PING_PATH, { method: 'POST', headers, body: '{}' })).status;
  };

  test('is tagged under KEY_TAG_SECRETS; without them none is made', async () => {
    const made = await adminOnAws(create(), { ...aws(), KEY_TAG_SECRETS: LOCAL_KEY_TAG_SECRET });
    expect(await pinged(made.json.key)).toBe(200);
    expect(await adminOnAws(create(), aws())).toMatchObject({
      status: 1,
      stdout: '',
      stderr: "error: KEY_TAG_SECRETS is not set. Give the gateway's, or use --stage or --local.\n",
    });
    expect((await adminOnAws(create(), { ...aws(), KEY_TAG_SECRETS: 'canary' })).stderr).toMatch(
      /^error: KEY_TAG_SECRETS must be one or more secrets, (?!.*canary).*\n$/,
    );
  });

  test('is one of npm start’s where the database is on this machine, and with --local whatever is set', async () => {
    const here = { ...aws(), AWS_ENDPOINT_URL_DYNAMODB: gateway.databaseUrl };
    expect(await pinged((await adminOnAws(create(), here)).json.key)).toBe(200);
    const local = { DYNAMODB_PORT: portOf(gateway.databaseUrl), KEY_TAG_SECRETS: 'x'.repeat(40) };
    expect(await pinged((await admin([...create(), '--local'], local)).json.key)).toBe(200);
  });
});

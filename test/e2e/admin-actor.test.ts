import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { LOCAL_KEY_TAG_SECRET } from '../../local/settings.ts';
import { adminOnAws } from '../support/admin.ts';
import { cliOfGateway, type GatewayCli } from '../support/cli.ts';
import { variablesOf } from '../support/iam-proxy/callers.ts';
import { ARN, deployedStage, type DeployedStage } from '../support/deployed-stage.ts';
import type { Variables } from '../support/processes.ts';

let cli: GatewayCli;
let aws: DeployedStage;
let accountId: string;
/** Somebody with AWS credentials, on tables that are named, in a database that need not be local. */
let named: Variables;
/** The same on a database of this machine. */
let here: Variables;

beforeAll(async () => {
  cli = await cliOfGateway();
  aws = await deployedStage(cli.databaseUrl);
  here = { ...aws.variables, GATEWAY_TABLE: 'Gateway', USAGE_TABLE: 'Usage' };
  const { AWS_ENDPOINT_URL_DYNAMODB: url = '', ...others } = here;
  named = { ...others, AWS_ENDPOINT_URL: url };
});
beforeEach(async () => {
  aws.reset();
  accountId = await cli.newAccount();
});
afterAll(() => {
  aws.close();
  cli.close();
});

const update = (name: string, variables: Variables, ...options: string[]) =>
  adminOnAws(['account', 'update', '--account', accountId, '--name', name, '--json', ...options], variables);
const actors = async () => {
  const { json } = await adminOnAws(['audit', 'list', '--account', accountId, '--json'], named);
  return (json.events as { actor: string }[]).map(({ actor }) => actor);
};

describe('the actor of a change', () => {
  test('is the AWS identity whose credentials are used; reading asks for none', async () => {
    expect((await update('B', named)).status).toBe(0);
    expect(await actors()).toEqual(['local', ARN]);
    expect(aws.sts.asked).toBe(1);
  });

  test('is local with --local and on a database of this machine, and STS is not asked', async () => {
    expect((await update('B', { ...named, ...cli.here }, '--local')).status).toBe(0);
    expect((await update('C', here)).status).toBe(0);
    expect(await actors()).toEqual(['local', 'local', 'local']);
    expect(aws.sts.asked).toBe(0);
  });

  test('that cannot be found out ends the change with one line', async () => {
    aws.sts.arn = undefined;
    const { status, stdout, stderr } = await update('B', named);
    expect([status, stdout]).toEqual([1, '']);
    const nothing = 'Nothing was changed, since the audit could not say by whom: AWS STS cannot be asked';
    expect(stderr).toMatch(`error: ${nothing} (ExpiredToken: It has expired.). Sign in again: `);
    expect(stderr.split('\n')).toHaveLength(2);
    expect(await cli.json('account', 'show', '--account', accountId)).toMatchObject({ name: 'Team' });
  });
});

describe('a key on tables that are named', () => {
  const create = () => ['key', 'create', '--project', cli.projectId, '--mode', 'test', '--json'];
  const statusOf = async (key: unknown) => (await cli.ping(String(key))).status;

  test('is tagged under KEY_TAG_SECRETS; without them none is made', async () => {
    const made = await adminOnAws(create(), { ...named, KEY_TAG_SECRETS: LOCAL_KEY_TAG_SECRET });
    expect(await statusOf(made.json.key)).toBe(200);
    expect(await adminOnAws(create(), named)).toMatchObject({
      status: 1,
      stdout: '',
      stderr: "error: KEY_TAG_SECRETS is not set. Give the gateway's, or use --stage or --local.\n",
    });
    expect((await adminOnAws(create(), { ...named, KEY_TAG_SECRETS: 'canary' })).stderr).toMatch(
      /^error: KEY_TAG_SECRETS must be one or more secrets, (?!.*canary).*\n$/,
    );
  });

  test('is one of npm start’s where the database is on this machine, and with --local whatever is set', async () => {
    expect(await statusOf((await adminOnAws(create(), here)).json.key)).toBe(200);
    // Neither credentials nor tables nor an endpoint of AWS lead elsewhere.
    const elsewhere = {
      AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:1',
      GATEWAY_TABLE: 'Other',
      USAGE_TABLE: 'Other',
      AWS_PROFILE: 'mine',
      AWS_USE_FIPS_ENDPOINT: 'true',
      AWS_USE_DUALSTACK_ENDPOINT: 'true',
      KEY_TAG_SECRETS: 'x'.repeat(40),
    };
    const local = await adminOnAws([...create(), '--local'], { ...elsewhere, ...cli.here });
    expect(await statusOf(local.json.key)).toBe(200);
  });
});

test.each([
  [{}, /^error: GATEWAY_TABLE is not set\..*\n$/],
  // The policies do not name these tables, so a caller without permission would get another error.
  [{ GATEWAY_TABLE: 'Other', USAGE_TABLE: 'Other' }, /^error: The database has no such tables\.\n$/],
])('on tables that are not there or not named, a command ends with one line: %j', async (tables, message) => {
  const { AWS_ENDPOINT_URL_DYNAMODB: url = '' } = here;
  const result = await adminOnAws(['key', 'list', '--project', cli.projectId], {
    AWS_ENDPOINT_URL_DYNAMODB: url,
    ...variablesOf('test'),
    ...tables,
  });
  expect(result).toMatchObject({ status: 1, stdout: '', stderr: expect.stringMatching(message) });
});

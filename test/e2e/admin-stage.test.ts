import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { stackNameOf } from '../../lib/stack-names.ts';
import { hasKeyTag, readKeyTagSecrets } from '../../functions/shared/credentials/api-key.ts';
import { adminOnAws } from '../support/admin.ts';
import { cliAlone, type OwnCli } from '../support/cli.ts';
import { ARN, deployedStage, OUTPUTS, SECRET_ARN, STAGE, type DeployedStage } from '../support/deployed-stage.ts';

const [SECRET, OTHER_SECRET] = ['a-secret-of-the-stage-that-is-long', 'another-of-its-secrets-also-as-long'];
const TODAY = () => new Date().toISOString().slice(0, 'YYYY-MM-DD'.length);

let cli: OwnCli;
let aws: DeployedStage;
beforeAll(async () => {
  cli = await cliAlone();
});
beforeEach(async () => {
  aws = await deployedStage(cli.databaseUrl);
});
afterEach(() => {
  aws.close();
});
afterAll(() => cli.close());

/** What the stack says of itself is another thing. */
const outputs = (others: Readonly<Record<string, string>>) =>
  aws.cloudFormation.stacks.set(stackNameOf(STAGE), { ...OUTPUTS, ...others });
const createAccount = ['account', 'create', '--name', 'S', '--email', 's@example.com'];
/** A project on the stage, created with these options. */
async function newProject(...options: string[]): Promise<string> {
  const { accountId } = (await aws.run(createAccount)).json;
  const project = await aws.run(['project', 'create', '--account', String(accountId), '--name', 'S', ...options]);
  return String(project.json.projectId);
}
async function stored(projectId: string) {
  const Key = { pk: `PROJECT#${projectId}`, sk: 'PROJECT' };
  return (await cli.store.client.send(new GetCommand({ TableName: 'Gateway', Key }))).Item;
}

describe('--stage', () => {
  test('works on the tables of the deployed stack, whatever tables the environment names', async () => {
    const projectId = await newProject();
    expect(await stored(projectId)).toMatchObject({ projectId });
    expect(new Set(aws.cloudFormation.asked)).toEqual(new Set(['SandboxGateway-prod']));
    const elsewhere = { GATEWAY_TABLE: 'Other', USAGE_TABLE: 'Other' };
    expect((await aws.run(['key', 'list', '--project', projectId], elsewhere)).json).toEqual({ keys: [] });
  });

  test('audits changes under the AWS identity, also where the database is reached through this machine', async () => {
    const { accountId } = (await aws.run(createAccount)).json;
    const { events } = (await aws.run(['audit', 'list', '--account', String(accountId)])).json;
    expect(events).toMatchObject([{ action: 'account.create', actor: ARN }]);
  });

  test('makes projects and keys with the limits of the stage, unless others are asked for', async () => {
    const projectId = await newProject();
    expect(await stored(projectId)).toMatchObject({ quotaLimit: 500 });
    expect(await stored(await newProject('--quota', '3'))).toMatchObject({ quotaLimit: 3 });
    expect(await stored(await newProject('--quota', 'none'))).not.toHaveProperty('quotaLimit');
    const create = ['key', 'create', '--project', projectId, '--mode', 'test'];
    const { keyId: usual } = (await aws.run(create)).json;
    const { keyId: fast } = (await aws.run([...create, '--rpm', '60'])).json;
    const { keys } = (await aws.run(['key', 'list', '--project', projectId])).json as {
      keys: { keyId: string; rpm: number }[];
    };
    const rpm = new Map(keys.map((key) => [key.keyId, key.rpm]));
    expect([rpm.get(String(usual)), rpm.get(String(fast))]).toEqual([7, 60]);
  });

  test('makes projects without a quota where the stage enforces none', async () => {
    outputs({ DefaultQuotaUnits: 'none' });
    expect(await stored(await newProject())).not.toHaveProperty('quotaLimit');
  });

  test('verifies ledgers by the period of the stage', async () => {
    const projectId = await newProject();
    const counter = { pk: `PROJECT#${projectId}`, sk: `QUOTA#${TODAY()}`, units: 2 };
    await cli.put('Gateway', counter);
    const one = await aws.run(['ledger', 'verify', '--project', projectId], { QUOTA_PERIOD: 'day' });
    const difference = { atLeast: -2, atMost: -2 };
    expect(one.json).toEqual({ consistent: false, quotaUsed: 2, ledgerUnits: 0, difference, period: TODAY() });
    const all = await aws.run(['ledger', 'verify', '--all']);
    expect(all).toMatchObject({ status: 1, stderr: '' });
    expect(all.json.inconsistent).toEqual([{ projectId, quotaUsed: 2, ledgerUnits: 0, difference }]);
  });

  test('verifies no period whose events the stage no longer keeps', async () => {
    const day = (daysAgo: number) => new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10);
    const verify = (period: string) => aws.run(['ledger', 'verify', '--all', '--period', period]);
    expect((await verify(day(98))).status).toBe(0);
    expect((await verify(day(101))).stderr).toBe(`error: The usage events of ${day(101)} are no longer all kept.\n`);
  });

  test('refuses to verify by a QUOTA_PERIOD that is not the stage’s; other commands need none', async () => {
    const projectId = await newProject();
    const monthly = { QUOTA_PERIOD: 'month' };
    expect(await aws.run(['ledger', 'verify', '--project', projectId], monthly)).toMatchObject({
      status: 1,
      stdout: '',
      stderr: 'error: QUOTA_PERIOD does not agree with the stage, which has day: unset it.\n',
    });
    expect((await aws.run(['key', 'list', '--project', projectId], monthly)).status).toBe(0);
  });

  test('tags keys under the newest secret that the stage’s functions have, and asks for it only when it makes one', async () => {
    const { secretsManager } = aws;
    const projectId = await newProject();
    await aws.run(['key', 'list', '--project', projectId]);
    expect(secretsManager.asked).toEqual([]);
    secretsManager.versions.set('AWSCURRENT', SECRET);
    const create = ['key', 'create', '--project', projectId, '--mode', 'test'];
    const made = (await aws.run(create)).json;
    const version = '5a1d7c3e-0000-4000-8000-000000000000';
    secretsManager.versions.set(version, `${OTHER_SECRET},${SECRET}`);
    outputs({ KeyTagSecretVersion: version });
    const rotated = (await aws.run(['key', 'rotate', '--project', projectId, '--key', String(made.keyId)])).json;
    expect(secretsManager.asked).toEqual(['AWSCURRENT', version]);
    const tagged = ({ key }: typeof made, secret: string) => hasKeyTag(String(key), readKeyTagSecrets('S', secret));
    expect([tagged(made, SECRET), tagged(made, OTHER_SECRET)]).toEqual([true, false]);
    expect([tagged(rotated, SECRET), tagged(rotated, OTHER_SECRET)]).toEqual([false, true]);
  });

  test('makes keys with the prefix of the stage, the default of a version without one, and hides those of any', async () => {
    const projectId = await newProject();
    const create = ['key', 'create', '--project', projectId, '--mode', 'test'];
    expect((await aws.run(create)).json.key).toMatch(/^svc_test_/);
    outputs({ KeyPrefixes: 'acme,svc' });
    const { key } = (await aws.run(create)).json;
    expect(key).toMatch(/^acme_test_[0-9A-Za-z]{42}$/);
    for (const shown of [String(key), String(key).replace('acme', 'other')]) {
      const { status, stdout, stderr } = await aws.run(['key', 'list', '--project', projectId, `--${shown}`]);
      expect([status, stdout]).toEqual([1, '']);
      expect(stderr).not.toContain(shown.slice(-12));
    }
  });

  test('makes no key when the secret cannot be had or used, and never shows it', async () => {
    const projectId = await newProject();
    const create = ['key', 'create', '--project', projectId, '--mode', 'test'];
    const refused = async (message: unknown) =>
      expect(await aws.run(create)).toMatchObject({ status: 1, stdout: '', stderr: message });
    const { secretsManager } = aws;
    secretsManager.versions.set('AWSCURRENT', 'short-canary');
    await refused(expect.stringMatching(/^error: The secret arn:\S+ must be one or more secrets, (?!.*canary).*\n$/));
    secretsManager.versions.clear();
    await refused(
      `error: No key was made: the secret ${SECRET_ARN} cannot be read (ResourceNotFoundException: Secrets Manager can't find it.).\n`,
    );
    outputs({ KeyTagSecretArn: '' });
    await refused('error: The stack SandboxGateway-prod has no output KeyTagSecretArn; deploy it with this version.\n');
    expect((await aws.run(['key', 'list', '--project', projectId])).json).toEqual({ keys: [] });
  });
});

describe('a stage that cannot be used gets one clear line, exit status 1 and an empty stdout', () => {
  const LIST = ['key', 'list', '--project', 'P'];
  const refused = (stderr: unknown) => ({ status: 1, stdout: '', stderr });

  test('a stack that is not there', async () => {
    aws.cloudFormation.stacks.clear();
    expect(await aws.run(LIST)).toMatchObject(
      refused(
        'error: There is no stack SandboxGateway-prod in this account and region: set AWS_PROFILE and AWS_REGION to those of the stage.\n',
      ),
    );
  });

  test('a stack without an output that is read', async () => {
    const { UsageRetentionDays: _one, ...others } = OUTPUTS;
    aws.cloudFormation.stacks.set(stackNameOf(STAGE), others);
    expect(await aws.run(LIST)).toMatchObject(
      refused('error: The stack SandboxGateway-prod has no output UsageRetentionDays; deploy it with this version.\n'),
    );
  });

  test.each([
    ['QuotaPeriod', 'week', 'QuotaPeriod must be month or day.'],
    ['DefaultRpm', 'many', "The stack's output DefaultRpm cannot be used. Give a whole number from 1 to 1000000."],
  ])('a stack whose output %s is %s', async (name, value, message) => {
    outputs({ [name]: value });
    expect(await aws.run(LIST)).toMatchObject(refused(`error: ${message}\n`));
  });

  test('no permission to read it', async () => {
    aws.cloudFormation.refusal = 'AccessDenied';
    expect(await aws.run(LIST)).toMatchObject(
      refused(
        'error: The stack SandboxGateway-prod cannot be read (AccessDenied: You may not.). Attach the policy of the output CliPolicyArn of SandboxGateway-<stage>-data.\n',
      ),
    );
  });

  test('a CloudFormation that does not answer', async () => {
    aws.close();
    const away = { AWS_ENDPOINT_URL_CLOUDFORMATION: 'http://127.0.0.1:1' };
    expect(await aws.run(LIST, away)).toMatchObject(
      refused(expect.stringMatching(/^error: The stack SandboxGateway-prod cannot be read \(.*ECONNREFUSED.*\)\.\n$/)),
    );
  });

  test.each([
    [
      'region',
      ['AWS_REGION'],
      /^error: The stack SandboxGateway-prod cannot be read \(Error: Region is missing\)\. Set AWS_REGION, or AWS_PROFILE to a profile that has one\.\n$/,
    ],
    [
      'credentials',
      ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'],
      /^error: The stack SandboxGateway-prod cannot be read \(CredentialsProviderError: .*\)\. Sign in \(.*\), and set AWS_PROFILE\.\n$/,
    ],
  ])('no %s', async (_, missing, message) => {
    const rest = Object.entries(aws.variables).filter(([name]) => !missing.includes(name));
    // Neither the settings of this machine nor those of a cloud that it may run in.
    const none = { HOME: '/nowhere', AWS_EC2_METADATA_DISABLED: 'true' };
    aws.close();
    const result = await adminOnAws([...LIST, '--stage', STAGE], { ...Object.fromEntries(rest), ...none });
    expect(result).toMatchObject(refused(expect.stringMatching(message)));
  });
});

import {
  CodeDeployClient,
  DeploymentAlreadyCompletedException,
  GetDeploymentCommand,
  ListDeploymentsCommand,
  StopDeploymentCommand,
} from '@aws-sdk/client-codedeploy';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import {
  GetAliasCommand,
  LambdaClient,
  ListVersionsByFunctionCommand,
  PreconditionFailedException,
  UpdateAliasCommand,
} from '@aws-sdk/client-lambda';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import { policyFor } from '../../bin/admin/policy-statements.ts';
import { runProgram } from '../../bin/admin/command-line.ts';
import { rollbackProgram } from '../../bin/rollback/program.ts';
import { inShell } from '../support/admin.ts';
import { actionsAsked, deployedStack, noStack } from '../support/deployed-stack.ts';

const cloudFormation = mockClient(CloudFormationClient);
const lambda = mockClient(LambdaClient);
const codeDeploy = mockClient(CodeDeployClient);
// Other files of this worker use the same classes (test/support/environment.mjs).
afterAll(() => {
  for (const mock of [cloudFormation, lambda, codeDeploy]) mock.restore();
});

const outputsOf = (...planes: string[]) =>
  Object.fromEntries(
    planes.flatMap((plane) =>
      ['FunctionName', 'DeploymentApplication', 'DeploymentGroup'].map((name) => [plane + name, `the-${plane}${name}`]),
    ),
  );
const DEPLOYED = {
  ...{ partition: 'aws', region: 'eu-central-1', account: '123456789012', stage: 'prod' },
  ...{ stackName: 'SandboxGateway-prod', keyTagSecretArn: '', tables: { gateway: 'Gateway', usage: 'Usage' } },
};
const IN_PROD = 'in PROD, account 123456789012, eu-central-1';

/** Sets the state of CodeDeploy and the alias at each read; the last state repeats. */
function given(
  ...looks: { live: string; canary?: string; running?: string; creator?: 'user' | 'codeDeployRollback' }[]
) {
  let look = -1;
  const now = () => looks[Math.min(look, looks.length - 1)] ?? { live: '' };
  // Both are read together, and this one is always first.
  codeDeploy.on(ListDeploymentsCommand).callsFake(() => {
    look++;
    return { deployments: [now().running ?? []].flat() };
  });
  codeDeploy.on(GetDeploymentCommand).callsFake(() => ({ deploymentInfo: { creator: now().creator ?? 'user' } }));
  lambda.on(GetAliasCommand).callsFake(() => {
    const { live, canary } = now();
    const RoutingConfig = canary === undefined ? {} : { AdditionalVersionWeights: { [canary]: 0.1 } };
    return { FunctionVersion: live, RevisionId: `revision-${live}`, RoutingConfig };
  });
}

beforeEach(() => {
  for (const service of [cloudFormation, lambda, codeDeploy]) service.reset();
  cloudFormation.rejects(noStack());
  cloudFormation
    .on(DescribeStacksCommand, { StackName: 'SandboxGateway-prod' })
    .resolves({ Stacks: [deployedStack('SandboxGateway-prod', outputsOf('Metered', 'Health'))] });
  lambda
    .on(ListVersionsByFunctionCommand)
    .resolves({ Versions: [{ Version: '$LATEST' }, { Version: '10', LastModified: 'ten' }], NextMarker: 'more' })
    .on(ListVersionsByFunctionCommand, { Marker: 'more' })
    .resolves({ Versions: ['9', '8'].map((Version) => ({ Version, LastModified: `of ${Version}` })) });
  lambda.on(UpdateAliasCommand).resolves({});
  codeDeploy.on(StopDeploymentCommand).resolves({ status: 'Pending' });
});

/** Runs the command at a terminal with this input; undefined: without a terminal. */
const rollback = (args: string[], typed?: string) => {
  const run: Parameters<typeof inShell>[1] = (given, shell) =>
    runProgram(
      rollbackProgram(shell, () => Promise.resolve()),
      given,
      shell,
    );
  const region = { AWS_REGION: 'eu-central-1' };
  return inShell('bin/rollback.ts', run, args, region, true, typed === undefined ? {} : { typed });
};
const moves = () => lambda.commandCalls(UpdateAliasCommand).map(({ args }) => args[0].input);
const stops = () => codeDeploy.commandCalls(StopDeploymentCommand).map(({ args }) => args[0].input);

describe('without a running deployment live moves to the version before', () => {
  test('once the platform team has agreed to exactly that', async () => {
    given({ live: '10' });
    const no = await rollback(['--stage', 'prod'], 'n\n');
    expect(no.stderr).toContain(
      `Roll back the metered function (the-MeteredFunctionName) ${IN_PROD}? live goes from version 10 (of ten) to version 9 (of of 9). [y/N]`,
    );
    expect([no.status, moves()]).toEqual([1, []]);
    const yes = await rollback(['--stage', 'prod'], 'y\n');
    expect([yes.status, yes.stdout]).toEqual([
      0,
      expect.stringMatching(/^live of the metered function is at version 9;/),
    ]);
    expect(moves()).toEqual([
      {
        ...{ FunctionName: 'the-MeteredFunctionName', Name: 'live', FunctionVersion: '9', RevisionId: 'revision-10' },
        RoutingConfig: { AdditionalVersionWeights: {} },
      },
    ]);
  });

  test('or to one of choice, of the function that is named', async () => {
    given({ live: '10' });
    expect((await rollback(['--stage', 'prod', '--function', 'health', '--to-version', '8'])).status).toBe(0);
    expect(moves()).toMatchObject([{ FunctionName: 'the-HealthFunctionName', FunctionVersion: '8' }]);
  });

  test('also of the notices function, by the outputs of its own stack', async () => {
    cloudFormation
      .on(DescribeStacksCommand, { StackName: 'SandboxGateway-prod-notices' })
      .resolves({ Stacks: [deployedStack('SandboxGateway-prod-notices', outputsOf('Notices'))] });
    given({ live: '10' });
    expect((await rollback(['--stage', 'prod', '--function', 'notices'])).status).toBe(0);
    expect(moves()).toMatchObject([{ FunctionName: 'the-NoticesFunctionName', FunctionVersion: '9' }]);
    expect(codeDeploy.commandCalls(ListDeploymentsCommand)[0]?.args[0].input).toMatchObject({
      ...{ applicationName: 'the-NoticesDeploymentApplication', deploymentGroupName: 'the-NoticesDeploymentGroup' },
    });
  });

  test('a canary without a running deployment is moved back to the version beside it', async () => {
    given({ live: '8', canary: '10' });
    expect((await rollback(['--stage', 'prod', '--yes'])).status).toBe(0);
    expect(moves()).toMatchObject([{ FunctionVersion: '8', RoutingConfig: { AdditionalVersionWeights: {} } }]);
  });

  test.each([
    [['--to-version', '7'], '10', /^error: There is no version 7; kept are 8, 9, 10\. Deploy an earlier commit\.\n$/],
    [[], '8', /^error: There is no version before 8; kept are 8, 9, 10\./],
    [['--to-version', '10'], '10', /^error: live is at version 10 already\.\n$/],
  ])('never to a version that is not there, nor to the same: %j', async (args, live, message) => {
    given({ live });
    expect(await rollback(['--stage', 'prod', ...args])).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(message),
    });
    expect(moves()).toEqual([]);
  });

  test('and not when somebody else moves it meanwhile', async () => {
    given({ live: '10' });
    lambda.on(UpdateAliasCommand).rejects(new PreconditionFailedException({ message: 'x', $metadata: {} }));
    const { status, stderr } = await rollback(['--stage', 'prod']);
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^error: live was moved by somebody else meanwhile; /)]);
  });
});

test('--list tells which versions are kept, since when, and what each has of the requests, and changes nothing', async () => {
  given({ live: '9', canary: '10', running: 'd-1' });
  const { status, stdout } = await rollback(['--stage', 'prod', '--list']);
  const lines = stdout.replaceAll(/\u001b\[\d+m/g, '').split('\n');
  expect([status, lines.map((line) => line.replaceAll(/ {2,}/g, ' | '))]).toEqual([
    0,
    [
      'VERSION | DEPLOYED | REQUESTS',
      ...['10 | ten | 10 %', '9 | of 9 | 90 %', '8 | of 8'],
      ...['', 'The deployment d-1 is running.', ''],
    ],
  ]);
  given({ live: '9' });
  expect((await rollback(['--stage', 'prod', '--list'], 'y\n')).stdout).toMatch(/^9 +of 9 +100 %$/m);
  expect([moves(), stops()]).toEqual([[], []]);
});

describe('of the portal', () => {
  const pool = (number: number) => ({
    Environment: {
      Variables: {
        ...{ COGNITO_ORIGIN: 'https://pages.example.com', OIDC_CLIENT_ID: `client-${number}` },
        ...{ OIDC_CLIENT_SECRET_ARN: `secret-${number}`, KEY_TAG_SECRETS: 'never-shown' },
      },
    },
  });
  const own = { Environment: { Variables: { OIDC_CLIENT_ID: 'ours', OIDC_CLIENT_SECRET_ARN: 'our-secret' } } };
  const versions = (latest: object, ...before: object[]) => {
    const numbered = before.map((given, i) => ({ Version: String(i + 1), LastModified: `of ${i + 1}`, ...given }));
    lambda
      .on(ListVersionsByFunctionCommand)
      .resolves({ Versions: [{ Version: '$LATEST', ...latest }], NextMarker: 'more' })
      .on(ListVersionsByFunctionCommand, { Marker: 'more' })
      .resolves({ Versions: numbered });
    given({ live: String(before.length) });
  };
  const back = (...args: string[]) => rollback(['--stage', 'prod', '--function', 'portal', ...args]);
  beforeEach(() => {
    cloudFormation
      .on(DescribeStacksCommand, { StackName: 'SandboxGateway-prod-portal' })
      .resolves({ Stacks: [deployedStack('SandboxGateway-prod-portal', outputsOf('Portal'))] });
  });

  test.each([
    ['another client of the pool', pool(2)],
    ['a provider of the team’s own', own],
  ])('a version whose client went with a deployment of %s is refused, and what to do is told', async (_what, now) => {
    versions(now, pool(1), now);
    const { status, stderr } = await back();
    expect([status, moves()]).toEqual([1, []]);
    expect(stderr).toMatch(
      /^error: Nobody could sign in by version 1: its client of the user pool is gone [^\n]+ Deploy an earlier commit with [^\n]+\n$/,
    );
  });

  test('one whose client is there is not, nor one with a client at the team’s own provider', async () => {
    versions(pool(2), pool(1), pool(2), pool(2));
    expect((await back()).status).toBe(0);
    versions(pool(1), own, pool(1));
    expect((await back()).status).toBe(0);
    expect(moves().map(({ FunctionVersion }) => FunctionVersion)).toEqual(['2', '1']);
  });

  test('--list tells which those are, and nothing else of their settings', async () => {
    versions(pool(2), pool(1), pool(2));
    const lines = (await back('--list')).stdout.replaceAll(/\u001b\[\d+m/g, '').split('\n');
    expect(lines.map((line) => line.trim().replaceAll(/ {2,}/g, ' | '))).toEqual([
      'VERSION | DEPLOYED | REQUESTS | SIGN-IN',
      ...['2 | of 2 | 100 %', '1 | of 1 | its client is gone', ''],
    ]);
  });
});

describe('a running deployment', () => {
  test('is stopped with a rollback, after a question, and waited for', async () => {
    given(
      { live: '9', canary: '10', running: 'd-1' },
      { live: '9', canary: '10', running: 'd-2', creator: 'codeDeployRollback' },
      { live: '9' },
    );
    const { status, stdout, stderr } = await rollback(['--stage', 'prod'], 'y\n');
    expect(stderr).toContain(
      `Stop the deployment d-1 of the metered function (the-MeteredFunctionName) ${IN_PROD}? All requests go back from version 10, which has 10 % of them, to version 9. [y/N]`,
    );
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^live is at version 9\./)]);
    expect(stops()).toEqual([{ deploymentId: 'd-1', autoRollbackEnabled: true }]);
    expect(moves()).toEqual([]);
  });

  test('that takes one back already is never stopped, and waited for without a question', async () => {
    given({ live: '9', canary: '10', running: 'd-2', creator: 'codeDeployRollback' }, { live: '9' });
    expect((await rollback(['--stage', 'prod'], 'n\n')).status).toBe(0);
    expect(stops()).toEqual([]);
  });

  test('that ended a moment ago leaves all as it is', async () => {
    given({ live: '9', canary: '10', running: 'd-1' });
    const over = new DeploymentAlreadyCompletedException({ message: 'x', $metadata: {} });
    codeDeploy.on(StopDeploymentCommand).rejects(over);
    const { status, stderr } = await rollback(['--stage', 'prod']);
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^error: The deployment d-1 ended meanwhile; nothing/)]);
  });

  test('that does not end is left to a person', async () => {
    given({ live: '9', canary: '10', running: 'd-1' });
    const { status, stderr } = await rollback(['--stage', 'prod']);
    expect([status, stderr]).toEqual([1, expect.stringContaining('error: CodeDeploy is not done after 5 minutes.')]);
  });
});

test('its policy grants exactly what it asks of AWS', async () => {
  const asked = new Set<string>();
  const note = () => {
    for (const action of actionsAsked({ cloudformation: cloudFormation, lambda, codedeploy: codeDeploy }))
      asked.add(action);
  };
  given({ live: '9', canary: '10', running: 'd-1' }, { live: '9' });
  await rollback(['--stage', 'prod']);
  note();
  given({ live: '10' });
  await rollback(['--stage', 'prod']);
  note();
  const granted = policyFor('rollback', DEPLOYED).Statement.flatMap(({ Action }) => Action);
  expect([...asked].sort()).toEqual(granted.sort());
});

describe('what cannot be done is reported in one line, with what to do', () => {
  test('a stage that is not there, and one without a portal or notices', async () => {
    const absent = (args: string[]) => rollback(args).then(({ status, stderr }) => [status, stderr]);
    expect(await absent(['--stage', 'dev'])).toEqual([
      1,
      'error: There is no stack SandboxGateway-dev in this account and region: set AWS_PROFILE and AWS_REGION to those of the stage.\n',
    ]);
    for (const name of ['portal', 'notices']) {
      expect(await absent(['--stage', 'prod', '--function', name])).toEqual([
        1,
        `error: The stage prod has no ${name} in this account and region.\n`,
      ]);
    }
  });

  test('a permission that is missing', async () => {
    given({ live: '10' });
    lambda
      .on(UpdateAliasCommand)
      .rejects(Object.assign(new Error('You may not.'), { name: 'AccessDeniedException', $fault: 'client' }));
    expect(await rollback(['--stage', 'prod'])).toMatchObject({
      status: 1,
      stderr:
        'error: AWS refused (AccessDeniedException: You may not.). npm run admin -- policy --stage … prints what an operator needs.\n',
    });
  });

  test.each([
    [
      { name: 'ExpiredTokenException', $fault: 'client' },
      'AWS refused (ExpiredTokenException: At an end.). Sign in again: the credentials have expired, or are not of this account.',
    ],
    [
      { name: 'CredentialsProviderError' },
      'AWS cannot be asked (CredentialsProviderError: At an end.). Sign in (aws sso login, or however your team does), and set AWS_PROFILE.',
    ],
    [{ code: 'ENOTFOUND', $metadata: {} }, 'AWS cannot be asked (Error: At an end.). Is AWS_REGION one that there is?'],
  ])('credentials that have come to their end, and a region that there is not: %j', async (failure, told) => {
    given({ live: '10' });
    lambda.on(UpdateAliasCommand).rejects(Object.assign(new Error('At an end.'), failure));
    expect(await rollback(['--stage', 'prod'])).toMatchObject({ status: 1, stderr: `error: ${told}\n` });
  });

  test('wrong usage', async () => {
    expect(await rollback([])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("'--stage <dev|staging|prod>'"),
    });
    expect((await rollback(['--stage', 'prod', '--function', 'edge'])).stderr).toMatch(
      /metered, health, portal, notices/,
    );
    expect(await rollback(['--stage', 'prod', '--list', '--to-version', '8'])).toMatchObject({
      ...{ status: 1, stdout: '' },
      stderr: "error: option '--list' cannot be used with option '--to-version <number>'\n",
    });
    expect(await rollback(['--help'])).toMatchObject({ status: 0, stdout: expect.stringContaining('--to-version') });
  });
});

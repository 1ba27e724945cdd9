import { writeFileSync } from 'node:fs';
import {
  CloudFormationClient,
  DescribeStacksCommand,
  GetTemplateCommand,
  ListStackResourcesCommand,
} from '@aws-sdk/client-cloudformation';
import {
  GetAccountSettingsCommand,
  GetAliasCommand,
  LambdaClient,
  PreconditionFailedException,
  UpdateAliasCommand,
} from '@aws-sdk/client-lambda';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import { policyFor } from '../../bin/admin/policy-statements.ts';
import { runDeploy } from '../../bin/deploy/program.ts';
import { inShell } from '../support/admin.ts';
import { aliasAt, writeAssembly, type PlayedStack } from '../support/assembly.ts';
import { actionsAsked, deployedStack, noStack } from '../support/deployed-stack.ts';

const cloudFormation = mockClient(CloudFormationClient);
const lambda = mockClient(LambdaClient);
const sts = mockClient(STSClient);
// Other files of this worker use the same classes (test/support/environment.mjs).
afterAll(() => {
  for (const mock of [cloudFormation, lambda, sts]) mock.restore();
});

const [DATA, GATEWAY, PORTAL] = ['SandboxGateway-prod-data', 'SandboxGateway-prod', 'SandboxGateway-prod-portal'];
const METERED = 'the-MeteredFunction';

/** The output of the synthesis: a new version of the metered function, and the same version of health. */
const NEXT = {
  [DATA]: { isProtected: true },
  [GATEWAY]: { isProtected: true, resources: { Live: aliasAt('Version11'), HealthLive: aliasAt('Health3') } },
} satisfies Record<string, PlayedStack>;

/** A deployed stack, with its status and protection. */
const there = (StackName: string, StackStatus = 'UPDATE_COMPLETE', outputs = {}, EnableTerminationProtection = true) =>
  cloudFormation.on(DescribeStacksCommand, { StackName }).resolves({
    Stacks: [
      {
        ...deployedStack(StackName, outputs),
        StackStatus: StackStatus as 'UPDATE_COMPLETE',
        EnableTerminationProtection,
      },
    ],
  });

/** Sets the alias of the metered function; the alias of health is where its stack has set it. */
const live = (FunctionVersion: string, canary?: string) => {
  const RoutingConfig = { AdditionalVersionWeights: canary === undefined ? {} : { [canary]: 0.1 } };
  lambda
    .on(GetAliasCommand, { FunctionName: METERED })
    .resolves({ FunctionVersion, RevisionId: `at-${FunctionVersion}`, RoutingConfig });
};

beforeEach(() => {
  for (const mock of [cloudFormation, lambda, sts]) mock.reset();
  sts.on(GetCallerIdentityCommand).resolves({});
  cloudFormation.rejects(noStack());
  there(DATA);
  there(GATEWAY);
  const arn = (name: string, version: number) => `arn:aws:lambda:eu-central-1:123456789012:function:${name}:${version}`;
  const summary = (LogicalResourceId: string, PhysicalResourceId: string, ResourceType = 'AWS::Lambda::Version') => ({
    ...{ LogicalResourceId, PhysicalResourceId, ResourceType, LastUpdatedTimestamp: new Date(0) },
    ResourceStatus: 'CREATE_COMPLETE' as const,
  });
  cloudFormation
    .on(ListStackResourcesCommand, { StackName: GATEWAY })
    .resolves({ StackResourceSummaries: [summary('Version10', arn(METERED, 10))], NextToken: 'more' })
    .on(ListStackResourcesCommand, { StackName: GATEWAY, NextToken: 'more' })
    .resolves({
      StackResourceSummaries: [
        summary('Function', METERED, 'AWS::Lambda::Function'),
        summary('Health3', arn('the-HealthFunction', 3)),
        { ...summary('Version9', arn(METERED, 9)), ResourceStatus: 'DELETE_SKIPPED' },
      ],
    })
    .on(GetTemplateCommand, { StackName: GATEWAY })
    .resolves({
      TemplateBody: JSON.stringify({ Resources: { Live: aliasAt('Version10'), HealthLive: aliasAt('Health3') } }),
    });
  lambda
    .on(GetAccountSettingsCommand)
    .resolves({ AccountLimit: { ConcurrentExecutions: 1_000, UnreservedConcurrentExecutions: 1_000 } })
    .on(GetAliasCommand, { FunctionName: 'the-HealthFunction' })
    .resolves({ FunctionVersion: '3' })
    .on(UpdateAliasCommand)
    .callsFake(({ FunctionVersion }: { FunctionVersion: string }) => {
      live(FunctionVersion);
      return {};
    });
  live('10');
});

interface Given {
  /** The output of the synthesis. */
  readonly stacks?: Record<string, PlayedStack>;
  /** For each `cdk deploy`, what it does before it ends. */
  readonly deployments?: (() => number)[];
  readonly typed?: string;
  readonly args?: string[];
}

/** Runs `npm run deploy` with a CDK that deploys nothing. Returns the CDK's arguments and the output. */
async function deploy({ stacks = NEXT, deployments = [], typed, args = [] }: Given = {}) {
  const runs: string[] = [];
  const contexts = new Map<string, string[]>();
  const cdk = (given: readonly string[]): Promise<number> => {
    const [command = ''] = given;
    const after = (option: string) => given[given.indexOf(option) + 1] ?? '';
    const context = given.flatMap((text, i) => (given[i - 1] === '-c' ? [text] : []));
    if (command === 'synth') {
      contexts.set(after('--output'), context);
      writeAssembly(after('--output'), stacks);
      return Promise.resolve(0);
    }
    const isSynthesised = given.includes('--app');
    const method = given.includes('--method') ? ` ${after('--method')}` : '';
    runs.push(isSynthesised ? `deploys [${contexts.get(after('--app'))?.join(' ')}]${method}` : 'deploys the app');
    writeFileSync(after('--outputs-file'), '{}');
    return Promise.resolve(deployments[runs.length - 1]?.() ?? 0);
  };
  const result = await inShell(
    'bin/deploy.ts',
    (given, shell) => runDeploy(given, shell, { cdk, app: () => Promise.resolve(new Map()) }),
    ['-c', 'stage=prod', ...args],
    {},
    false,
    typed === undefined ? {} : { typed },
  );
  const moves = lambda.commandCalls(UpdateAliasCommand).map((call) => call.args[0].input.FunctionVersion);
  return { ...result, runs, moves };
}

test('a stage where all is as its stacks have put it is deployed as it was synthesised', async () => {
  const { status, stderr, runs, moves } = await deploy({ typed: 'n\n' });
  expect([status, stderr, runs, moves]).toEqual([0, '', ['deploys [stage=prod]'], []]);
});

describe('after a rollback', () => {
  test('live is brought back to where CodeDeploy starts from, last of all, and the deployment is made at once', async () => {
    live('9');
    const moved = () => lambda.commandCalls(UpdateAliasCommand).map((call) => call.args[0].input.FunctionVersion);
    const { status, stderr, runs, moves } = await deploy({ deployments: [() => Number(moved().join() !== '10')] });
    expect([status, runs, moves]).toEqual([0, ['deploys [stage=prod deployment=allAtOnce]'], ['10']]);
    expect(stderr).toBe(
      'live of the-MeteredFunction is at version 9, and can be deployed from version 10 only, which the last deployment made live. Version 10 gets all requests until the new one is live, a minute or two.\n',
    );
    expect(lambda.commandCalls(UpdateAliasCommand)[0]?.args[0].input).toMatchObject({
      ...{ FunctionName: METERED, Name: 'live', RevisionId: 'at-9' },
      RoutingConfig: { AdditionalVersionWeights: {} },
    });
  });

  test('a person is asked first, unless the answer is given', async () => {
    live('9');
    const no = await deploy({ typed: 'n\n' });
    expect([no.status, no.runs, no.moves]).toEqual([1, [], []]);
    expect(no.stderr).toContain('Give them these requests, and deploy at once, without a canary? [y/N]');
    expect((await deploy({ typed: 'y\n' })).runs).toHaveLength(1);
    for (const args of [['--yes'], ['--require-approval', 'never'], ['--require-approval=never']]) {
      live('9');
      expect((await deploy({ typed: 'n\n', args })).status).toBe(0);
    }
  });

  test('live goes back to the version of the rollback when the deployment fails', async () => {
    live('9');
    const { status, stderr, moves } = await deploy({ deployments: [() => 3] });
    expect([status, moves]).toEqual([3, ['10', '9']]);
    expect(stderr).toContain('live of the-MeteredFunction is at version 9 again.\n');
  });

  test('but stays where a deployment that failed late has put it, or is still to take it from', async () => {
    live('9');
    const late = await deploy({
      deployments: [
        () => {
          live('11');
          return 1;
        },
      ],
    });
    expect([late.moves, late.stderr]).toEqual([['10'], expect.stringContaining('is at version 11.\n')]);
    live('9');
    lambda.resetHistory();
    const left = await deploy({
      deployments: [
        () => {
          there(GATEWAY, 'UPDATE_IN_PROGRESS');
          return 1;
        },
      ],
    });
    expect([left.moves, left.stderr]).toEqual([['10'], expect.stringContaining(`${GATEWAY} is still being updated.`)]);
  });

  test('of a function that the deployment does not change, live stays', async () => {
    live('9');
    const stacks = {
      ...NEXT,
      [GATEWAY]: { resources: { Live: aliasAt('Version10'), HealthLive: aliasAt('Health4') } },
    };
    const { status, stderr, runs, moves } = await deploy({ stacks });
    expect([status, runs, moves]).toEqual([0, ['deploys [stage=prod]'], []]);
    expect(stderr).toBe(`live of ${METERED} stays at version 9: its version does not change.\n`);
  });

  test('a deployment that would put live back for good is refused', async () => {
    live('9');
    const resources = { Live: aliasAt('Version10', { ProvisionedConcurrencyConfig: {} }) };
    const { status, stderr, runs } = await deploy({ stacks: { ...NEXT, [GATEWAY]: { resources } } });
    expect([status, runs]).toEqual([1, []]);
    expect(stderr).toMatch(
      /^error: live of the-MeteredFunction is at version 9, and CloudFormation would put it back to version 10: [^\n]+\n$/,
    );
  });

  test('a canary that nobody runs is ended: CodeDeploy starts from no alias with two versions', async () => {
    live('10', '9');
    const { runs, moves } = await deploy();
    expect([runs, moves]).toEqual([['deploys [stage=prod deployment=allAtOnce]'], ['10']]);
  });

  test('two deployments at once: the second learns that live was moved, and deploys nothing', async () => {
    live('9');
    lambda.on(UpdateAliasCommand).rejects(new PreconditionFailedException({ message: 'x', $metadata: {} }));
    const { status, stderr, runs } = await deploy();
    expect([status, runs]).toEqual([1, []]);
    expect(stderr).toContain('error: live was moved by somebody else meanwhile; nothing was changed. Run this again.');
  });

  test.each([['UPDATE_IN_PROGRESS'], ['UPDATE_ROLLBACK_FAILED']])(
    'nothing is moved in a stack that is %s',
    async (status) => {
      live('9');
      there(GATEWAY, status);
      expect(await deploy()).toMatchObject({ runs: ['deploys [stage=prod]'], moves: [] });
    },
  );

  test.each([[['--no-execute']], [['--method', 'prepare-change-set']], [['--app', 'elsewhere']]])(
    'nothing is moved for what deploys nothing of this project now: %j',
    async (args) => {
      live('9');
      expect(await deploy({ args })).toMatchObject({ runs: [expect.stringContaining('deploys')], moves: [] });
    },
  );
});

describe('a stack that is created', () => {
  test('is protected from being deleted once it is there, not before; those that are there stay so', async () => {
    cloudFormation.on(DescribeStacksCommand, { StackName: GATEWAY }).rejects(noStack());
    const { status, runs } = await deploy();
    const creation = `deploys [stage=prod deploy:created-stacks=${GATEWAY}]`;
    expect([status, runs]).toEqual([0, [creation, 'deploys [stage=prod] direct']]);
    const asked = await deploy({ args: ['--method', 'change-set'] });
    expect(asked.runs).toEqual([`${creation} change-set`, 'deploys [stage=prod] change-set']);
  });

  test.each(['ROLLBACK_COMPLETE', 'ROLLBACK_FAILED', 'REVIEW_IN_PROGRESS'])('is so after %s, too', async (status) => {
    there(DATA, status, {}, false);
    there(GATEWAY, status, {}, false);
    const { runs } = await deploy();
    expect(runs[0]).toBe(`deploys [stage=prod deploy:created-stacks=${DATA},${GATEWAY}]`);
  });

  test('and fails is not deployed once more, and keeps its exit status', async () => {
    cloudFormation.on(DescribeStacksCommand, { StackName: GATEWAY }).rejects(noStack());
    const { status, runs } = await deploy({ deployments: [() => 2] });
    expect([status, runs]).toEqual([2, [expect.stringContaining('deploy:created-stacks')]]);
  });

  test('without protection is deployed once', async () => {
    cloudFormation.on(DescribeStacksCommand, { StackName: GATEWAY }).rejects(noStack());
    expect((await deploy({ stacks: { [GATEWAY]: {} } })).runs).toEqual(['deploys [stage=prod]']);
  });

  test('and failed while it was protected: one line says what to do, before anything is deployed', async () => {
    there(DATA, 'ROLLBACK_COMPLETE');
    const stacks = { ...NEXT, [DATA]: { isProtected: true, region: 'eu-central-1' } };
    const { status, stderr, runs } = await deploy({ stacks });
    expect([status, runs]).toEqual([1, []]);
    expect(stderr).toMatch(/^error: [^\n]+\n$/);
    expect(stderr).toContain(
      `aws cloudformation update-termination-protection --no-enable-termination-protection --stack-name ${DATA} --region eu-central-1`,
    );
  });
});

describe('the concurrency of the account', () => {
  const portal = (ReservedConcurrentExecutions?: number) => ({
    [PORTAL]: {
      resources: {
        Function: { Type: 'AWS::Lambda::Function', Properties: { ReservedConcurrentExecutions } },
        Live: aliasAt('Version1'),
      },
    },
  });
  const alarm = (Threshold: number) => ({
    [GATEWAY]: {
      resources: {
        Concurrency: {
          Type: 'AWS::CloudWatch::Alarm',
          Properties: { MetricName: 'ClaimedAccountConcurrency', Threshold },
        },
      },
    },
  });
  const account = (ConcurrentExecutions: number, UnreservedConcurrentExecutions = ConcurrentExecutions) =>
    lambda
      .on(GetAccountSettingsCommand)
      .resolves({ AccountLimit: { ConcurrentExecutions, UnreservedConcurrentExecutions } });

  test.each([
    [
      'a new account',
      10,
      10,
      'may run 10 executions at once in this region, 10 of them are kept for no function, and Lambda keeps 10 free',
    ],
    [
      'one that keeps what it has for others',
      1_000,
      119,
      'may run 1000 executions at once in this region, 119 of them are kept for no function, and Lambda keeps 100 free',
    ],
  ])(
    'of %s is too small for the portal: told in one line, before anything is deployed',
    async (_what, quota, free, told) => {
      account(quota, free);
      const { status, stderr, runs } = await deploy({ stacks: portal(20) });
      expect([status, runs]).toEqual([1, []]);
      expect(stderr).toBe(
        `error: portalConcurrency=20 cannot be kept: the account ${told}. Set portalConcurrency to 0 for this stage, or have AWS raise it (Service Quotas, AWS Lambda, Concurrent executions).\n`,
      );
    },
  );

  test.each([
    ['leaves a hundred free', 1_000, 120, 20, 0],
    ['is kept already', 1_000, 100, 20, 20],
    ['is not asked for', 10, 10, undefined, 0],
  ])('does for a portal that %s', async (_what, quota, free, wanted, deployed) => {
    account(quota, free);
    there(PORTAL, 'UPDATE_COMPLETE', { PortalConcurrency: String(deployed) });
    cloudFormation.on(ListStackResourcesCommand, { StackName: PORTAL }).resolves({ StackResourceSummaries: [] });
    expect(await deploy({ stacks: portal(wanted) })).toMatchObject({ status: 0, stderr: '' });
  });

  test('is below the alarm’s, which could never go off: reported, and deployed', async () => {
    account(10);
    const { status, stderr } = await deploy({ stacks: alarm(800) });
    expect([status, stderr]).toEqual([
      0,
      'The alarm Concurrency waits for 800 executions at once, and the account may run 10 in this region: it never goes off. Set concurrencyQuota to 10 for this stage, or have AWS raise it (Service Quotas, AWS Lambda, Concurrent executions).\n',
    ]);
    expect((await deploy({ stacks: alarm(8) })).stderr).toBe('');
  });
});

test('what may not be read is reported in a line each, and the deployment continues', async () => {
  const denied = Object.assign(new Error('You may not.'), { name: 'AccessDeniedException', $fault: 'client' });
  const told =
    '(AccessDeniedException: You may not.). npm run admin -- policy --stage … prints what an operator needs. It is not looked at before the deployment.\n';
  live('9');
  lambda.rejects(denied);
  lambda.on(GetAccountSettingsCommand).rejects(denied).on(GetAliasCommand, { FunctionName: METERED }).rejects(denied);
  const functions = await deploy();
  expect([functions.status, functions.stderr]).toEqual([0, `AWS refused ${told}`.repeat(2)]);
  cloudFormation.reset();
  cloudFormation.rejects(denied);
  const stacks = await deploy();
  expect([stacks.status, stacks.runs]).toEqual([0, ['deploys [stage=prod]']]);
  expect(stacks.stderr).toBe(`The stack ${DATA} cannot be read ${told}AWS refused ${told}`);
});

test('its policy grants exactly what it asks of AWS, beside what the CDK needs', async () => {
  live('9');
  await deploy({ deployments: [() => 1] });
  const asked = actionsAsked({ cloudformation: cloudFormation, lambda });
  const deployed = {
    ...{ partition: 'aws', region: 'eu-central-1', account: '123456789012', stage: 'prod', stackName: GATEWAY },
    ...{ keyTagSecretArn: '', tables: { gateway: 'Gateway', usage: 'Usage' } },
  };
  const granted = policyFor('deploy', deployed).Statement.flatMap(({ Action }) => Action);
  expect([...new Set([...asked, 's3:PutObject'])].sort()).toEqual(granted.sort());
});

import { describe, expect, test } from '@jest/globals';
import {
  actionsOf,
  propertiesOf,
  resourcesOf,
  stages,
  statementsOf,
  variablesIn,
  type StackTemplate,
  type Statement,
} from '../support/stack.ts';

const FUNCTION = 'AWS::Lambda::Function';
const { dev, alone: prod, full, atOnce, watched } = await stages();
const { data, gateway } = prod;

interface FunctionProperties {
  readonly Role: { 'Fn::GetAtt': [string, string] };
  readonly LoggingConfig: { LogGroup: { Ref: string }; LogFormat: string };
}
const functions = propertiesOf<FunctionProperties>(gateway, FUNCTION);

describe('the functions', () => {
  test('are exactly two, in both stacks together', () => {
    expect(resourcesOf(data, FUNCTION)).toHaveLength(0);
    expect(resourcesOf(gateway, FUNCTION)).toHaveLength(2);
  });

  test('run on Node 24 and arm64, with 512 MB for at most 10 s, are traced, and have a role and a log of JSON each', () => {
    const runtime = { Runtime: 'nodejs24.x', Architectures: ['arm64'], MemorySize: 512, Timeout: 10 };
    for (const properties of functions) {
      expect(properties).toMatchObject({ ...runtime, TracingConfig: { Mode: 'Active' } });
      expect(properties.LoggingConfig.LogFormat).toBe('JSON');
    }
    expect(new Set(functions.map(({ LoggingConfig }) => LoggingConfig.LogGroup.Ref)).size).toBe(2);
    expect(new Set(functions.map(({ Role }) => Role['Fn::GetAtt'][0])).size).toBe(2);
  });

  test('get stage and origins; the metered one also tables, period, retention and secrets of key tags', () => {
    const common = { STAGE: 'shop', PORTAL_ORIGIN: 'https://portal.example.com', LOCAL_DEV_ORIGIN: '' };
    const table = (name: string) => ({ 'Fn::ImportValue': expect.stringContaining(`Tables${name}`) });
    expect(variablesIn(gateway, 'Health')).toEqual(common);
    expect(variablesIn(gateway, 'Metered')).toEqual({
      ...common,
      GATEWAY_TABLE: table('Gateway'),
      USAGE_TABLE: table('Usage'),
      QUOTA_PERIOD: 'month',
      USAGE_RETENTION_DAYS: '400',
      SOURCE_ADDRESSES: 'none',
      KEY_TAG_SECRETS: expect.anything(),
    });
  });

  test('allow a portal under development, in production only when it is set', () => {
    const origin = (template: StackTemplate) => variablesIn(template, 'Metered').LOCAL_DEV_ORIGIN;
    expect(origin(dev.gateway)).toBe('http://localhost:5173');
    expect(origin(gateway)).toBe('');
    expect(origin(full.gateway)).toBe('http://localhost:9');
  });
});

describe('the policies', () => {
  const statements = propertiesOf<{ PolicyDocument: { Statement: Statement[] } }>(gateway, 'AWS::IAM::Policy').flatMap(
    ({ PolicyDocument }) => PolicyDocument.Statement,
  );
  const about = (table: string) =>
    statementsOf(gateway, 'Metered').filter(({ Resource }) => JSON.stringify(Resource).includes(`Tables${table}`));

  test('name every action', () => {
    expect(statements.flatMap(actionsOf).filter((action) => action.includes('*'))).toEqual([]);
  });

  test('are all there is: no role has a managed policy or an inline one, but CodeDeploy’s', () => {
    const roles = resourcesOf(gateway, 'AWS::IAM::Role').filter(([id]) => !id.includes('Deployment'));
    expect(roles).toHaveLength(2);
    for (const [, { Properties }] of roles)
      expect(Object.keys(Properties)).toEqual(['AssumeRolePolicyDocument', 'Tags']);
    expect(resourcesOf(gateway, 'AWS::IAM::Policy')).toHaveLength(2);
    expect(resourcesOf(gateway, 'AWS::IAM::ManagedPolicy')).toHaveLength(0);
  });

  test('let the metered one do what its log, its traces and its tables take, and nothing else', () => {
    const services = statementsOf(gateway, 'Metered').map((statement) => {
      const [service] = new Set(actionsOf(statement).map((action) => action.split(':')[0]));
      return `${service} on ${JSON.stringify(statement.Resource)}`;
    });
    expect(services).toEqual([
      expect.stringMatching(/^logs on .*MeteredLogs/),
      'xray on "*"',
      expect.stringMatching(/^dynamodb on .*TablesGateway/),
      expect.stringMatching(/^dynamodb on .*TablesGateway/),
      expect.stringMatching(/^dynamodb on .*TablesUsage/),
    ]);
  });

  test('give nothing on all resources but X-Ray', () => {
    const onAll = statements.filter(({ Resource }) => [Resource].flat().includes('*'));
    const actions = ['xray:PutTelemetryRecords', 'xray:PutTraceSegments'];
    expect(onAll.map((statement) => actionsOf(statement).sort())).toEqual([actions, actions]);
  });

  test('let health do nothing with a database', () => {
    expect(statementsOf(gateway, 'Health').flatMap(actionsOf).sort()).toEqual([
      ...['logs:CreateLogStream', 'logs:PutLogEvents', 'xray:PutTelemetryRecords', 'xray:PutTraceSegments'],
    ]);
  });

  test('let the metered one do nothing with the usage log but put', () => {
    expect(about('Usage').map(actionsOf)).toEqual([['dynamodb:PutItem']]);
  });

  test('hold the metered one to the partitions of keys and projects, also for a request that names none', () => {
    const within = (...partitions: string[]) => ({
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': partitions },
      Null: { 'dynamodb:LeadingKeys': 'false' },
    });
    expect(about('Gateway').map(({ Condition }) => Condition)).toEqual([
      within('KEY#*', 'PROJECT#*'),
      within('PROJECT#*'),
    ]);
  });
});

describe('a deployment', () => {
  const GROUP = 'AWS::CodeDeploy::DeploymentGroup';
  interface Group {
    readonly DeploymentConfigName: string;
    readonly AlarmConfiguration?: { Enabled: boolean; Alarms: { Name: { Ref: string } }[] };
    readonly AutoRollbackConfiguration: { Events: string[] };
  }
  const groups = (template: StackTemplate) => propertiesOf<Group>(template, GROUP);

  test('goes through an alias, which the API calls', () => {
    expect(resourcesOf(gateway, 'AWS::Lambda::Alias')).toHaveLength(2);
    for (const integration of propertiesOf(gateway, 'AWS::ApiGatewayV2::Integration')) {
      expect(integration).toMatchObject({ IntegrationUri: { Ref: expect.stringContaining('Live') } });
    }
  });

  test('tries a tenth of the requests for ten minutes in production', () => {
    const canary = 'CodeDeployDefault.LambdaCanary10Percent10Minutes';
    expect(groups(gateway).map(({ DeploymentConfigName }) => DeploymentConfigName)).toEqual([canary, canary]);
  });

  const NO_CALLERS_FAULT = ['HealthErrors', 'InternalErrors', 'MeteredErrors'];
  test.each([
    ['what only a version can cause, and nothing that a caller does', gateway, NO_CALLERS_FAULT],
    ['the gateway’s wrong answers to the probe, too', watched.gateway, [...NO_CALLERS_FAULT, 'ProbeAnswers']],
  ])('rolls back on failure, and on the alarms of %s', (_what, template, expected) => {
    const names = new Map(
      resourcesOf(template, 'AWS::CloudWatch::Alarm').map(([id, { Properties }]) => [
        id,
        (Properties as { AlarmName: string }).AlarmName.replace('sandbox-gateway-shop-', ''),
      ]),
    );
    expect(groups(template)).toHaveLength(2);
    for (const { AlarmConfiguration, AutoRollbackConfiguration } of groups(template)) {
      expect(AlarmConfiguration?.Enabled).toBe(true);
      expect(AlarmConfiguration?.Alarms.map(({ Name }) => names.get(Name.Ref)).sort()).toEqual(expected);
      expect(AutoRollbackConfiguration.Events.sort()).toEqual(['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_ALARM']);
    }
  });

  test('moves both functions in the same ten minutes: an alarm finds neither of them done', () => {
    const aliases = resourcesOf(gateway, 'AWS::Lambda::Alias');
    for (const [id, { DependsOn = [] }] of aliases) {
      const other = id.includes('Health') ? /Metered/ : /Health/;
      expect(DependsOn.filter((name) => other.test(name))).toEqual([]);
    }
  });

  test('can be made at once: no CodeDeploy looks at alarms, or at where the alias was moved by hand', () => {
    for (const template of [atOnce.gateway, dev.gateway]) {
      expect(groups(template)).toEqual([]);
      const aliases = resourcesOf(template, 'AWS::Lambda::Alias').map(([, alias]) => alias);
      expect(aliases.filter((alias) => 'UpdatePolicy' in alias)).toEqual([]);
      expect(aliases).toHaveLength(2);
    }
  });

  test('keeps the versions before it, so that going back needs no build, and its own only if it succeeds', () => {
    const versions = resourcesOf(gateway, 'AWS::Lambda::Version');
    const kept = 'RetainExceptOnCreate';
    expect(versions.map(([, { DeletionPolicy }]) => DeletionPolicy)).toEqual([kept, kept]);
  });

  test('keeps instances of the metered function warm when that is set', () => {
    const provisioned = (template: StackTemplate) =>
      resourcesOf(template, 'AWS::Lambda::Alias').filter(
        ([, { Properties }]) => 'ProvisionedConcurrencyConfig' in Properties,
      );
    expect(provisioned(gateway)).toEqual([]);
    expect(provisioned(full.gateway)).toEqual([
      [
        expect.stringMatching(/Metered/),
        expect.objectContaining({
          Properties: expect.objectContaining({ ProvisionedConcurrencyConfig: { ProvisionedConcurrentExecutions: 5 } }),
        }),
      ],
    ]);
  });
});

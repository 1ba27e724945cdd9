import { describe, expect, test } from '@jest/globals';
import {
  actionsOf,
  propertiesOf,
  resourcesOf,
  stages,
  statementsOf,
  variablesIn,
  type StackTemplate,
  type SynthesisedStage,
} from '../support/stack.ts';

const { dev, alone: prod, prod: stock, full, atOnce, watched, standby, failedBack, failedOver } = await stages();
const { gateway } = prod;
const everything = { ...full, gateway, portal: stock.portal };

describe('the functions', () => {
  test('get stage and origins; the metered one also tables, period, retention and secrets of key tags', () => {
    const common = {
      STAGE: 'shop',
      KEY_PREFIXES: 'svc',
      PORTAL_ORIGIN: 'https://portal.example.com',
      LOCAL_DEV_ORIGIN: '',
    };
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

test('every function and the CLI know the prefix of new keys and each that the stage ever had', () => {
  for (const part of ['gateway', 'portal', 'notices'] as const) {
    const told = propertiesOf<{ Environment?: { Variables: Record<string, unknown> } }>(
      full[part],
      'AWS::Lambda::Function',
    ).flatMap(({ Environment: { Variables } = { Variables: {} } }) => ('STAGE' in Variables ? [Variables] : []));
    expect(told.length).toBeGreaterThan(0);
    for (const { KEY_PREFIXES } of told) expect(KEY_PREFIXES).toBe('acme,beta,svc');
  }
  expect(full.gateway.Outputs).toMatchObject({ KeyPrefixes: { Value: 'acme,beta,svc' } });
});

test('a function is traced only where it is set, which also ends the tracing of a live one; of Lambda’s own lines it logs failures', () => {
  const set = (stage: typeof full) =>
    (['gateway', 'portal', 'notices'] as const).flatMap((part) =>
      propertiesOf<{ TracingConfig?: object; LoggingConfig?: object; Environment?: { Variables: object } }>(
        stage[part],
        'AWS::Lambda::Function',
      )
        .filter(({ Environment }) => 'STAGE' in (Environment?.Variables ?? {}))
        .map(({ TracingConfig, LoggingConfig }) => ({ ...TracingConfig, ...LoggingConfig })),
    );
  const all = (Mode: string) =>
    Array<object>(5).fill({ Mode, LogFormat: 'JSON', SystemLogLevel: 'WARN', LogGroup: expect.anything() });
  expect(set(stock)).toEqual(all('PassThrough'));
  expect(set(full)).toEqual(all('Active'));
});

test('no function of the stage may run in a standby, and nothing calls one by itself; all may once it serves', () => {
  interface Function {
    readonly Environment?: { readonly Variables: Readonly<Record<string, unknown>> };
    readonly ReservedConcurrentExecutions?: number;
  }
  const reserved = (stage: SynthesisedStage) =>
    stage.parts.flatMap((part) =>
      propertiesOf<Function>(stage[part], 'AWS::Lambda::Function').flatMap(
        ({ Environment, ReservedConcurrentExecutions: most }) =>
          Environment?.Variables.STAGE === undefined ? [] : [most],
      ),
    );
  for (const stage of [standby, failedBack]) {
    expect([reserved(stage), stage.parts]).toEqual([
      [0, 0],
      ['data', 'front', 'gateway'],
    ]);
    for (const type of ['AWS::Lambda::EventSourceMapping', 'AWS::Events::Rule', 'AWS::Synthetics::Canary']) {
      expect(stage.parts.flatMap((part) => resourcesOf(stage[part], type))).toEqual([]);
    }
    expect(stage.gateway.Outputs).toMatchObject({ Standby: { Value: 'true' } });
  }
  expect(reserved(failedOver)).toEqual([undefined, undefined]);
  expect(failedOver.gateway.Outputs).not.toHaveProperty('Standby');
});

describe('the policies', () => {
  test.each([
    ['gateway', 'Health', ['logs'], []],
    ['gateway', 'Metered', ['dynamodb', 'logs'], ['dynamodb:PutItem']],
    ['portal', 'Portal', ['dynamodb', 'logs', 'secretsmanager'], ['dynamodb:GetItem', 'dynamodb:Query']],
    ['notices', 'Notices', ['dynamodb', 'logs', 's3', 'ses', 'sqs', 'xray'], []],
    ['notices', 'DailyWork', ['dynamodb', 'logs', 'sqs', 'xray'], ['dynamodb:Query']],
  ] as const)(
    'of the stack %s let the function %s use %j alone, of the usage log %j: each action by its name, on all resources none but those that take none',
    (part, name, services, ofUsage) => {
      const template = everything[part];
      const [role] = resourcesOf(template, 'AWS::IAM::Role').filter(([id]) => id.includes(`${name}Role`));
      expect(Object.keys(role?.[1].Properties ?? {})).toEqual(['AssumeRolePolicyDocument', 'Tags']);
      const statements = statementsOf(template, name);
      const actions = statements.flatMap(actionsOf);
      expect([...new Set(actions.map((action) => action.split(':')[0]))].sort()).toEqual(services);
      expect(actions.filter((action) => action.includes('*'))).toEqual([]);
      const onAll = statements.filter(({ Resource }) => [Resource].flat().includes('*')).flatMap(actionsOf);
      // Those of the stage with everything, which is traced.
      const traced = part === 'notices' ? ['xray:PutTelemetryRecords', 'xray:PutTraceSegments'] : [];
      expect(onAll.sort()).toEqual([...(name === 'Notices' ? ['dynamodb:ListStreams'] : []), ...traced]);
      const about = statements.filter(({ Resource }) => JSON.stringify(Resource).includes('TablesUsage'));
      expect(about.flatMap(actionsOf)).toEqual(ofUsage);
    },
  );

  test('hold the metered one to the partitions of keys and projects, also for a request that names none', () => {
    const within = (...partitions: string[]) => ({
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': partitions },
      Null: { 'dynamodb:LeadingKeys': 'false' },
    });
    const ofGateway = statementsOf(gateway, 'Metered').filter(({ Resource }) =>
      JSON.stringify(Resource).includes('TablesGateway'),
    );
    expect(ofGateway.map(({ Condition }) => Condition)).toEqual([within('KEY#*', 'PROJECT#*'), within('PROJECT#*')]);
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

  const NO_CALLERS_FAULT = ['HealthErrors', 'InternalErrors', 'MeteredErrors'];
  test.each([
    ['what only a version can cause, and nothing that a caller does', gateway, NO_CALLERS_FAULT],
    ['the gateway’s wrong answers to the probe, too', watched.gateway, [...NO_CALLERS_FAULT, 'ProbeAnswers']],
    ['the same of the portal', stock.portal, ['PortalErrors', 'PortalInternalErrors']],
    ['whole batches that fail', stock.notices, ['NoticesBadVersion', 'NoticesErrors']],
  ])('rolls back on failure, and on the alarms of %s', (_what, template, expected) => {
    const names = new Map(
      resourcesOf(template, 'AWS::CloudWatch::Alarm').map(([id, { Properties }]) => [
        id,
        (Properties as { AlarmName: string }).AlarmName.replace('sandbox-gateway-shop-', ''),
      ]),
    );
    expect(groups(template)).toHaveLength(template.Outputs && 'ApiUrl' in template.Outputs ? 2 : 1);
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
});

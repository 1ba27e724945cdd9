import { loadAwsServiceSpecSync } from '@aws-cdk/aws-service-spec';
import { describe, expect, test } from '@jest/globals';
import { signInHost } from '../../lib/portal/user-pool.ts';
import { OUTPUTS } from '../../lib/stack-outputs.ts';
import { leaksOfBuild } from '../support/secrets/build.ts';
import {
  propertiesOf,
  resourcesOf,
  stages,
  type Part,
  type StackTemplate,
  type SynthesisedStage,
} from '../support/stack.ts';

const all = await stages();
const { dev, devEdge, prod, alone, full, longest, otherRegion, watched } = all;
const templatesOf = (stage: SynthesisedStage): [Part, StackTemplate][] =>
  stage.parts.map((part) => [part, stage[part]]);
const everyTemplate = Object.values(all).flatMap((stage) => templatesOf(stage).map(([, template]) => template));

describe('the stacks', () => {
  test('are cut by lifetime: each comes after those that it needs, and nothing goes round in a circle', () => {
    expect(dev.parts).toEqual(['data', 'front', 'portalFront', 'gateway', 'portal', 'notices']);
    expect(full.names).toEqual({
      data: 'SandboxGateway-shop-data',
      front: 'SandboxGateway-shop-front',
      portalFront: 'SandboxGateway-shop-front-portal',
      gateway: 'SandboxGateway-shop',
      portal: 'SandboxGateway-shop-portal',
      notices: 'SandboxGateway-shop-notices',
      edge: 'SandboxGateway-shop-edge-eu-central-1',
    });
  });

  test('of the code hold no address, so that addresses outlive it', () => {
    const ADDRESSES = ['AWS::ApiGatewayV2::Api', 'AWS::ApiGatewayV2::DomainName', 'AWS::CloudFront::Distribution'];
    const KEPT = [...ADDRESSES, 'AWS::DynamoDB::GlobalTable', 'AWS::Cognito::UserPool', 'AWS::Backup::BackupVault'];
    for (const part of ['gateway', 'portal', 'notices'] as const) {
      expect(KEPT.flatMap((type) => resourcesOf(full[part], type))).toEqual([]);
    }
    expect(resourcesOf(full.front, 'AWS::ApiGatewayV2::Api')).toHaveLength(1);
    expect(resourcesOf(full.portalFront, 'AWS::CloudFront::Distribution')).toHaveLength(1);
  });

  test('of a portal are there unless it is somebody else’s, or off', () => {
    expect(alone.parts).toEqual(['data', 'front', 'gateway']);
  });

  test('name each function in an output: the runbook moves aliases and replaces instances by it', () => {
    for (const [, template] of templatesOf(full)) {
      const values = Object.values(template.Outputs ?? {}).map(({ Value }) => Value);
      const named = propertiesOf<{ FunctionName: unknown }>(template, 'AWS::Lambda::Alias').map(
        ({ FunctionName }) => FunctionName,
      );
      expect(values).toEqual(expect.arrayContaining(named));
    }
  });

  test('tell people, the CLI and a restore what they need, each in the stack where they look for it', () => {
    const of = (...parts: Part[]) =>
      parts.flatMap((part) => Object.keys(full[part].Outputs ?? {}).filter((name) => !name.startsWith('Exports')));
    // A standby has one of its own.
    const all = Object.keys(OUTPUTS).filter((name) => name !== 'Standby');
    // Backups and an edge have a topic of their own.
    expect(of(...full.parts).sort()).toEqual([...all, 'AlarmTopicArn', 'AlarmTopicArn'].sort());
    expect(of('notices').sort()).toEqual(all.filter((name) => name.startsWith('Notices')).sort());
    expect(of('portal', 'portalFront').sort()).toEqual(
      all.filter((name) => /^(Portal|SignIn|UserPool)/.test(name)).sort(),
    );
    expect(full.portal.Outputs).toMatchObject({
      PortalUrl: { Value: 'https://portal.example.com' },
      PortalConcurrency: { Value: '20' },
    });
    expect(full.gateway.Outputs).toMatchObject({
      DefaultRpm: { Value: '7' },
      DefaultQuotaUnits: { Value: 'none' },
      QuotaPeriod: { Value: 'day' },
    });
  });

  test('have no secret in their templates', () => {
    expect(Object.entries(all).flatMap(([name, stage]) => leaksOfBuild(name, JSON.stringify(stage)))).toEqual([]);
  });

  test('go to the account and region that the stage is set to, and to no other; an edge to us-east-1', () => {
    const { edge, ...others } = full.places;
    expect(new Set(Object.values(others))).toEqual(new Set(['aws://123456789012/eu-central-1']));
    expect(edge).toBe('aws://123456789012/us-east-1');
    expect(prod.places.gateway).toBe('aws://unknown-account/unknown-region');
  });

  test('have the tags app and stage, and so has each resource that the template can name them for', () => {
    const tags = { app: 'sandbox-gateway', stage: 'shop' };
    expect(new Set(Object.values(full.tags).map((given) => JSON.stringify(given)))).toEqual(
      new Set([JSON.stringify(tags)]),
    );
    const database = loadAwsServiceSpecSync();
    const untagged = templatesOf(full).flatMap(([, { Resources }]) =>
      Object.entries(Resources).flatMap(([id, { Type, Properties }]) => {
        const [spec] = database.lookup('resource', 'cloudFormationType', 'equals', Type);
        const name = spec?.tagInformation?.tagPropertyName;
        return name === undefined || /"app"[:,]/.test(JSON.stringify(Properties)) ? [] : [`${Type} ${id}`];
      }),
    );
    // Their stack's tags reach them all the same.
    expect(untagged.filter((text) => !/^AWS::(CloudWatch::Dashboard|Cognito::UserPool) /.test(text))).toEqual([]);
  });
});

describe('production', () => {
  const protection = ({ isProtected, data }: SynthesisedStage) => [
    ...Object.values(isProtected),
    ...propertiesOf<{ Replicas: { DeletionProtectionEnabled: boolean }[] }>(data, 'AWS::DynamoDB::GlobalTable').flatMap(
      ({ Replicas }) => Replicas.map(({ DeletionProtectionEnabled }) => DeletionProtectionEnabled),
    ),
    ...propertiesOf<{ DeletionProtection: string }>(data, 'AWS::Cognito::UserPool').map(
      ({ DeletionProtection }) => DeletionProtection === 'ACTIVE',
    ),
  ];

  test('protects all stacks, tables and people from deletion; nothing else does, whatever the stage is called', () => {
    expect(new Set(protection(full))).toEqual(new Set([true]));
    expect(new Set(protection(dev))).toEqual(new Set([false]));
  });

  test('warns of what it would miss too late; dev of nothing', () => {
    const ofAll = ['alarmEmail', 'runbookUrl', 'concurrencyQuota'];
    expect(prod.warnings).toEqual(['account', ...ofAll, 'probe']);
    expect([full, dev].map(({ warnings }) => warnings)).toEqual([[], []]);
    // Where an alarm sees CloudFront, the portal is somebody else's, or the probe sees it.
    expect(otherRegion.warnings).toEqual(ofAll);
    for (const { warnings } of [alone, watched]) expect(warnings).not.toContain('probe');
  });

  test('is not needed for the warning that Cognito’s own 50 mails a day are too few where everybody may sign up', () => {
    expect(devEdge.warnings).toEqual(['signInEmailFrom']);
  });
});

test('logs are kept as long as the stage says, and in production also when their stack is deleted', () => {
  const kept = (stages: SynthesisedStage[]) =>
    stages.flatMap(templatesOf).flatMap(([part, template]) =>
      resourcesOf(template, 'AWS::Logs::LogGroup').map(([id, { Properties, DeletionPolicy }]) => {
        const { RetentionInDays } = Properties as { RetentionInDays: number };
        return { log: `${part} ${id}`, RetentionInDays, DeletionPolicy };
      }),
    );
  const [production, others] = [kept([full]), kept([dev, devEdge])];
  const all = (RetentionInDays: number, DeletionPolicy: string) =>
    expect.objectContaining({ RetentionInDays, DeletionPolicy });
  expect(production).toEqual(production.map(() => all(90, 'RetainExceptOnCreate')));
  expect(others).toEqual(others.map(() => all(7, 'Delete')));
  expect(production).toHaveLength(9);
});

test('tables, backups, people, secrets of key tags and the files of open pages outlive their stack, and what replaces them', () => {
  const KEPT = ['DynamoDB::GlobalTable', 'Backup::BackupVault', 'Cognito::UserPool', 'S3::Bucket'];
  const kept = [full.data, full.portalFront].flatMap((template) =>
    [...KEPT, 'SecretsManager::Secret'].flatMap((type) => resourcesOf(template, `AWS::${type}`)),
  );
  expect(new Set(kept.map(([, { Type }]) => Type)).size).toBe(5);
  // Keys are made under it in every stage.
  for (const [, resource] of [...kept, ...resourcesOf(dev.data, 'AWS::SecretsManager::Secret')])
    expect(resource).toMatchObject({ DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' });
});

test('a creation that fails leaves nothing, though a stack that is deleted later keeps what it must', () => {
  const policies = everyTemplate.flatMap(({ Resources }) =>
    Object.values(Resources).map(({ DeletionPolicy }) => DeletionPolicy ?? 'Delete'),
  );
  expect(new Set(policies)).toEqual(new Set(['Delete', 'RetainExceptOnCreate']));
});

describe('with the longest name of a stage', () => {
  /** The most characters of names that the templates set. */
  const MOST: Readonly<Record<string, number>> = {
    ResponseHeadersPolicyConfig: 128,
    OriginAccessControlConfig: 64,
    AlarmName: 255,
    DashboardName: 255,
    LogGroupName: 512,
  };
  const text = (value: unknown): string => {
    if (typeof value === 'string') return value;
    const [, parts] = (value as { 'Fn::Join'?: [string, unknown[]] })['Fn::Join'] ?? ['', ['x'.repeat(36)]];
    return parts.map((part) => (typeof part === 'string' ? part : 'ap-southeast-1x')).join('');
  };

  test('no name is longer than AWS allows', () => {
    const names = templatesOf(longest).flatMap(([, { Resources }]) =>
      Object.values(Resources).flatMap(({ Properties }) =>
        Object.entries(Properties).flatMap(([key, value]) => {
          const most = MOST[key];
          if (most === undefined) return [];
          const name = text(typeof value === 'object' && 'Name' in value ? (value as { Name: unknown }).Name : value);
          return [[name, name.length <= most] as const];
        }),
      ),
    );
    expect(names.length).toBeGreaterThan(30);
    expect(names.filter(([, fits]) => !fits)).toEqual([]);
  });

  test.each(['dev', 'staging', 'abcdefghijklmnop'])(
    'the host of the sign-in of %s can be a domain of passkeys',
    (stage) => {
      const host = signInHost(stage).replace(/\$\{Token\[AWS\.AccountId[^}]*\}/, '123456789012');
      expect(host.replace(/\$\{Token[^}]*\}/, 'ap-southeast-15').length).toBeLessThanOrEqual(63);
    },
  );

  test('two long names of stages have two hosts', () => {
    expect(signInHost('abcdefghij')).not.toBe(signInHost('abcdefghik'));
  });
});

test('alarms are on metrics that AWS has, where they are not on our own', () => {
  const database = loadAwsServiceSpecSync();
  /** In AWS's documentation, and not yet in its specification. */
  const BESIDES = [
    ...['AWS/Backup NumberOfBackupJobsCompleted', 'AWS/CertificateManager DaysToExpiry'],
    ...[
      'AWS/Cognito SignInThrottles',
      'AWS/Cognito SignUpThrottles',
      'AWS/Lambda ClaimedAccountConcurrency',
      'AWS/Lambda AsyncEventsDropped',
    ],
    ...['AWS/Lambda DroppedEventCount', 'AWS/Lambda OnFailureDestinationDeliveredEventCount'],
  ];
  const alarms = everyTemplate.flatMap((template) => propertiesOf(template, 'AWS::CloudWatch::Alarm'));
  const named = new Set(
    [...JSON.stringify(alarms).matchAll(/"MetricName":"(\w+)","Namespace":"(AWS\/\w+)"/g)].map(
      ([, name = '', namespace = '']) => `${namespace} ${name}`,
    ),
  );
  expect(named.size).toBeGreaterThan(15);
  const unknown = [...named].filter((metric) => {
    const [namespace = '', name = ''] = metric.split(' ');
    const known = [...database.lookup('metric', 'namespace', 'equals', namespace)];
    return !known.some((one) => one.name === name) && !BESIDES.includes(metric);
  });
  expect(unknown).toEqual([]);
});

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { RegionInfo } from 'aws-cdk-lib/region-info';
import { describe, expect, test } from '@jest/globals';
import type { Stage } from '../../functions/wiring.ts';
import { resourceTypes, STAGES, stages, type StackTemplate } from '../support/stack.ts';
import { knownAttributes } from '../support/template-rules/physical.ts';
import { publishedSchemas } from '../support/template-rules/published.ts';
import { resolvedResources, type ResolvedResource } from '../support/template-rules/resolved.ts';
import { breachesOf, keptTypes } from '../support/template-rules/schemas.ts';
import { findingsOf, hasAttribute, isMetric } from '../support/template-rules/specification.ts';

const all = await stages();
type StageName = keyof typeof STAGES;

const REGIONS = RegionInfo.regions.map(({ name }) => name);
const LONGEST_REGION = REGIONS.toSorted((a, b) => b.length - a.length)[0] ?? '';

const stageOf = (name: StageName): Stage => ('stage' in STAGES[name] ? STAGES[name].stage : 'dev') as Stage;
const resourcesIn = (name: StageName, region: string): ResolvedResource[] =>
  resolvedResources(all[name], stageOf(name), region);

/** The findings of a rule for resources, without duplicates. */
const said = (
  resources: readonly ResolvedResource[],
  rule: (type: string, properties: object) => string[],
): string[] => [
  ...new Set(
    resources.flatMap(({ stackName, id, type, properties }) =>
      rule(type, properties).map((text) => `${stackName} ${id} (${type}) ${text}`),
    ),
  ),
];

const everywhere = (Object.keys(STAGES) as StageName[]).flatMap((name) => resourcesIn(name, LONGEST_REGION));

describe('the templates of all stages', () => {
  test('have types whose schemas are kept here, and no other schemas are', () => {
    const [used, kept] = [resourceTypes(all), new Set(keptTypes())];
    const renew = 'run npm run schemas -- <folder> (docs/contributing.md, "What CloudFormation allows")';
    expect([...used].filter((type) => !kept.has(type)).map((type) => `no schema of ${type}: ${renew}`)).toEqual([]);
    expect([...kept].filter((type) => !used.has(type)).map((type) => `${type} is in no template: ${renew}`)).toEqual(
      [],
    );
  });

  test('are what CloudFormation’s schemas allow, where the name of the region is the longest', () => {
    expect(said(everywhere, breachesOf)).toEqual([]);
  });

  test('have nothing that AWS’s documentation does not know, or that is deprecated', () => {
    expect(said(everywhere, findingsOf)).toEqual([]);
  });
});

test('alarms are on metrics that AWS has, where they are not on our own', () => {
  interface Metric {
    readonly Namespace?: string;
    readonly MetricName?: string;
  }
  const alarms = everywhere.filter(({ type }) => type === 'AWS::CloudWatch::Alarm');
  const metrics = alarms.flatMap(({ properties }): Metric[] => {
    const { Metrics = [] } = properties as { Metrics?: { readonly MetricStat?: { readonly Metric: Metric } }[] };
    return [properties, ...Metrics.flatMap(({ MetricStat }) => MetricStat?.Metric ?? [])];
  });
  const named = metrics.flatMap(({ Namespace, MetricName }) =>
    Namespace !== undefined && MetricName !== undefined ? [[Namespace, MetricName] as const] : [],
  );
  expect(named.length).toBeGreaterThan(100);
  expect(named.filter(([namespace, name]) => !isMetric(namespace, name))).toEqual([]);
});

test('attributes that templates ask for are those that types have', () => {
  expect(knownAttributes().filter(([type, attribute]) => !hasAttribute(type, attribute))).toEqual([]);
});

test('a stage with all settings at their bounds is what CloudFormation’s schemas allow with the name of any region', () => {
  const inRegions = REGIONS.flatMap((region) => resourcesIn('widest', region));
  expect(said(inRegions, breachesOf)).toEqual([]);
});

describe('a breach is noticed', () => {
  const sample = resourcesIn('widest', 'eu-central-1');
  const propertiesOfA = (type: string): object => sample.find((resource) => resource.type === type)?.properties ?? {};
  const LAMBDA = 'AWS::Lambda::Function';
  const ALARM = 'AWS::CloudWatch::Alarm';
  const TABLE = 'AWS::DynamoDB::GlobalTable';
  const STRING = { AttributeName: 'pk', AttributeType: 'S' };

  test.each([
    ['a name that is none', LAMBDA, { Timeoutt: 3 }, '/properties: must NOT have additional properties: Timeoutt'],
    ['a property that is missing', LAMBDA, { Role: undefined }, "must have required property 'Role'"],
    ['another type', LAMBDA, { Timeout: 'soon' }, '/properties/Timeout: must be integer'],
    ['a number that is too large', LAMBDA, { Timeout: 901 }, '/properties/Timeout: must be <= 900'],
    ['a value that is not listed', LAMBDA, { Runtime: 'nodejs99.x' }, 'must be equal to one of the allowed values'],
    ['another pattern', LAMBDA, { Role: 'arn:aws:sns:eu-central-1:123456789012:topic' }, 'must match pattern'],
    [
      'text that is too long',
      ALARM,
      { AlarmDescription: 'x'.repeat(1_025) },
      'must NOT have more than 1024 characters',
    ],
    ['what CloudFormation gives', LAMBDA, { Arn: 'arn' }, '/properties/Arn: read-only'],
    ['what excludes each other', ALARM, { MetricName: 'a', Metrics: [{ Id: 'a' }] }, 'must NOT be valid'],
    ['neither of what is asked for', ALARM, { MetricName: undefined, Metrics: undefined }, 'must match exactly one'],
    ['two of one name', TABLE, { AttributeDefinitions: [STRING, STRING] }, 'must pass "uniqueKeys"'],
    ['too many of a kind', ALARM, { AlarmActions: [1, 2, 3, 4, 5, 6] }, 'must pass "maxUniqueItems"'],
  ])('%s', (_what, type, changed, text) => {
    const properties = Object.entries({ ...propertiesOfA(type), ...changed }).filter(
      ([, value]) => value !== undefined,
    );
    expect(breachesOf(type, propertiesOfA(type))).toEqual([]);
    expect(breachesOf(type, Object.fromEntries(properties)).join('\n')).toContain(text);
  });

  test('but not a number that is written as text, nor the other way round', () => {
    const asText = { Timeout: '5', Environment: { Variables: { STAGE: 7 } } };
    expect(breachesOf(LAMBDA, { ...propertiesOfA(LAMBDA), ...asText })).toEqual([]);
  });

  test('what is deprecated, listed nowhere, or on a metric or attribute that there is not', () => {
    const canary = 'AWS::Synthetics::Canary';
    expect(findingsOf(canary, { DeleteLambdaResourcesOnCanaryDeletion: true })).toEqual([
      '/properties/DeleteLambdaResourcesOnCanaryDeletion: deprecated',
    ]);
    expect(findingsOf('AWS::Logs::LogGroup', { RetentionInDays: 31 })).toEqual([
      expect.stringContaining('none of 1, '),
    ]);
    expect(isMetric('AWS/Lambda', 'Error')).toBe(false);
    expect(isMetric('AWS/Lamda', 'Errors')).toBe(false);
    expect(hasAttribute('AWS::IAM::Role', 'Arnn')).toBe(false);
  });
});

describe('the properties that are judged', () => {
  const resources = (...templates: readonly [object, object?]): Record<string, object> => {
    const [data, gateway = { Resources: {} }] = templates as [StackTemplate, StackTemplate?];
    const stage = {
      data,
      gateway,
      isProtected: { data: false, gateway: false, edge: undefined },
      names: [],
      places: [],
      warnings: [],
    };
    const found = resolvedResources(stage, 'dev', 'cn-north-1');
    return Object.fromEntries(found.map(({ id, properties }) => [id, properties]));
  };
  const made = (value: unknown, others: object = {}): unknown =>
    (resources({ Resources: { It: { Type: 'A', Properties: { value } }, ...others } }).It as { value: unknown }).value;
  const topic = { Topic: { Type: 'AWS::SNS::Topic', Properties: {} } };
  const role = { Role: { Type: 'AWS::IAM::Role', Properties: { RoleName: { 'Fn::Join': ['-', ['a', 'b']] } } } };

  test.each([
    ['the place', { Ref: 'AWS::Region' }, 'cn-north-1'],
    ['the partition', { Ref: 'AWS::Partition' }, 'aws-cn'],
    ['the domain of addresses', { Ref: 'AWS::URLSuffix' }, 'amazonaws.com.cn'],
    ['joined text', { 'Fn::Join': [':', ['a', { Ref: 'AWS::AccountId' }]] }, 'a:123456789012'],
    ['filled text', { 'Fn::Sub': 'a-${AWS::Region}' }, 'a-cn-north-1'],
    [
      'a part of text',
      { 'Fn::Select': [1, { 'Fn::Split': ['/', { Ref: 'AWS::StackId' }] }] },
      'SandboxGateway-dev-data',
    ],
    [
      'the name that is made',
      { Ref: 'Topic' },
      expect.stringMatching(/^arn:aws-cn:sns:.*:SandboxGateway-dev-data-Topic-/),
    ],
    ['the name that is set', { 'Fn::GetAtt': ['Role', 'Arn'] }, 'arn:aws-cn:iam::123456789012:role/a-b'],
    ['nothing, left out', [{ Ref: 'AWS::NoValue' }, 1], [1]],
  ])('have %s', (_what, value, text) => {
    expect(made(value, { ...topic, ...role })).toEqual(text);
  });

  test('have what another stack of the stage exports', () => {
    const Outputs = { It: { Value: { Ref: 'AWS::StackName' }, Export: { Name: 'name' } } };
    const importing = { Resources: { It: { Type: 'A', Properties: { value: { 'Fn::ImportValue': 'name' } } } } };
    expect(resources({ Resources: {}, Outputs }, importing)).toEqual({ It: { value: 'SandboxGateway-dev-data' } });
  });

  test.each([
    ['a function', { 'Fn::If': ['a', 1, 2] }, 'does not know Fn::If'],
    ['an attribute', { 'Fn::GetAtt': ['Role', 'Arnn'] }, 'what the attribute Arnn of AWS::IAM::Role is'],
    ['a resource', { Ref: 'Rolle' }, 'has no resource Rolle'],
    ['an import', { 'Fn::ImportValue': 'name' }, 'exports name'],
  ])('are not guessed: %s that is not known is said', (_what, value, text) => {
    expect(() => made(value, role)).toThrow(text);
  });
});

describe('npm run schemas', () => {
  const [BUCKET, TOPIC] = ['AWS::S3::Bucket', 'AWS::SNS::Topic'];
  const inCfnLint = {
    'cfnlint/data/schemas/providers/us_east_1.py': `types = {\n    "${BUCKET}": "00aa",\n    "${TOPIC}": "22cc",\n}\n`,
    'cfnlint/data/schemas/providers/eu_west_1.py': `types = {\n    "${BUCKET}": "11bb",\n}\n`,
    'cfnlint/data/schemas/resources/00aa.json': '{ "bucket": 1 }',
    'cfnlint/data/schemas/resources/11bb.json': '{ "bucket": 2 }',
  };
  /** The stored schemas of types, from a folder with these files. */
  function takenFrom(files: Readonly<Record<string, string>>, ...types: readonly string[]): [string, string][] {
    const folder = mkdtempSync(join(tmpdir(), 'schemas-'));
    try {
      for (const [name, content] of Object.entries(files)) {
        mkdirSync(dirname(join(folder, name)), { recursive: true });
        writeFileSync(join(folder, name), content);
      }
      return [...publishedSchemas(folder, new Set(types))];
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  test('keeps the schemas of the types that are used, as they are in the first region', () => {
    expect(takenFrom(inCfnLint, BUCKET)).toEqual([[BUCKET, '{ "bucket": 1 }']]);
  });

  test('refuses a folder in which a type has no schema, or that has none at all', () => {
    const types = [BUCKET, TOPIC, 'AWS::SQS::Queue'];
    expect(() => takenFrom(inCfnLint, ...types)).toThrow(/ has no schema of AWS::SNS::Topic, AWS::SQS::Queue\.$/);
    expect(() => takenFrom({ 'bucket.json': '{}' }, BUCKET)).toThrow(/ has no cfn-lint: /);
  });
});

import { RegionInfo } from 'aws-cdk-lib/region-info';
import { describe, expect, test } from '@jest/globals';
import type { Stage } from '../../functions/wiring.ts';
import { IS_FULL } from '../support/extent.ts';
import { STAGES, stages, type StackTemplate } from '../support/stack.ts';
import { findingsOf } from '../support/template-rules/findings.ts';
import { knownAttributes } from '../support/template-rules/physical.ts';
import { resolvedResources, type ResolvedResource } from '../support/template-rules/resolved.ts';
import { hasAttribute, isMetric } from '../support/template-rules/specification.ts';

const all = await stages();
type StageName = keyof typeof STAGES;

const BY_LENGTH = RegionInfo.regions.toSorted((a, b) => b.name.length - a.name.length);
const LONGEST_REGION = BY_LENGTH[0]?.name ?? '';
/** The region with the longest name of each partition; in a full run every region. */
const REGIONS = IS_FULL
  ? BY_LENGTH
  : [...Map.groupBy(BY_LENGTH, ({ partition }) => partition).values()].flatMap(([first]) => first ?? []);

const stageOf = (name: StageName): Stage => ('stage' in STAGES[name] ? STAGES[name].stage : 'dev') as Stage;
const resourcesIn = (name: StageName, region: string): ResolvedResource[] =>
  resolvedResources(all[name], stageOf(name), region);

const everywhere = (Object.keys(STAGES) as StageName[]).flatMap((name) => resourcesIn(name, LONGEST_REGION));
const inRegions = REGIONS.flatMap(({ name }) => resourcesIn('widest', name));

const propertiesOfA = (wanted: string): object => inRegions.find(({ type }) => type === wanted)?.properties ?? {};
const LAMBDA = 'AWS::Lambda::Function';
const ALARM = 'AWS::CloudWatch::Alarm';
const TABLE = 'AWS::DynamoDB::GlobalTable';
const CANARY = 'AWS::Synthetics::Canary';
const STRING = { AttributeName: 'pk', AttributeType: 'S' };
/** What is wrong, the type of a resource, what is changed in it, and a part of the finding. */
const BREACHES = [
  ['a name that is none', LAMBDA, { Timeoutt: 3 }, "'Timeoutt' was unexpected"],
  ['a property that is missing', LAMBDA, { Role: undefined }, "'Role' is a required property"],
  ['another type', LAMBDA, { Timeout: 'soon' }, "'soon' is not of type 'integer'"],
  ['a number that is too large', LAMBDA, { Timeout: 901 }, '901 exceeds maximum 900'],
  ['a value that is not listed', LAMBDA, { Runtime: 'nodejs99.x' }, "'nodejs99.x' is not one of"],
  ['another pattern', LAMBDA, { Role: 'arn:aws:sns:eu-central-1:123456789012:topic' }, 'does not match pattern'],
  ['text that is too long', ALARM, { AlarmDescription: 'x'.repeat(1_025) }, 'length 1025 exceeds maximum 1024'],
  ['what excludes each other', ALARM, { MetricName: 'a', Metrics: [{ Id: 'a' }] }, 'should not be included with'],
  ['neither of what is asked for', ALARM, { MetricName: undefined, Metrics: undefined }, 'Exactly one of'],
  ['two of one name', TABLE, { AttributeDefinitions: [STRING, STRING] }, 'items are not unique'],
  ['what is deprecated', CANARY, { DeleteLambdaResourcesOnCanaryDeletion: true }, 'is deprecated'],
] as const;
const broken = BREACHES.map(([, type, changed]) => ({ type, properties: { ...propertiesOfA(type), ...changed } }));
const asText = { Timeout: '5', Environment: { Variables: { STAGE: 7 } } };
const written = { type: LAMBDA, properties: { ...propertiesOfA(LAMBDA), ...asText } };
const findings = await findingsOf([...everywhere, ...inRegions, ...broken, written]);

/** The findings in resources, without duplicates. */
const said = (resources: readonly ResolvedResource[]): string[] => [
  ...new Set(
    resources.flatMap((resource) =>
      findings(resource).map((text) => `${resource.stackName} ${resource.id} (${resource.type}) ${text}`),
    ),
  ),
];

test('the templates of all stages are what CloudFormation allows, where the name of the region is the longest', () => {
  expect(said(everywhere)).toEqual([]);
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

test('a stage with all settings at their bounds is what CloudFormation allows with the name of any region', () => {
  expect(said(inRegions)).toEqual([]);
});

describe('a breach is noticed', () => {
  test.each(BREACHES.map(([what, , , text], i) => [what, i, text] as const))('%s', (_what, i, text) => {
    expect(findings(broken[i] ?? written).join('\n')).toContain(text);
  });

  test('but not a number that is written as text, nor the other way round', () => {
    expect(findings(written)).toEqual([]);
  });

  test('a metric or an attribute that there is not', () => {
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

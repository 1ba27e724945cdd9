import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import {
  actionsOf,
  propertiesOf,
  resourcesOf,
  stages,
  statementsOf,
  variablesIn,
  type StackTemplate,
} from '../support/stack.ts';

const { prod, full } = await stages();
const { notices } = prod;

interface Mapping {
  readonly FunctionName: unknown;
  readonly EventSourceArn: unknown;
  readonly FilterCriteria?: { readonly Filters: readonly { readonly Pattern: string }[] };
  readonly DestinationConfig?: object;
  readonly MaximumRecordAgeInSeconds?: number;
  readonly MaximumBatchingWindowInSeconds?: number;
}
const mappings = (template: StackTemplate) => propertiesOf<Mapping>(template, 'AWS::Lambda::EventSourceMapping');
const ofStream = (template: StackTemplate) => mappings(template).filter(({ FilterCriteria }) => FilterCriteria);
const patternsOf = ({ FilterCriteria }: Mapping) =>
  FilterCriteria?.Filters.map(({ Pattern }) => JSON.parse(Pattern) as unknown);

describe('the stream', () => {
  test('has both images, of both tables, since a replica needs it', () => {
    const streams = propertiesOf<{ StreamSpecification?: object }>(prod.data, 'AWS::DynamoDB::GlobalTable').map(
      ({ StreamSpecification }) => StreamSpecification,
    );
    const stream = { StreamViewType: 'NEW_AND_OLD_IMAGES' };
    expect(streams).toEqual([stream, stream]);
  });

  test('brings what people changed, and counters, and nothing that a request writes otherwise', () => {
    const key = (pk: string, ...sk: string[]) => ({
      dynamodb: { Keys: { pk: { S: [{ prefix: pk }] }, sk: { S: sk.map((prefix) => ({ prefix })) } } },
    });
    const IS_ASKED = { isAsked: { BOOL: [true] } };
    expect(ofStream(notices).map(patternsOf)).toEqual([
      [
        { eventName: ['INSERT'], ...key('ACCOUNT#', 'AUDIT#') },
        { eventName: ['INSERT'], ...key('NOTICES#', 'MARK#', 'RETELL#', 'LEFT-KEYS#') },
        { eventName: ['INSERT'], dynamodb: { ...key('NOTICES#', 'DELIVERY#').dynamodb, NewImage: IS_ASKED } },
      ],
      [{ eventName: ['INSERT', 'MODIFY'], ...key('PROJECT#', 'QUOTA#', 'KEYUNITS#') }],
    ]);
  });

  test('brings changes of people at once, and counters every five minutes, as the promise of thresholds says', () => {
    const windows = ofStream(notices).map(({ MaximumBatchingWindowInSeconds: seconds = 0 }) => seconds);
    expect(windows).toEqual([0, 300]);
    const late = /up to five\s+minutes/;
    for (const page of [
      ...['docs/promises.md', 'docs/using-the-portal.md', 'docs/api/webhooks.md', 'openapi.yaml'],
      'portal/notices/threshold-settings.tsx',
    ])
      expect(readFileSync(page, 'utf8')).toMatch(late);
  });

  test('loses nothing while a store is down for hours, and is not stopped longer: the record is kept in a bucket', () => {
    expect(ofStream(notices).map((mapping) => mapping.MaximumRecordAgeInSeconds)).toEqual([6 * 3_600, 3_600]);
    for (const mapping of ofStream(notices)) {
      expect(mapping).not.toHaveProperty('MaximumRetryAttempts');
      expect(mapping).toMatchObject({
        BisectBatchOnFunctionError: true,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        DestinationConfig: { OnFailure: { Destination: { 'Fn::GetAtt': [expect.any(String), 'Arn'] } } },
        StartingPosition: 'TRIM_HORIZON',
      });
    }
  });
});

describe('the queues', () => {
  interface Queue {
    readonly VisibilityTimeout?: number;
    readonly RedrivePolicy?: { readonly maxReceiveCount: number };
    readonly FifoQueue?: boolean;
    readonly SqsManagedSseEnabled: boolean;
  }
  const queues = propertiesOf<Queue>(notices, 'AWS::SQS::Queue');
  const live = queues.filter(({ RedrivePolicy }) => RedrivePolicy);

  test('are standard queues, which are fair by group, each with its dead letters, and encrypted', () => {
    expect([queues.length, live.length]).toEqual([6, 3]);
    expect(queues.filter(({ FifoQueue, SqsManagedSseEnabled }) => FifoQueue === true || !SqsManagedSseEnabled)).toEqual(
      [],
    );
  });

  test('are there without mail, too, and keep what is in them: none but the newest has another id than before', () => {
    const ids = resourcesOf(notices, 'AWS::SQS::Queue').map(([id]) => id);
    expect(ids.filter((id) => !id.includes('Daily'))).toEqual([
      'NoticesMailsDeadLetters5B455675',
      'NoticesMailsQueue9ECF3C76',
      'NoticesWebhooksDeadLetters3084CFB6',
      'NoticesWebhooksQueueCE14A418',
    ]);
  });

  test('give a message again after six timeouts of their function, as AWS advises, for a day', () => {
    const functions = resourcesOf(notices, 'AWS::Lambda::Function');
    const served = resourcesOf(notices, 'AWS::SQS::Queue').flatMap(([id, { Properties }]) => {
      const mapping = mappings(notices).find((one) => JSON.stringify(one.EventSourceArn).includes(`"${id}"`));
      if (!mapping) return [];
      const { VisibilityTimeout = 0, RedrivePolicy } = Properties as Queue;
      const [, name = ''] = /"(\w+)Live/.exec(JSON.stringify(mapping.FunctionName)) ?? [];
      const [, lambda] = functions.find(([id]) => id.startsWith(`${name}Function`)) ?? [];
      const { Timeout } = lambda?.Properties as { Timeout: number };
      return [[VisibilityTimeout / Timeout, VisibilityTimeout * (RedrivePolicy?.maxReceiveCount ?? 0)]];
    });
    expect(served).toEqual(Array(3).fill([6, 24 * 3_600]));
  });
});

describe('what fails', () => {
  const alarms = resourcesOf(notices, 'AWS::CloudWatch::Alarm');
  test('asynchronously (bounces, complaints, the hour) is kept in the bucket, and an alarm says so', () => {
    const kept = { OnFailure: { Destination: { 'Fn::GetAtt': [expect.stringMatching(/ChangesFailures/), 'Arn'] } } };
    expect(propertiesOf(notices, 'AWS::Lambda::EventInvokeConfig')).toMatchObject([
      { Qualifier: 'live', MaximumRetryAttempts: 2, MaximumEventAgeInSeconds: 21_600, DestinationConfig: kept },
    ]);
    const [[, config] = []] = resourcesOf(notices, 'AWS::Lambda::EventInvokeConfig');
    expect(config?.DependsOn).toEqual([expect.stringMatching(/Live/)]);
    expect(JSON.stringify(alarms)).toContain('AsyncEventsDropped');
  });
});

describe('mail', () => {
  const isOfSes = (type: string) => type.startsWith('AWS::SES::');

  test('is off without mailFrom: nothing of SES, and no right to send', () => {
    expect(Object.values(notices.Resources).filter(({ Type }) => isOfSes(Type))).toEqual([]);
    expect(statementsOf(notices, 'Notices').flatMap(actionsOf)).not.toContain('ses:SendEmail');
    expect(variablesIn(notices)).toMatchObject({ MAIL_FROM: '', SES_CONFIGURATION_SET: '' });
  });

  test('goes over TLS alone', () => {
    expect(propertiesOf(full.notices, 'AWS::SES::ConfigurationSet')).toMatchObject([
      { DeliveryOptions: { TlsPolicy: 'REQUIRE' } },
    ]);
  });

  test('is sent from that address only, and what SES tells of it comes back to the function', () => {
    const template = full.notices;
    const statement = statementsOf(template, 'Notices').find((one) => actionsOf(one).includes('ses:SendEmail'));
    expect(statement?.Condition).toEqual({ StringEquals: { 'ses:FromAddress': 'portal@example.com' } });
    expect(variablesIn(template)).toMatchObject({
      MAIL_FROM: 'Developer portal <portal@example.com>',
      SES_CONFIGURATION_SET: 'sandbox-gateway-shop',
    });
    expect(propertiesOf(template, 'AWS::SES::ConfigurationSetEventDestination')).toMatchObject([
      { EventDestination: { Enabled: true, MatchingEventTypes: ['bounce', 'complaint'] } },
    ]);
    const rules = propertiesOf<{ EventPattern?: object }>(template, 'AWS::Events::Rule');
    const told = rules.flatMap(({ EventPattern }) => EventPattern ?? []).filter((one) => 'detail' in one);
    expect(told).toEqual([
      {
        source: ['aws.ses'],
        'detail-type': ['Email Bounced', 'Email Complaint Received'],
        detail: { mail: { tags: { 'ses:configuration-set': ['sandbox-gateway-shop'] } } },
      },
    ]);
  });
});

describe('the notices function', () => {
  test('may put messages back into the queues that invoke it: Lambda would stop the 17th invocation otherwise', () => {
    const functions = propertiesOf(notices, 'AWS::Lambda::Function');
    expect(functions).toMatchObject([{ RecursiveLoop: 'Allow' }, { RecursiveLoop: 'Allow', Timeout: 900 }]);
  });

  test('is asked each hour', () => {
    const [rule] = propertiesOf(notices, 'AWS::Events::Rule');
    expect(rule).toMatchObject({
      ScheduleExpression: 'rate(1 hour)',
      Targets: [{ Input: '{"source":"schedule"}', Arn: { Ref: expect.stringContaining('Live') } }],
    });
  });
});

import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { METRICS } from '../../functions/contract.ts';
import { PROD, propertiesOf, synthesise, type Statement } from '../support/stack.ts';

const ALARM = 'AWS::CloudWatch::Alarm';
const stages = synthesise({
  prod: PROD,
  elsewhere: { runbookUrl: 'https://wiki.example.com/gateway' },
  mailed: { ...PROD, alarmEmail: 'team@example.com' },
});
const { gateway } = stages.prod;

interface Alarm {
  readonly AlarmName: string;
  readonly AlarmDescription: string;
  readonly AlarmActions: unknown[];
  readonly OKActions: unknown[];
  readonly TreatMissingData: string;
  readonly MetricName?: string;
  readonly Threshold: number;
}
const alarms = propertiesOf<Alarm>(gateway, ALARM);
const alarm = (name: string) => alarms.find(({ AlarmName }) => AlarmName === `sandbox-gateway-prod-${name}`);

describe('the alarms', () => {
  test('watch what the runbook answers', () => {
    expect(alarms.map(({ AlarmName }) => AlarmName.replace('sandbox-gateway-prod-', '')).sort()).toEqual([
      'ClockAhead',
      'GatewayTableThrottles',
      'HealthErrors',
      'HealthThrottles',
      'Latency',
      'PingErrors',
      'PingThrottles',
      'ServerErrors',
      'TableSystemErrors',
      'TransactionsGivenUp',
      'UsageEventsLost',
      'UsageTableThrottles',
    ]);
  });

  test.each(alarms.map((found) => [found.AlarmName, found] as const))(
    '%s tells the topic, says what to do and where to read on, and why missing data is no alarm',
    (name, { AlarmActions, OKActions, AlarmDescription, TreatMissingData }) => {
      const topic = [{ Ref: expect.stringMatching(/^AlarmTopic/) }];
      expect([AlarmActions, OKActions]).toEqual([topic, topic]);
      expect(TreatMissingData).toBe('notBreaching');
      expect(AlarmDescription).toMatch(/No data (means|is)/);
      const anchor = /README\.md#(\S+)$/.exec(AlarmDescription)?.[1];
      expect(anchor).toBe(`alarm-${name.replace('sandbox-gateway-prod-', '').toLowerCase()}`);
      expect(AlarmDescription.length).toBeLessThanOrEqual(1024);
    },
  );

  test('have a heading in the runbook each', () => {
    const readme = readFileSync('README.md', 'utf8');
    const headings = [...readme.matchAll(/^#+ Alarm: (\w+)$/gm)].map(([, name]) => name);
    expect(headings.sort()).toEqual(
      alarms.map(({ AlarmName }) => AlarmName.replace('sandbox-gateway-prod-', '')).sort(),
    );
  });

  test('link to the runbook where the team keeps it', () => {
    for (const { AlarmDescription } of propertiesOf<Alarm>(stages.elsewhere.gateway, ALARM)) {
      expect(AlarmDescription).toMatch(/Runbook: https:\/\/wiki\.example\.com\/gateway#alarm-[a-z]+$/);
    }
  });

  test('go off when one response of a hundred takes 1.5 s over five minutes', () => {
    expect(alarm('Latency')).toMatchObject({
      Namespace: 'AWS/ApiGateway',
      MetricName: 'Latency',
      ExtendedStatistic: 'p99',
      Threshold: 1500,
      Period: 300,
      EvaluationPeriods: 1,
    });
  });

  test('watch every count of what should not happen, in the dimensions that the functions report', () => {
    for (const metricName of Object.values(METRICS)) {
      const watching = alarms.filter(({ MetricName }) => MetricName === metricName);
      expect(watching).toEqual([
        expect.objectContaining({
          Namespace: 'SandboxGateway',
          Dimensions: [
            { Name: 'service', Value: 'sandbox-gateway' },
            { Name: 'stage', Value: 'prod' },
          ],
          Statistic: 'Sum',
        }),
      ]);
    }
  });
});

describe('the topic of the alarms', () => {
  test('lets CloudWatch publish, of this account only, and refuses plain connections', () => {
    const [policy] = propertiesOf<{ PolicyDocument: { Statement: Statement[] } }>(gateway, 'AWS::SNS::TopicPolicy');
    expect(policy?.PolicyDocument.Statement).toEqual([
      expect.objectContaining({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
      expect.objectContaining({
        Effect: 'Allow',
        Action: 'sns:Publish',
        Principal: { Service: 'cloudwatch.amazonaws.com' },
        Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
      }),
    ]);
  });

  test('mails to the address that is set', () => {
    expect(propertiesOf(gateway, 'AWS::SNS::Subscription')).toEqual([]);
    const email = { Protocol: 'email', Endpoint: 'team@example.com' };
    expect(propertiesOf(stages.mailed.gateway, 'AWS::SNS::Subscription')).toEqual([expect.objectContaining(email)]);
  });
});

describe('the dashboard', () => {
  const [dashboard] = propertiesOf<{ DashboardBody: unknown }>(gateway, 'AWS::CloudWatch::Dashboard');
  const body = JSON.stringify(dashboard?.DashboardBody);

  test.each([
    'Traffic by outcome',
    'Refusals and failures by code',
    'What callers wait, ms',
    'Function: p99 by outcome, ms',
    'Units charged',
    'Cold starts',
    'DynamoDB latency, p99 ms',
    'DynamoDB throttles',
    'Consumed capacity, units a minute',
  ])('shows %s', (title) => {
    expect(body).toContain(title);
  });

  test('searches the metrics in the dimensions that the functions report', () => {
    const schema = '{SandboxGateway,service,stage,route,outcome}';
    for (const metric of ['Requests', 'Latency', 'UnitsCharged']) {
      expect(body).toContain(`${schema} MetricName=\\\\\\"${metric}\\\\\\" stage=\\\\\\"prod\\\\\\"`);
    }
  });
});

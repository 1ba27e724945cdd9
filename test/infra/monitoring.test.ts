import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { METRICS } from '../../functions/shared/names.ts';
import { GATEWAY_QUERIES, NOTICES_QUERIES, PORTAL_QUERIES } from '../../lib/monitoring/saved-queries.ts';
import { propertiesOf, stages, type StackTemplate, type Statement } from '../support/stack.ts';

const ALARM = 'AWS::CloudWatch::Alarm';
const { dev, alone, prod, full, watched, restored, ownIssuer, devEdge } = await stages();
const { gateway } = alone;

interface Alarm {
  readonly AlarmName: string;
  readonly AlarmDescription: string;
  readonly AlarmActions: unknown[];
  readonly OKActions: unknown[];
  readonly TreatMissingData: string;
  readonly Threshold: number;
  readonly Metrics?: {
    readonly Expression?: string;
    readonly MetricStat?: {
      readonly Metric: { readonly Namespace: string; readonly MetricName: string; readonly Dimensions: unknown };
    };
  }[];
}
// A stage with a probe and a portal has all alarms.
const alarms = propertiesOf<Alarm>(watched.gateway, ALARM);
const alarm = (name: string, among = alarms) =>
  among.find(({ AlarmName }) => AlarmName === `sandbox-gateway-shop-${name}`);
const nameOf = ({ AlarmName }: Alarm) => AlarmName.replace(/^sandbox-gateway-shop-(eu-central-1-)?/, '');
const namesIn = (template: StackTemplate) => propertiesOf<Alarm>(template, ALARM).map(nameOf);

const portalAlarms = propertiesOf<Alarm>(prod.portal, ALARM);
const noticesAlarms = propertiesOf<Alarm>(full.notices, ALARM);
const backupAlarms = propertiesOf<Alarm>(full.data, ALARM);
const edgeAlarms = propertiesOf<Alarm>(full.edge, ALARM);
/** The alarms of every stack of a stage with everything. */
const everyAlarm = [...alarms, ...portalAlarms, ...noticesAlarms, ...backupAlarms, ...edgeAlarms];

describe('the alarms of a portal', () => {
  const named = (name: string) => portalAlarms.find((found) => nameOf(found) === name);
  const terms = (name: string) =>
    (named(name)?.Metrics ?? []).flatMap(({ MetricStat }) =>
      MetricStat ? [`${MetricStat.Metric.Namespace} ${MetricStat.Metric.MetricName}`] : [],
    );

  test('watch the user pool where people sign in with it, and the counts of sign-ins and of the ledger', () => {
    expect(propertiesOf<Alarm>(ownIssuer.portal, ALARM).map(nameOf)).not.toContain('UserPoolThrottles');
    expect(terms('UserPoolThrottles')).toEqual(['AWS/Cognito SignInThrottles', 'AWS/Cognito SignUpThrottles']);
    expect(named('SignInsFailing')).toMatchObject({ Namespace: 'SandboxGateway', MetricName: 'SignInsFailed' });
    expect(named('LedgerDifference')).toMatchObject({ MetricName: 'LedgerDifferences', Threshold: 1, Period: 300 });
    expect(named('LedgerDifference')?.AlarmDescription).toMatch(/^PAGE/);
  });

  test('count the portal’s own metrics under its own name, minute by minute', () => {
    const Dimensions = [
      { Name: 'service', Value: 'sandbox-gateway-portal' },
      { Name: 'stage', Value: 'shop' },
    ];
    const minutes = { Namespace: 'SandboxGateway', Dimensions, Statistic: 'Sum', Period: 60, EvaluationPeriods: 5 };
    for (const [name, MetricName, Threshold] of [
      ['PortalInternalErrors', 'InternalErrors', 1],
      ['PortalThrottled', 'ThrottledRequests', 60],
    ] as const) {
      expect(named(name)).toMatchObject({ ...minutes, MetricName, Threshold, DatapointsToAlarm: 3 });
    }
  });

  test('look at a percentile of enough requests only, and end when there are no more', () => {
    expect(named('PortalLatency')?.Metrics?.[0]).toMatchObject({ Expression: 'IF(samples >= 50, slowest, 0)' });
    expect(named('PortalLatency')).not.toHaveProperty('EvaluateLowSampleCountPercentile');
  });

  test('watch CloudFront where its metrics are, and only there', () => {
    const conditions = Object.values(prod.portal.Resources).flatMap((resource) =>
      'Condition' in resource ? [[(resource.Properties as Alarm).AlarmName, resource.Condition]] : [],
    );
    expect(conditions).toEqual([['sandbox-gateway-shop-EdgeErrors', expect.stringContaining('IsAtTheEdge')]]);
    const [dashboard] = propertiesOf<{ DashboardBody: unknown }>(prod.portal, 'AWS::CloudWatch::Dashboard');
    expect(JSON.stringify(dashboard?.DashboardBody)).toMatch(/5xxErrorRate.{1,400}us-east-1/);
  });
});

describe('the alarms', () => {
  test('of a probe are there with it', () => {
    const added = (template: StackTemplate) => namesIn(template).filter((name) => !namesIn(gateway).includes(name));
    expect(added(watched.gateway)).toEqual(['Probe', 'ProbeAnswers', 'PortalProbe']);
    expect(namesIn(prod.gateway)).toEqual(namesIn(gateway));
  });

  /** Alarms whose metrics must have data, with or without requests. */
  const MUST_BE_THERE = ['Probe', 'BackupMissing', 'ClientCertificateExpiry'];
  const ofOtherStacks = new Set([...portalAlarms, ...noticesAlarms]);
  test.each(everyAlarm.map((found) => [nameOf(found), found] as const))(
    '%s tells its stack’s topic or the gateway’s, says what to do and where to read on, and what missing data means: no alarm, but of what must be there',
    (name, found) => {
      const { AlarmActions, OKActions, AlarmDescription, TreatMissingData } = found;
      const topic = ofOtherStacks.has(found)
        ? [{ 'Fn::ImportValue': expect.stringContaining('AlarmTopic') }]
        : [{ Ref: expect.stringMatching(/^(AlarmTopic|BackupsTopic)/) }];
      expect([AlarmActions, OKActions]).toEqual([topic, topic]);
      expect(TreatMissingData).toBe(MUST_BE_THERE.includes(name) ? 'breaching' : 'notBreaching');
      expect(AlarmDescription).toMatch(/No data (means|is)|A stage that is younger than/);
      // A mail cannot have a relative link into the repository.
      expect(AlarmDescription).toMatch(
        new RegExp(
          ` Runbook: (docs/runbook\\.md of the gateway's repository, Alarm: ${name}|https:.*#alarm-${name.toLowerCase()})$`,
        ),
      );
      expect(AlarmDescription.length).toBeLessThanOrEqual(1024);
    },
  );

  test('say page or tomorrow, and name saved queries that are there; the runbook says the same', () => {
    const page = readFileSync('docs/runbook.md', 'utf8');
    const queries = new Set([GATEWAY_QUERIES, PORTAL_QUERIES, NOTICES_QUERIES].flatMap((group) => Object.keys(group)));
    for (const found of everyAlarm) {
      const { AlarmDescription } = found;
      const name = nameOf(found);
      const [, inRunbook] = new RegExp(`^### Alarm: ${name}\\n\\n\\*\\*(\\w+)\\.\\*\\*`, 'm').exec(page) ?? [];
      const [, said] = /^(PAGE|TOMORROW)\. /.exec(AlarmDescription) ?? [];
      expect([name, said]).toEqual([name, inRunbook?.toUpperCase()]);
      const asked = [...AlarmDescription.matchAll(/“([^”]+)”/g)].map(([, query = '']) => query);
      expect(asked.filter((query) => !queries.has(query))).toEqual([]);
    }
  });

  test('of a stage that is not a production one page nobody', () => {
    const ofDev = [dev.gateway, dev.portal, dev.notices, devEdge.edge].flatMap((template) =>
      propertiesOf<Alarm>(template, ALARM),
    );
    expect(ofDev.length).toBeGreaterThan(30);
    expect(ofDev.filter(({ AlarmDescription }) => !AlarmDescription.startsWith('TOMORROW. '))).toEqual([]);
  });

  test('have a heading in the runbook each', () => {
    const page = readFileSync('docs/runbook.md', 'utf8');
    const headings = [...page.matchAll(/^#+ Alarm: (\w+)$/gm)].map(([, name]) => name);
    expect(headings.sort()).toEqual(everyAlarm.map(nameOf).sort());
  });

  test('link to the runbook where the team keeps it', () => {
    for (const { AlarmDescription } of propertiesOf<Alarm>(full.gateway, ALARM)) {
      expect(AlarmDescription).toMatch(/Runbook: https:\/\/wiki\.example\.com\/gateway#alarm-[a-z]+$/);
    }
  });

  const api = [
    { Name: 'ApiId', Value: { 'Fn::ImportValue': expect.stringContaining('Api') } },
    { Name: 'Stage', Value: '$default' },
  ];
  const live = (name: string) => [
    { Name: 'FunctionName', Value: { Ref: expect.stringMatching(new RegExp(`${name}Function`)) } },
    { Name: 'Resource', Value: { 'Fn::Join': ['', [expect.anything(), ':live']] } },
  ];
  const own = [
    { Name: 'service', Value: 'sandbox-gateway' },
    { Name: 'stage', Value: 'shop' },
  ];
  const threeOfFive = { EvaluationPeriods: 5, DatapointsToAlarm: 3 };
  const atOnce = { EvaluationPeriods: 1, DatapointsToAlarm: 1 };
  const minuteSum = { Statistic: 'Sum', Period: 60, ...threeOfFive };
  const fiveMinuteSum = { Statistic: 'Sum', Period: 300, ...atOnce };

  test.each([
    [
      'Concurrency',
      { Namespace: 'AWS/Lambda', MetricName: 'ClaimedAccountConcurrency', Statistic: 'Maximum', Threshold: 8 },
    ],
    [
      'InternalErrors',
      { Namespace: 'SandboxGateway', MetricName: 'InternalErrors', Dimensions: own, Threshold: 1, ...minuteSum },
    ],
    [
      'Throttled',
      { Namespace: 'SandboxGateway', MetricName: 'ThrottledRequests', Dimensions: own, Threshold: 60, ...minuteSum },
    ],
    ...['Metered', 'Health'].flatMap((name) =>
      ['Errors', 'Throttles'].map((metric) => [
        `${name}${metric}`,
        { Namespace: 'AWS/Lambda', MetricName: metric, Dimensions: live(name), Threshold: 1, ...minuteSum },
      ]),
    ),
    ...Object.entries({
      TransactionsGivenUp: [METRICS.transactionsGivenUp, 5],
      TransactionsThrottled: [METRICS.transactionsThrottled, 5],
      UsageEventsLost: [METRICS.usageEventLost, 1],
      ClockAhead: [METRICS.rateWindowAheadOfClock, 1],
    }).map(([name, [MetricName, Threshold]]) => [
      name,
      { Namespace: 'SandboxGateway', MetricName, Dimensions: own, Threshold, ...fiveMinuteSum },
    ]),
  ] as [string, object][])('%s watches one metric, in the dimensions that it is reported in', (name, expected) => {
    expect(alarm(name)).toMatchObject({ ComparisonOperator: 'GreaterThanOrEqualToThreshold', ...expected });
  });

  test('Latency looks at no few requests, of which the slowest alone is the 99th percentile, and ends when few are left', () => {
    const [expression, ...terms] = alarm('Latency')?.Metrics ?? [];
    expect(expression?.Expression).toBe('IF(requests >= 200, p99, 0)');
    const ofLatency = (Stat: string) =>
      expect.objectContaining({
        MetricStat: {
          Metric: { Namespace: 'AWS/ApiGateway', MetricName: 'Latency', Dimensions: api },
          Period: 300,
          Stat,
        },
      });
    expect(terms).toEqual([ofLatency('SampleCount'), ofLatency('p99')]);
    expect(alarm('Latency')).toMatchObject({ Threshold: 1500, EvaluationPeriods: 3, DatapointsToAlarm: 2 });
  });

  test('ServerErrors leaves out of both parts what was simulated, over five minutes, and is never below 0', () => {
    const [share, ...terms] = alarm('ServerErrors')?.Metrics ?? [];
    expect(share?.Expression).toBe(
      'IF(errors > FILL(simulated, 0), 100 * (errors - FILL(simulated, 0)) / (requests - FILL(simulated, 0)), 0)',
    );
    const sumOf = (Namespace: string, MetricName: string, Dimensions: unknown) =>
      expect.objectContaining({
        MetricStat: { Metric: { Namespace, MetricName, Dimensions }, Period: 300, Stat: 'Sum' },
      });
    expect(terms).toEqual([
      sumOf('AWS/ApiGateway', '5xx', api),
      sumOf('AWS/ApiGateway', 'Count', api),
      sumOf('SandboxGateway', METRICS.simulatedServerErrors, own),
    ]);
    // Two metrics may count one response in different periods, so one period alone may be wrong: both of two must
    // exceed.
    expect(alarm('ServerErrors')).toMatchObject({ Threshold: 1, EvaluationPeriods: 2, DatapointsToAlarm: 2 });
  });

  test('no other alarm of the gateway counts what was simulated', () => {
    const counts = /5xx|ErrorRate/;
    expect(alarms.filter((each) => counts.test(JSON.stringify(each.Metrics))).map(nameOf)).toEqual(['ServerErrors']);
  });

  test.each([
    ['Probe', 'every-answer'],
    ['ProbeAnswers', 'our-answers'],
    ['PortalProbe', 'portal'],
  ])('%s watches in what share of the probe’s runs its own step failed', (name, step) => {
    const [expression, succeeded] = alarm(name)?.Metrics ?? [];
    expect(expression?.Expression).toBe('100 - succeeded');
    expect(succeeded?.MetricStat).toMatchObject({
      Metric: { Namespace: 'CloudWatchSynthetics', MetricName: 'SuccessPercent' },
      Stat: 'Average',
      Period: 60,
    });
    expect(succeeded?.MetricStat?.Metric.Dimensions).toEqual([
      { Name: 'CanaryName', Value: { Ref: expect.stringMatching(/Probe/) } },
      { Name: 'StepName', Value: step },
    ]);
    expect(alarm(name)).toMatchObject({ Threshold: 1, ...threeOfFive });
  });

  test('Concurrency goes off at 80 % of what the account may have', () => {
    expect(alarm('Concurrency', propertiesOf<Alarm>(full.gateway, ALARM))?.Threshold).toBe(800);
  });

  // A list of calls would have to follow the code, and an alarm adds up at most ten metrics.
  test('TableSystemErrors sees every call to both tables, whose ever it is: the portal’s, the CLI’s', () => {
    const query = (...tables: unknown[]) =>
      `SELECT SUM(SystemErrors) FROM SCHEMA("AWS/DynamoDB", Operation, TableName) WHERE ${tables.map((name) => `TableName = '${String(name)}'`).join(' OR ')}`;
    const queriesOf = (template: StackTemplate) =>
      (alarm('TableSystemErrors', propertiesOf<Alarm>(template, ALARM))?.Metrics ?? []).map(
        ({ Expression }) => Expression,
      );
    expect(queriesOf(restored.gateway)).toEqual([query('Gateway-restored', 'Usage-restored')]);
    const [join] = queriesOf(gateway) as unknown as [{ 'Fn::Join': [string, unknown[]] }];
    const parts = join['Fn::Join'][1].map((part) => (typeof part === 'string' ? part : JSON.stringify(part)));
    expect(parts.join('').replace(/\{"Fn::ImportValue":"[^"]*RefTables(\w+?)[0-9A-F]{8}\w*"\}/g, '$1')).toBe(
      query('Gateway', 'Usage'),
    );
    expect(alarm('TableSystemErrors')).toMatchObject({ Threshold: 1, ...threeOfFive });
  });

  const table = (name: string) => ({ 'Fn::ImportValue': expect.stringContaining(`RefTables${name}`) });
  const ofTable = (name: string) => [{ Name: 'TableName', Value: table(name) }];
  const throttles = (name: string) =>
    ['ReadThrottleEvents', 'WriteThrottleEvents'].map((metric) => ['AWS/DynamoDB', metric, ofTable(name)]);

  test.each([
    ['GatewayTableThrottles', /^FILL\(\w+, 0\) \+ FILL\(\w+, 0\)$/, throttles('Gateway')],
    ['UsageTableThrottles', /^FILL\(\w+, 0\) \+ FILL\(\w+, 0\)$/, throttles('Usage')],
  ] as const)('%s adds up several metrics, minute by minute', (name, expression, metrics) => {
    const [sum, ...terms] = alarm(name)?.Metrics ?? [];
    expect(sum?.Expression).toMatch(expression);
    expect(
      terms.map(({ MetricStat }) => [
        MetricStat?.Metric.Namespace,
        MetricStat?.Metric.MetricName,
        MetricStat?.Metric.Dimensions,
      ]),
    ).toEqual(metrics);
    for (const { MetricStat } of terms) expect(MetricStat).toMatchObject({ Stat: 'Sum', Period: 60 });
    expect(alarm(name)).toMatchObject({ Threshold: 1, ...threeOfFive });
  });
});

test('the page of costs counts the metrics that alarms read, each of which is billed', () => {
  const page = readFileSync('docs/cost-and-limits.md', 'utf8');
  const rows = Array.from(page.matchAll(/^\| alarms of the (\w+) *\| +([\d.]+) \| on (\d+) metrics?\b/gm));
  const counted = Object.fromEntries(
    rows.map(([, whose = '', usd, metrics]) => [whose, [Number(metrics), Number(usd)]]),
  );
  const metricsOf = (template: StackTemplate): number => {
    const read = propertiesOf<Alarm>(template, ALARM).map(
      // The number of results of a query is not known: at least one.
      ({ Metrics = [] }) => Math.max(1, Metrics.filter(({ MetricStat }) => MetricStat).length),
    );
    return read.reduce((sum, count) => sum + count, 0);
  };
  const priced = (metrics: number) => [metrics, metrics / 10];
  expect(counted).toEqual({
    gateway: priced(metricsOf(gateway)),
    probe: priced(metricsOf(watched.gateway) - metricsOf(gateway)),
    edge: priced(metricsOf(full.edge)),
    backups: priced(metricsOf(full.data)),
    portal: priced(metricsOf(prod.portal)),
    notices: priced(metricsOf(full.notices)),
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
    expect(propertiesOf(full.gateway, 'AWS::SNS::Subscription')).toEqual([expect.objectContaining(email)]);
  });
});

test('a budget mails when the account costs more than it was set to', () => {
  const BUDGET = 'AWS::Budgets::Budget';
  expect(propertiesOf(gateway, BUDGET)).toEqual([]);
  const at = (NotificationType: string, Threshold: number) => ({
    Notification: { NotificationType, Threshold, ThresholdType: 'PERCENTAGE', ComparisonOperator: 'GREATER_THAN' },
    Subscribers: [{ SubscriptionType: 'EMAIL', Address: 'team@example.com' }],
  });
  expect(propertiesOf(full.gateway, BUDGET)).toEqual([
    expect.objectContaining({
      Budget: { BudgetType: 'COST', TimeUnit: 'MONTHLY', BudgetLimit: { Amount: 200, Unit: 'USD' } },
      NotificationsWithSubscribers: [at('ACTUAL', 50), at('ACTUAL', 100), at('FORECASTED', 100)],
    }),
  ]);
});

describe('the dashboard', () => {
  const [dashboard] = propertiesOf<{ DashboardName: unknown; DashboardBody: unknown }>(
    gateway,
    'AWS::CloudWatch::Dashboard',
  );
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

  test('has a name of its own in each region: names of dashboards are those of the account', () => {
    expect(dashboard?.DashboardName).toEqual({ 'Fn::Join': ['', ['sandbox-gateway-shop-', { Ref: 'AWS::Region' }]] });
  });

  test('shows what callers wait at the median, the 95th and the 99th percentile; metrics of this stage, in the dimensions that the functions report', () => {
    for (const percentile of ['p50', 'p95', 'p99']) expect(body).toContain(`\\"stat\\":\\"${percentile}\\"`);
    const stage = 'stage=\\\\\\"shop\\\\\\"';
    expect(body).toContain(`{SandboxGateway,function_name,service,stage} MetricName=\\\\\\"ColdStart\\\\\\" ${stage}`);
    // The portal's requests are counted under the same names: the gateway's graphs leave them out.
    for (const metric of ['Requests', 'Latency', 'UnitsCharged']) {
      const found = `{SandboxGateway,service,stage,route,outcome} MetricName=\\\\\\"${metric}\\\\\\"`;
      expect(body).toContain(`${found} service=\\\\\\"sandbox-gateway\\\\\\" ${stage}`);
    }
  });
});

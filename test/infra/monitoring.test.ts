import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { METRICS, NOTICES_METRICS, PORTAL_METRICS } from '../../functions/shared/names.ts';
import { GATEWAY_QUERIES, NOTICES_QUERIES, PORTAL_QUERIES } from '../../lib/monitoring/saved-queries.ts';
import { isOn, type Evaluated } from '../support/metric-math.ts';
import { propertiesOf, stages, type StackTemplate, type Statement, type SynthesisedStage } from '../support/stack.ts';

const ALARM = 'AWS::CloudWatch::Alarm';
const { dev, devMailed, devEdge, alone, prod, full, watched, restored, ownIssuer, portalOff } = await stages();
const { gateway } = alone;

interface Alarm extends Evaluated {
  readonly AlarmName: string;
  readonly AlarmDescription: string;
  readonly AlarmActions: unknown[];
  readonly OKActions: unknown[];
  readonly Namespace?: string;
  readonly Dimensions?: unknown;
}
// A stage with a probe and a portal has all alarms.
const alarms = propertiesOf<Alarm>(watched.gateway, ALARM);
const alarm = (name: string, among = alarms) =>
  among.find(({ AlarmName }) => AlarmName === `sandbox-gateway-shop-${name}`);
const nameOf = ({ AlarmName }: Alarm) => AlarmName.replace(/^sandbox-gateway-shop-(eu-central-1-)?/, '');

const portalAlarms = propertiesOf<Alarm>(prod.portal, ALARM);
const noticesAlarms = propertiesOf<Alarm>(full.notices, ALARM);
const backupAlarms = propertiesOf<Alarm>(full.data, ALARM);
const edgeAlarms = propertiesOf<Alarm>(full.edge, ALARM);
const dashboards = (stage: SynthesisedStage) =>
  stage.parts.flatMap((part) =>
    propertiesOf<{ DashboardName: unknown; DashboardBody: unknown }>(stage[part], 'AWS::CloudWatch::Dashboard'),
  );
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

  test('watch CloudFront where its metrics are, and only there', () => {
    const conditions = Object.values(prod.portal.Resources).flatMap((resource) =>
      'Condition' in resource ? [[(resource.Properties as Alarm).AlarmName, resource.Condition]] : [],
    );
    expect(conditions).toEqual([['sandbox-gateway-shop-EdgeErrors', expect.stringContaining('IsAtTheEdge')]]);
    expect(JSON.stringify(dashboards(prod))).toMatch(/5xxErrorRate.{1,400}us-east-1/);
  });
});

describe('the alarms', () => {
  /** Alarms whose metrics must have data, with or without requests. */
  const MUST_BE_THERE = ['Probe', 'BackupMissing', 'ClientCertificateExpiry', 'NoticesDay'];
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
      expect(AlarmDescription).toMatch(/No data (means|is)/);
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
    const headings = [...page.matchAll(/^#+ Alarm: (\w+)$/gm)].map(([, name]) => name);
    expect(headings.sort()).toEqual(everyAlarm.map(nameOf).sort());
  });

  test('page where many fail now, and none for what another one pages for', () => {
    const paging = everyAlarm.filter(({ AlarmDescription }) => AlarmDescription.startsWith('PAGE. ')).map(nameOf);
    expect(paging.sort()).toEqual([
      ...['EdgeErrors', 'GatewayEdgeErrors', 'LedgerDifference', 'PagerTest', 'PortalProbe', 'PortalServerErrors'],
      ...['PortalThrottled', 'Probe', 'ServerErrors', 'SignInsFailing', 'Throttled'],
    ]);
  });

  test('have one that tests the pager: its documented filter lets through what the documented test sends', () => {
    const [runbook, deploying] = ['runbook', 'deploying'].map((page) => readFileSync(`docs/${page}.md`, 'utf8'));
    const [, prefix = '-'] =
      /"FilterPolicy":"{\\"AlarmDescription\\":\[{\\"prefix\\":\\"(\w+)\\"}\]}"/.exec(deploying ?? '') ?? [];
    const tests = [runbook, deploying].flatMap((page = '') =>
      [...page.matchAll(/set-alarm-state --alarm-name sandbox-gateway-\S+?-(\w+) /g)].map(([, name = '']) => name),
    );
    expect(tests).toEqual(['PagerTest', 'PagerTest']);
    for (const name of tests) expect(alarm(name)?.AlarmDescription).toMatch(new RegExp(`^${prefix}\\b`));
  });

  test('of a stage that is not a production one page nobody', () => {
    const ofDev = devMailed.parts.flatMap((part) => propertiesOf<Alarm>(devMailed[part], ALARM));
    expect(ofDev.length).toBeGreaterThan(30);
    expect(ofDev.filter(({ AlarmDescription }) => !AlarmDescription.startsWith('TOMORROW. '))).toEqual([]);
  });

  const api = [
    { Name: 'ApiId', Value: { 'Fn::ImportValue': expect.stringContaining('Api') } },
    { Name: 'Stage', Value: '$default' },
  ];
  test('look at metrics of our own under names that a function reports, in the dimensions of its service', () => {
    const reported = new Set<string>(
      [METRICS, PORTAL_METRICS, NOTICES_METRICS].flatMap((names) => Object.values<string>(names)),
    );
    // The metric filter of the access log counts these.
    reported.add('ThrottledRequests');
    // Nobody counts this one.
    reported.add('PagerTest');
    const metrics = everyAlarm.flatMap(({ MetricName, Namespace, Dimensions, Metrics = [] }) => [
      { MetricName, Namespace, Dimensions },
      ...Metrics.flatMap(({ MetricStat }) => MetricStat?.Metric ?? []),
    ]);
    const ofApis = metrics.filter(({ Namespace }) => Namespace === 'AWS/ApiGateway');
    expect(ofApis.map(({ Dimensions }) => Dimensions)).toEqual(ofApis.map(() => api));
    const ours = metrics.filter(({ Namespace }) => Namespace === 'SandboxGateway');
    expect(ours.length).toBeGreaterThan(12);
    for (const { MetricName = '', Dimensions } of ours) {
      expect(reported).toContain(MetricName);
      const service = expect.stringMatching(/^sandbox-gateway(-portal|-notices)?$/);
      expect(Dimensions).toEqual([
        { Name: 'service', Value: service },
        { Name: 'stage', Value: 'shop' },
      ]);
    }
  });

  test('follow the account’s quota, and the steps of the probe that there are', () => {
    expect(alarm('Concurrency', propertiesOf<Alarm>(full.gateway, ALARM))?.Threshold).toBe(800);
    const text = JSON.stringify(alarms);
    expect([...text.matchAll(/"Name":"StepName","Value":"([\w-]+)"/g)].map(([, step]) => step).sort()).toEqual([
      ...['every-answer', 'our-answers', 'portal'],
    ]);
  });

  test('of the gateway count no simulated 5xx, but ServerErrors, which leaves it out again', () => {
    const counts = /5xx|ErrorRate/;
    expect(alarms.filter((each) => counts.test(JSON.stringify(each.Metrics))).map(nameOf)).toEqual(['ServerErrors']);
  });

  // A list of calls would have to follow the code, and an alarm adds up at most ten metrics.
  test('TableSystemErrors sees every call to both tables, whose ever it is: the portal’s, the CLI’s', () => {
    const [query] = alarm('TableSystemErrors', propertiesOf<Alarm>(restored.gateway, ALARM))?.Metrics ?? [];
    expect(query?.Expression).toMatch(
      /^SELECT SUM\(SystemErrors\) .*WHERE TableName = 'Gateway-restored' OR TableName = 'Usage-restored'$/,
    );
  });
});

describe('what an alarm sees', () => {
  const RATE = '5xxErrorRate';
  const SIMULATED = METRICS.simulatedServerErrors;
  const DAYS = NOTICES_METRICS.daysComplete;
  const FAILED = PORTAL_METRICS.signInsFailed;
  const none = (count: number) => Array.from({ length: count }, () => undefined);
  const minutes = (bad: number, value: number) => [...none(5 - bad), ...Array.from({ length: bad }, () => value)];
  test.each([
    ['ServerErrors', 'five of 400 in both spans', true, { '5xx': [5, 5], Count: [400, 400] }],
    ['ServerErrors', 'four of four', false, { '5xx': [4, 4], Count: [4, 4] }],
    ['ServerErrors', 'five of 600', false, { '5xx': [5, 5], Count: [600, 600] }],
    ['ServerErrors', 'one bad span', false, { '5xx': [0, 50], Count: [60, 60] }],
    ['ServerErrors', 'simulated 5xx', false, { '5xx': [50, 50], Count: [60, 60], [SIMULATED]: [50, 50] }],
    ['ServerErrors', 'simulated ones counted early', false, { '5xx': [0, 50], Count: [60, 60], [SIMULATED]: [50, 0] }],
    ['ServerErrors', 'five others among them', true, { '5xx': [55, 55], Count: [550, 550], [SIMULATED]: [50, 50] }],
    ['ServerErrors', 'a simulation in one span', true, { '5xx': [6, 5], Count: [9, 9], [SIMULATED]: [1, undefined] }],
    ['PortalServerErrors', 'five of 100 in three minutes', true, { '5xx': minutes(3, 5), Count: minutes(3, 100) }],
    ['PortalServerErrors', 'five of 101', false, { '5xx': minutes(5, 5), Count: minutes(5, 101) }],
    ['PortalServerErrors', 'four of four', false, { '5xx': minutes(5, 4), Count: minutes(5, 4) }],
    ...['EdgeErrors', 'GatewayEdgeErrors'].flatMap((name) => [
      [name, 'half of ten', true, { [RATE]: minutes(3, 50), Requests: minutes(3, 10) }] as const,
      [name, 'four of four', false, { [RATE]: minutes(5, 100), Requests: minutes(5, 4) }] as const,
      [name, '40 of 1,000', false, { [RATE]: minutes(5, 4), Requests: minutes(5, 1_000) }] as const,
    ]),
    ['SignInsFailing', 'five', true, { [FAILED]: [5] }],
    ['SignInsFailing', 'four', false, { [FAILED]: [4] }],
    ['Probe', 'no run', true, {}],
    ['ProbeAnswers', 'no run', false, {}],
    ['PagerTest', 'nothing that happens', false, {}],
    ['NoticesDay', 'a day that was complete', false, { [DAYS]: [...none(20), 1, ...none(9)] }],
    ['NoticesDay', 'none for 30 hours', true, { [DAYS]: none(30) }],
  ] as [string, string, boolean, Record<string, (number | undefined)[]>][])(
    '%s, %s: it is on: %s',
    (name, _what, expected, points) => {
      const found = everyAlarm.find((one) => nameOf(one) === name);
      expect(found && isOn(found, points)).toBe(expected);
    },
  );

  test('is of one period, and at most the ten metrics that an expression may read', () => {
    for (const { Metrics = [] } of everyAlarm) {
      const read = Metrics.flatMap(({ MetricStat }) => MetricStat ?? []);
      expect(read.length).toBeLessThanOrEqual(10);
      expect(new Set(read.map(({ Period }) => Period)).size).toBeLessThanOrEqual(1);
    }
  });
});

const metricsOf = (template: StackTemplate): number => {
  const read = propertiesOf<Alarm>(template, ALARM).map(
    // The number of results of a query is not known: at least one.
    ({ Metrics = [] }) => Math.max(1, Metrics.filter(({ MetricStat }) => MetricStat).length),
  );
  return read.reduce((sum, count) => sum + count, 0);
};

test('the page of costs counts the metrics that alarms read, each of which is billed', () => {
  const page = readFileSync('docs/cost-and-limits.md', 'utf8');
  const rows = Array.from(page.matchAll(/^\| alarms of the (\w+) *\| +([\d.]+) \| on (\d+) metrics?\b/gm));
  const counted = Object.fromEntries(
    rows.map(([, whose = '', usd, metrics]) => [whose, [Number(metrics), Number(usd)]]),
  );
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

/** The numbers of a row of the page, in its columns. */
const rowOf = (page: string, name: string): number[][] => {
  const [, row = ''] = new RegExp(`^\\| ${name}[^|]*\\|(.*)\\|$`, 'm').exec(page) ?? [];
  return row.split('|').map((cell) => Array.from(cell.matchAll(/[\d.]*\d/g), Number));
};

test('the page of costs says what an idle stage costs by what its templates make, with somebody who is told and without', () => {
  const [, page = ''] = readFileSync('docs/cost-and-limits.md', 'utf8').split('### An idle stage');
  const bill = (stage: SynthesisedStage) => {
    const all = <T>(type: string) => stage.parts.flatMap((part) => propertiesOf<T>(stage[part], type));
    const polled = all<{ ScalingConfig?: object }>('AWS::Lambda::EventSourceMapping').filter(
      ({ ScalingConfig }) => ScalingConfig,
    );
    return {
      'alarms of': stage.parts.reduce((sum, part) => sum + metricsOf(stage[part]), 0) / 10,
      'the dashboard': 3 * dashboards(stage).length,
      secrets: (4 * all('AWS::SecretsManager::Secret').length) / 10,
      // Five requests at once of twenty seconds, in a month of 730 hours, at 0.40 a million.
      polls: Math.round((polled.length * 5 * 3 * 60 * 730 * 0.4) / 10_000) / 100,
    };
  };
  const [watchedBill, idleBill] = [bill(devMailed), bill(dev)];
  for (const [name, usd] of Object.entries(watchedBill)) {
    const [ofWatched = [], ofIdle = []] = rowOf(page, name);
    expect([name, ofWatched[0], ofIdle[0]]).toEqual([name, usd, idleBill[name as keyof typeof idleBill]]);
  }
  const sumOf = (usd: object) =>
    Object.values<number>(usd as Record<string, number>).reduce((sum, one) => sum + one, 0);
  expect(rowOf(page, 'in all')).toEqual([
    [expect.closeTo(sumOf(watchedBill)), expect.closeTo(sumOf(watchedBill) + 0.3)],
    [expect.closeTo(sumOf(idleBill))],
  ]);
  expect(sumOf(idleBill)).toBeLessThan(2);
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

describe('a stage', () => {
  const every = { Ref: 'AWS::Region' };
  test('has one dashboard, in the stack that each has, by a name of its own in each region: it shows all alarms that certainly exist', () => {
    for (const [stage, mayBeMissing] of [
      [prod, ['EdgeErrors']],
      [portalOff, []],
    ] as const) {
      expect(dashboards(stage)).toEqual(propertiesOf(stage.gateway, 'AWS::CloudWatch::Dashboard'));
      const [dashboard, ...others] = dashboards(stage);
      expect(others).toEqual([]);
      expect(dashboard?.DashboardName).toEqual({ 'Fn::Join': ['', ['sandbox-gateway-shop-', every]] });
      const body = JSON.stringify(dashboard?.DashboardBody);
      const shown = new Set(Array.from(body.matchAll(/:alarm:sandbox-gateway-shop-(\w+)/g), ([, name]) => name));
      const there = stage.parts.flatMap((part) => propertiesOf<Alarm>(stage[part], ALARM).map(nameOf));
      expect([...shown, ...mayBeMissing].sort()).toEqual(there.sort());
    }
  });

  test('that is no production one has neither alarms nor a dashboard without alarmEmail, and then both', () => {
    const watching = (stage: SynthesisedStage) => [
      stage.parts.flatMap((part) => propertiesOf(stage[part], ALARM)).length,
      dashboards(stage).length,
    ];
    expect([dev, devEdge].map(watching)).toEqual([
      [0, 0],
      [0, 0],
    ]);
    expect(watching(devMailed)).toEqual([expect.any(Number), 1]);
    expect(dev.gateway.Outputs).not.toHaveProperty('DashboardUrl');
  });
});

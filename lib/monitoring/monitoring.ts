import { Aws, CfnCondition, Duration, Fn, Stack, Token } from 'aws-cdk-lib';
import {
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  Stats,
  type CfnAlarm,
  type IMetric,
  type IWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Alias } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { OWN_RUNBOOK } from '../setting-values.ts';
import type { StageFunction } from '../stage-function.ts';
import type { StageProps } from '../stage-props.ts';
import type { AlarmDefinition } from './alarm-definition.ts';
import { addAlarm, type AlarmContext } from './alarms.ts';
import { EDGE_REGION, MINUTE } from './metrics.ts';
import { saveQueries, type QueryFolder, type SavedQuery } from './saved-queries.ts';

const THIRD = 8;
const FULL = 24;
/** The height of the alarms of a stack; a dashboard of more than a dozen needs more. */
const ALARMS_HEIGHT = 3;

export interface MonitoringProps
  extends StageProps, Pick<AlarmContext, 'topic' | 'whenMissing'>, Omit<QueryFolder, 'functions'> {
  /** Their logs are what the queries read. */
  readonly functions: readonly StageFunction[];
  /** By name. docs/runbook.md has a heading `Alarm: <name>` for each. */
  readonly alarms: Readonly<Record<string, AlarmDefinition>>;
  readonly alarmsHeight?: number;
  /** Rows of graphs, below the alarms. */
  readonly graphs: IWidget[][];
  /** CloudFormation makes one if there is none. */
  readonly dashboardName?: string;
  readonly queries: Readonly<Record<string, SavedQuery>>;
}

/**
 * Watches one stack of a stage by alarms, a dashboard and saved queries. The alarms that only a version can set off
 * roll a canary of its functions back. Returns the name of the dashboard.
 */
export function addMonitoring(scope: Construct, props: MonitoringProps): string {
  const { stage, production, runbookUrl = OWN_RUNBOOK, topic, whenMissing, alarms, graphs, functions } = props;
  const inAlarms = new Construct(scope, 'Alarms');
  // The region is known if the stack names it; otherwise CloudFormation decides.
  const { region } = Stack.of(scope);
  const isElsewhere = !Token.isUnresolved(region) && region !== EDGE_REGION;
  const context = { prefix: `sandbox-gateway-${stage}`, topic, runbookUrl, production, whenMissing };
  const made = Object.entries(alarms)
    .filter(([, { atTheEdge }]) => !(atTheEdge && isElsewhere))
    .map(([name, definition]) => ({ ...definition, alarm: addAlarm(inAlarms, name, definition, context) }));
  for (const { alarm } of made.filter(({ atTheEdge }) => atTheEdge)) {
    const expression = Fn.conditionEquals(Aws.REGION, EDGE_REGION);
    (alarm.node.defaultChild as CfnAlarm).cfnOptions.condition = new CfnCondition(inAlarms, 'IsAtTheEdge', {
      expression,
    });
  }
  const { dashboardName } = new Dashboard(new Construct(scope, 'Monitoring'), 'Dashboard', {
    ...(props.dashboardName !== undefined && { dashboardName: props.dashboardName }),
    defaultInterval: Duration.hours(3),
    widgets: [
      [
        new AlarmStatusWidget({
          title: 'Alarms',
          // Those that certainly exist: a dashboard can show no others.
          alarms: made.filter(({ atTheEdge }) => !atTheEdge).map(({ alarm }) => alarm),
          width: FULL,
          height: props.alarmsHeight ?? ALARMS_HEIGHT,
        }),
      ],
      ...graphs,
    ],
  });
  saveQueries(scope, props.queries, { ...props, functions: functions.map(({ logGroup }) => logGroup) });
  // CodeDeploy accepts ten for a deployment group.
  const rollBack = made.filter(({ rollsBack }) => rollsBack).map(({ alarm }) => alarm);
  for (const each of functions) each.rollBackOn(rollBack);
  return dashboardName;
}

/** A graph of some metrics, a third of the page wide. */
export const graph = (title: string, left: IMetric[], options: { stacked?: boolean; width?: number } = {}): IWidget =>
  new GraphWidget({ title, left, width: THIRD, liveData: true, leftYAxis: { min: 0, showUnits: false }, ...options });

/** A graph of a function's failures, and of what else counts for it. */
export const functionGraph = (title: string, live: Alias, ...others: IMetric[]): IWidget =>
  graph(title, [
    live.metricErrors({ label: 'errors', period: MINUTE }),
    live.metricThrottles({ label: 'throttles', period: MINUTE }),
    ...others,
  ]);

/** Executions of a function at once. */
export const concurrentOf = (live: Alias): IMetric =>
  live.metric('ConcurrentExecutions', { label: 'concurrent', statistic: Stats.MAXIMUM, period: MINUTE });

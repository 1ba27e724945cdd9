import { Aws, CfnCondition, Fn, Stack, Token } from 'aws-cdk-lib';
import { GraphWidget, Stats, type CfnAlarm, type IMetric, type IWidget } from 'aws-cdk-lib/aws-cloudwatch';
import type { Alias } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { OWN_RUNBOOK } from '../setting-values.ts';
import type { StageFunction } from '../stage-function.ts';
import type { StageProps } from '../stage-props.ts';
import type { AlarmDefinition } from './alarm-definition.ts';
import { addAlarm, type AlarmContext } from './alarms.ts';
import { EDGE_REGION, MINUTE } from './metrics.ts';
import type { StageDashboard } from './stage-dashboard.ts';
import { saveQueries, type QueryFolder, type SavedQuery } from './saved-queries.ts';

const THIRD = 8;

export interface MonitoringProps
  extends StageProps, Pick<AlarmContext, 'topic' | 'whenMissing'>, Omit<QueryFolder, 'functions'> {
  /** Their logs are what the queries read. */
  readonly functions: readonly StageFunction[];
  /** By name. docs/runbook.md has a heading `Alarm: <name>` for each. */
  readonly alarms: Readonly<Record<string, AlarmDefinition>>;
  /** The stage's; undefined: nobody watches the stage, so it has no alarms either. */
  readonly dashboard: StageDashboard | undefined;
  /** Of the alarms on the dashboard, and rows of graphs below them. */
  readonly title: string;
  readonly graphs: (dashboard: StageDashboard) => IWidget[][];
  readonly queries: Readonly<Record<string, SavedQuery>>;
}

/** Watches one stack of a stage by alarms, its part of the dashboard, and saved queries. */
export function addMonitoring(scope: Construct, props: MonitoringProps): void {
  saveQueries(scope, props.queries, { ...props, functions: props.functions.map(({ logGroup }) => logGroup) });
  if (props.dashboard) addAlarms(scope, props, props.dashboard);
}

/** The alarms that only a version can set off roll a canary of its functions back. */
function addAlarms(scope: Construct, props: MonitoringProps, dashboard: StageDashboard): void {
  const { stage, production, runbookUrl = OWN_RUNBOOK, topic, whenMissing, alarms, functions } = props;
  const inAlarms = new Construct(scope, 'Alarms');
  // The region is known if the stack names it; otherwise CloudFormation decides.
  const { region } = Stack.of(scope);
  const isElsewhere = !Token.isUnresolved(region) && region !== EDGE_REGION;
  const context = { stage, topic, runbookUrl, production, whenMissing };
  const made = Object.entries(alarms)
    .filter(([, { atTheEdge }]) => !(atTheEdge && isElsewhere))
    .map(([name, definition]) => ({ ...definition, name, alarm: addAlarm(inAlarms, name, definition, context) }));
  for (const { alarm } of made.filter(({ atTheEdge }) => atTheEdge)) {
    const expression = Fn.conditionEquals(Aws.REGION, EDGE_REGION);
    (alarm.node.defaultChild as CfnAlarm).cfnOptions.condition = new CfnCondition(inAlarms, 'IsAtTheEdge', {
      expression,
    });
  }
  // Without those that may not exist.
  const shown = made.filter(({ atTheEdge }) => !atTheEdge).map(({ name }) => name);
  dashboard.add(props.title, shown, props.graphs(dashboard));
  // CodeDeploy accepts ten for a deployment group.
  const rollBack = made.filter(({ rollsBack }) => rollsBack).map(({ alarm }) => alarm);
  for (const each of functions) each.rollBackOn(rollBack);
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

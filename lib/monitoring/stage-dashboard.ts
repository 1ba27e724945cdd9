import { Duration } from 'aws-cdk-lib';
import {
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type Alarm,
  type IMetric,
  type IWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';

const THIRD = 8;
const FULL = 24;
/** The height of the alarms of a stack; a dashboard of more than a dozen needs more. */
const ALARMS_HEIGHT = 3;

export interface StageDashboardProps {
  readonly alarms: readonly Alarm[];
  /** Rows of graphs, below the alarms. */
  readonly rows: readonly IWidget[][];
  readonly alarmsHeight?: number;
  /** CloudFormation makes one if there is none. */
  readonly dashboardName?: string;
}

/** The state of one stack of a stage on one page. */
export class StageDashboard extends Construct {
  readonly dashboardName: string;

  constructor(scope: Construct, id: string, { alarms, rows, alarmsHeight, ...name }: StageDashboardProps) {
    super(scope, id);
    const height = alarmsHeight ?? ALARMS_HEIGHT;
    const status = new AlarmStatusWidget({ title: 'Alarms', alarms: [...alarms], width: FULL, height });
    const widgets = [[status], ...rows];
    const dashboard = new Dashboard(this, 'Dashboard', { ...name, defaultInterval: Duration.hours(3), widgets });
    this.dashboardName = dashboard.dashboardName;
  }
}

/** A graph of some metrics, a third of the page wide. */
export const graph = (title: string, left: IMetric[], options: { stacked?: boolean; width?: number } = {}): IWidget =>
  new GraphWidget({ title, left, width: THIRD, liveData: true, leftYAxis: { min: 0, showUnits: false }, ...options });

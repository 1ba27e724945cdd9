import { ArnFormat, Duration, Stack } from 'aws-cdk-lib';
import {
  Alarm,
  AlarmStatusWidget,
  AlarmWidget,
  Dashboard,
  type IAlarm,
  type IWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { alarmNameOf } from './alarms.ts';
import type { Stage } from '../stack-names.ts';

const THIRD = 8;
const FULL = 24;
/** A row of the status widget has six alarms. */
const ALARMS_A_ROW = 6;
const TITLE_HEIGHT = 1;

/**
 * The one dashboard of a stage, in the gateway's stack, which each stage has. Other stacks add to it, though they are
 * deployed later or not at all: so it knows their alarms by name, and no other resource of theirs.
 */
export class StageDashboard extends Construct {
  readonly dashboardName: string;
  readonly #stage: Stage;
  readonly #dashboard: Dashboard;

  constructor(scope: Construct, id: string, stage: Stage) {
    super(scope, id);
    this.#stage = stage;
    this.#dashboard = new Dashboard(this, 'Dashboard', {
      // Names of dashboards must differ within the account, across regions.
      dashboardName: `sandbox-gateway-${stage}-${Stack.of(this).region}`,
      defaultInterval: Duration.hours(3),
    });
    this.dashboardName = this.#dashboard.dashboardName;
  }

  /** Adds the alarms of a part of the stage, and rows of graphs below them. */
  add(title: string, alarms: readonly string[], graphs: readonly IWidget[][]): void {
    const height = TITLE_HEIGHT + Math.ceil(alarms.length / ALARMS_A_ROW);
    this.#dashboard.addWidgets(
      new AlarmStatusWidget({ title, alarms: alarms.map((name) => this.#alarm(name)), width: FULL, height }),
    );
    for (const row of graphs) this.#dashboard.addWidgets(...row);
  }

  /** A graph of what an alarm looks at: of resources that only its own stack knows. */
  graphOf(alarm: string, title: string, width = THIRD): IWidget {
    return new AlarmWidget({ title, alarm: this.#alarm(alarm), width, leftYAxis: { min: 0, showUnits: false } });
  }

  #alarm(name: string): IAlarm {
    const known = this.node.tryFindChild(name) as IAlarm | undefined;
    const arn = Stack.of(this).formatArn({
      service: 'cloudwatch',
      resource: 'alarm',
      resourceName: alarmNameOf(this.#stage, name),
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
    return known ?? Alarm.fromAlarmArn(this, name, arn);
  }
}

import { Duration } from 'aws-cdk-lib';
import { AlarmStatusWidget, Dashboard, GraphWidget, type Alarm, type IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { NOTICES_METRICS } from '../../functions/wiring.ts';
import { dead, iteratorAge, leftOut, oldest, ownCount, reputation, type MonitoredNotices } from './metrics.ts';

const HALF = 12;
const FULL = 24;

/** The metrics of notices on one page. */
export class NoticesDashboard extends Construct {
  readonly dashboardName: string;

  constructor(scope: Construct, id: string, monitored: MonitoredNotices, alarms: readonly Alarm[]) {
    super(scope, id);
    const { stage, live, mails, webhooks, changes, sendsMail } = monitored;
    const dashboard = new Dashboard(this, 'Dashboard', {
      defaultInterval: Duration.hours(3),
      widgets: [
        [new AlarmStatusWidget({ title: 'Alarms', alarms: [...alarms], width: FULL, height: 3 })],
        [
          graph(
            'What was told, and what failed',
            Object.values(NOTICES_METRICS).map((name) => ownCount(stage, name)),
          ),
          graph('Behind the table, ms', [iteratorAge(live)]),
        ],
        [
          graph('Oldest message, s', [oldest(mails, 'mails'), oldest(webhooks, 'webhooks')]),
          graph('Dead letters, and changes left out', [
            ...[dead(mails, 'mails'), dead(webhooks, 'webhooks')],
            ...Object.values(leftOut(changes)),
          ]),
        ],
        [
          graph('Notices function', [live.metricErrors(), live.metricThrottles(), live.metricDuration()]),
          ...(sendsMail
            ? [
                graph('Mails that came back, and complaints: share', [
                  reputation('Reputation.BounceRate'),
                  reputation('Reputation.ComplaintRate'),
                ]),
              ]
            : []),
        ],
      ],
    });
    this.dashboardName = dashboard.dashboardName;
  }
}

const graph = (title: string, left: IMetric[]): GraphWidget =>
  new GraphWidget({ title, left, width: HALF, liveData: true, leftYAxis: { min: 0, showUnits: false } });

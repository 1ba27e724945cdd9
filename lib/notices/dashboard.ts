import type { IMetric, IWidget } from 'aws-cdk-lib/aws-cloudwatch';
import { NOTICES_METRICS } from '../../functions/shared/names.ts';
import { graph } from '../monitoring/stage-dashboard.ts';
import { dead, iteratorAge, leftOut, ownCount, reputation, type MonitoredNotices } from './metrics.ts';

const half = (title: string, left: IMetric[]): IWidget => graph(title, left, { width: 12 });

/** The graphs of the notices. */
export function noticesGraphs(monitored: MonitoredNotices): IWidget[][] {
  const { stage, live, mails, webhooks, sendsMail } = monitored;
  return [
    [
      half(
        'What was told, and what failed',
        Object.values(NOTICES_METRICS).map((name) => ownCount(stage, name)),
      ),
      half('Behind the table, ms', [iteratorAge(live)]),
    ],
    [
      half('Dead letters, and changes left out', [
        dead(mails, 'mails'),
        dead(webhooks, 'webhooks'),
        ...Object.values(leftOut(monitored)),
      ]),
    ],
    [
      half('Notices function', [live.metricErrors(), live.metricThrottles(), live.metricDuration()]),
      ...(sendsMail
        ? [
            half('Mails that came back, and complaints: share', [
              reputation('Reputation.BounceRate'),
              reputation('Reputation.ComplaintRate'),
            ]),
          ]
        : []),
    ],
  ];
}

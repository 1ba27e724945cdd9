import { Option, type Command } from 'commander';
import {
  summariseUsage,
  USAGE_GROUPINGS,
  type UsageFigures,
  type UsageGrouping,
  type UsageSummary,
} from '../../functions/shared/rules/usage/usage-summary.ts';
import { listUsage } from '../../functions/usage/log.ts';
import { paragraphs } from '../cli/command-line.ts';
import { examples, runs, tableLook } from './session.ts';
import { notShown } from './listing.ts';
import { fittedTable, type Column, type TableLook } from '../cli/table.ts';
import { eventMeter } from './usage-meter.ts';
import { boundsOf, onProjectSpan, spanOf, type ProjectSpanOptions } from './values.ts';
import type { Shell } from '../cli/shell.ts';

/** The heading of the bars, which only repeat the figures. */
const BARS = '';
const BAR_CHARACTERS = 20;
const FOOTNOTE =
  'Days are in UTC. Latency is from receipt to decision, without settlement.\nEvents of 0 units are kept for 30 days.';

/** `admin usage summary`: counts, units and latency percentiles. */
export function summaryCommand(shell: Shell): Command {
  const by = new Option('--by <grouping>', 'what to group by').choices(USAGE_GROUPINGS).default('day');
  const command = onProjectSpan(
    'summary',
    'requests, units and latency percentiles of a project, by group and in total',
  ).addOption(by);
  examples(command, 'usage summary --project … --by key --since 2026-11-01 --stage prod');
  command.addHelpText('after', paragraphs(FOOTNOTE));
  return runs(command, shell, async (store, options: ProjectSpanOptions & { by: UsageGrouping }) => {
    const { project: projectId, by } = options;
    const span = spanOf(options);
    const meter = eventMeter(shell.stderr);
    try {
      const summary = await summariseUsage(meter.counted(listUsage(store, projectId, span)), by);
      const { groups, total } = summary;
      return {
        json: { projectId, ...boundsOf(span), by, groups, total },
        text: summaryText(summary, tableLook(command, shell)),
      };
    } finally {
      meter.clear();
    }
  });
}

/** A summary for people. */
export function summaryText({ by, groups, total }: UsageSummary, look: TableLook): string {
  if (total.requests === 0) return 'No usage events.';
  const largest = Math.max(...groups.map(({ requests }) => requests));
  const rows = groups.map(({ key, ...figures }) => [
    key ?? '-',
    ...cells(figures, total),
    bar(figures.requests / largest),
  ]);
  const columns: Column[] = [
    { heading: by.toUpperCase() },
    { heading: 'REQUESTS', figures: true },
    { heading: 'SHARE', figures: true, spare: 5 },
    { heading: 'UNITS', figures: true, spare: 1 },
    { heading: 'P50', figures: true, spare: 3 },
    { heading: 'P95', figures: true, spare: 2 },
    { heading: 'P99', figures: true, spare: 4 },
    { heading: BARS, spare: 6 },
  ];
  const { text, leftOut } = fittedTable(columns, [...rows, ['total', ...cells(total, total), '']], look);
  return `${text}\n${notShown(leftOut.filter((heading) => heading !== BARS))}\n${FOOTNOTE}`;
}

const cells = (figures: UsageFigures, total: UsageFigures): string[] => [
  String(figures.requests),
  `${((100 * figures.requests) / total.requests).toFixed(1)} %`,
  String(figures.units),
  `${figures.p50LatencyMs} ms`,
  `${figures.p95LatencyMs} ms`,
  `${figures.p99LatencyMs} ms`,
];

/** A bar of the full length for 1. */
const bar = (share: number): string => '█'.repeat(Math.round(share * BAR_CHARACTERS));

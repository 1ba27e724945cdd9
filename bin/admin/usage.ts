import { Command, Option } from 'commander';
import type { AccountStore } from '../../functions/accounts/store/account-store.ts';
import { requireProject } from '../../functions/accounts/projects/stored-projects.ts';
import { USAGE_EVENT_FIELDS, type UsageEvent } from '../../functions/shared/request/usage-event.ts';
import { listUsage } from '../../functions/usage/events/log.ts';
import { readLastUsage } from '../../functions/usage/events/recent.ts';
import { findAmong, findEvent } from '../../functions/usage/events/one-event.ts';
import { everyProject } from './projects.ts';
import { first, listing, type Columns, pieces } from './listing.ts';
import { showReading, eventMeter } from './usage-meter.ts';
import { examples, runs } from './session.ts';
import type { Shell } from '../cli/shell.ts';
import {
  onProjectSpan,
  spanOf,
  MAX_LAST,
  readLast,
  readLimit,
  readId,
  readRequestId,
  type ProjectSpanOptions,
  boundsOf,
} from './values.ts';
import { facts } from '../cli/text.ts';
import { exportCommand } from './usage-export.ts';
import {
  summariseUsage,
  USAGE_GROUPINGS,
  type UsageFigures,
  type UsageGrouping,
  type UsageSummary,
} from './usage-summary.ts';
import { paragraphs } from '../cli/command-line.ts';
import { isColourful, table } from '../cli/table.ts';

/** `admin usage …` */
export const usageCommand = (shell: Shell): Command =>
  new Command('usage')
    .description('usage events of requests')
    .addCommand(list(shell))
    .addCommand(summaryCommand(shell))
    .addCommand(exportCommand(shell))
    .addCommand(show(shell));

function list(shell: Shell): Command {
  const command = onProjectSpan('list', 'list the usage events of a project, oldest first')
    .option('--limit <n>', 'at most this many, from the oldest on (default: all)', readLimit)
    .addOption(
      new Option('--last <n>', `only this many of the newest, 1 to ${MAX_LAST}`).argParser(readLast).conflicts('limit'),
    );
  examples(
    command,
    'usage list --project … --last 20 --stage prod',
    'usage list --project … --since 1h --local',
    'usage list --project … --since 2026-11-21 --limit 100 --local --json',
  );
  return runs(command, shell, (store, options: ProjectSpanOptions & { limit?: number; last?: number }) => {
    const { project, limit, last } = options;
    const span = spanOf(options);
    const events = last === undefined ? listUsage(store, project, span) : lastUsage(store, project, span, last);
    return listing({ name: 'events', entries: first(events, limit), columns: EVENT_COLUMNS, none: 'No usage events.' });
  });
}

async function* lastUsage(...args: Parameters<typeof readLastUsage>): AsyncGenerator<UsageEvent> {
  yield* await readLastUsage(...args);
}

const EVENT_COLUMNS: Columns<UsageEvent> = {
  OCCURRED: ({ occurredAt }) => occurredAt,
  // A code is more specific than its event.
  OUTCOME: ({ event, code, simulated }) => `${code ?? event}${simulated ? ' (simulated)' : ''}`,
  STATUS: ({ status }) => status,
  UNITS: ({ units }) => units,
  LATENCY: ({ latencyMs }) => `${latencyMs} ms`,
  REQUEST: ({ requestId }) => requestId,
  KEY: ({ keyId }) => keyId,
};

/** One event by its request id, for support. */
function show(shell: Shell): Command {
  const command = new Command('show')
    .description('show the usage event of one request')
    .requiredOption('--request <id>', 'its requestId, which is also in X-Service-Request-Id', readRequestId)
    .option('--project <id>', 'its project (default: search every project)', readId);
  examples(command, 'usage show --request 01a1fd70-f1c0-7c41-9d5b-3f2e8a6b1c0d --stage prod');
  return runs(command, shell, async (store, { project, request }: { project?: string; request: string }) => {
    const event =
      project === undefined ? await findAnywhere(store, shell, request) : await findWithin(store, project, request);
    return { json: event, text: facts(shown(event)) };
  });
}

const THINNED = 'If one key has several refusals with one code in a minute, only the first is kept.';

async function findWithin(store: AccountStore, project: string, request: string): Promise<UsageEvent> {
  await requireProject(store, project);
  const { event, keptInstead } = await findEvent(store, project, request);
  if (event) return event;
  const ids = keptInstead.map(({ requestId }) => requestId).join(', ');
  const hint = keptInstead.length > 0 ? ` ${THINNED} In its minute these were kept: ${ids}.` : '';
  throw new Error(`No usage event of project ${project} has requestId ${request}.${hint}`);
}

/** Projects that are searched together. */
const PROJECTS_AT_ONCE = 50;

async function findAnywhere(store: AccountStore, shell: Shell, request: string): Promise<UsageEvent> {
  let searched = 0;
  const search = async (step: () => void): Promise<UsageEvent | undefined> => {
    for await (const some of pieces(everyProject(store), PROJECTS_AT_ONCE)) {
      const event = await findAmong(store, some, request);
      searched += some.length;
      step();
      if (event) return event;
    }
    return undefined;
  };
  const event = await showReading(store, shell, search, () => `, projects searched: ${searched}`);
  if (event) return event;
  const hint = 'Give --project to find a refusal that is kept once a minute.';
  throw new Error(`No usage event of ${searched} projects has requestId ${request}. ${hint}`);
}

const shown = (event: UsageEvent): Record<string, string | number> =>
  Object.fromEntries(USAGE_EVENT_FIELDS.map((field) => [field, String(event[field] ?? '-')]));

const FOOTNOTE =
  'Days are in UTC. Latency is from receipt to decision, without settlement.\nEvents of 0 units are kept for 30 days.';

/** `admin usage summary`: counts, units and latency percentiles. */
function summaryCommand(shell: Shell): Command {
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
        text: summaryText(summary, isColourful(shell.stdout, shell.env)),
      };
    } finally {
      meter.clear();
    }
  });
}

/** A summary for people. */
export function summaryText({ by, groups, total }: UsageSummary, colourful: boolean): string {
  if (total.requests === 0) return 'No usage events.';
  const rows = groups.map(({ key, ...figures }) => [key ?? '-', ...cells(figures, total)]);
  const headings = [by.toUpperCase(), 'REQUESTS', 'SHARE', 'UNITS', 'P50', 'P95', 'P99'];
  return `${table(headings, [...rows, ['total', ...cells(total, total)]], colourful)}\n\n${FOOTNOTE}`;
}

const cells = (figures: UsageFigures, total: UsageFigures): string[] => [
  String(figures.requests),
  `${((100 * figures.requests) / total.requests).toFixed(1)} %`,
  String(figures.units),
  `${figures.p50LatencyMs} ms`,
  `${figures.p95LatencyMs} ms`,
  `${figures.p99LatencyMs} ms`,
];

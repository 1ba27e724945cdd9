import { Command, Option } from 'commander';
import { USAGE_EVENT_FIELDS } from '../../functions/core/usage-event.ts';
import type { UsageEvent } from '../../functions/core/usage-event.ts';
import type { TimeSpan } from '../../functions/store/items.ts';
import { listUsage } from '../../functions/usage/log.ts';
import { readLastUsage } from '../../functions/usage/recent.ts';
import { findUsage } from '../../functions/usage/search.ts';
import { paragraphs } from './command-line.ts';
import { first, listing, type ListColumn } from './listing.ts';
import { showReading } from './usage-meter.ts';
import { examples, runs, runsList } from './session.ts';
import type { Shell } from './shell.ts';
import {
  boundsOf,
  inProject,
  spanOf,
  MAX_LAST,
  readLast,
  readLimit,
  readRequestId,
  type ProjectSpanOptions,
} from './values.ts';
import { facts } from './text.ts';
import { exportCommand } from './usage-export.ts';
import { summaryCommand } from './usage-summary.ts';

/** `admin usage …` */
export const usageCommand = (shell: Shell): Command =>
  new Command('usage')
    .description('what requests did')
    .addCommand(list(shell))
    .addCommand(summaryCommand(shell))
    .addCommand(exportCommand(shell))
    .addCommand(show(shell));

function list(shell: Shell): Command {
  const command = inProject(new Command('list').description('list the usage events of a project, oldest first'))
    .option('--limit <n>', 'at most so many, from the oldest on (default: all)', readLimit)
    .addOption(
      new Option('--last <n>', `only the last so many, 1 to ${MAX_LAST}`).argParser(readLast).conflicts('limit'),
    );
  examples(
    command,
    'usage list --project … --last 20 --stage prod',
    'usage list --project … --since 1h --local',
    'usage list --project … --since 2026-11-21 --limit 100 --local --json',
  );
  return runsList(command, shell, (store) => {
    const options = command.opts<ProjectSpanOptions & { limit?: number; last?: number }>();
    const { project, limit, last } = options;
    const span = spanOf(options);
    const events = last === undefined ? listUsage(store, project, span) : lastUsage(store, project, span, last);
    return listing({ name: 'events', entries: first(events, limit), columns: EVENT_COLUMNS, none: 'No usage events.' });
  });
}

async function* lastUsage(...args: Parameters<typeof readLastUsage>): AsyncGenerator<UsageEvent> {
  yield* await readLastUsage(...args);
}

const EVENT_COLUMNS: readonly ListColumn<UsageEvent>[] = [
  { heading: 'OCCURRED', of: ({ occurredAt }) => occurredAt },
  // A code is more specific than its event.
  { heading: 'OUTCOME', spare: 1, of: ({ event, code }) => code ?? event },
  { heading: 'STATUS', spare: 2, of: ({ status }) => status },
  { heading: 'UNITS', figures: true, spare: 3, of: ({ units }) => units },
  { heading: 'LATENCY', figures: true, spare: 4, of: ({ latencyMs }) => `${latencyMs} ms` },
  { heading: 'REQUEST', spare: 5, of: ({ requestId }) => requestId },
  { heading: 'KEY', spare: 6, of: ({ keyId }) => keyId },
];

/** One event by its request id, for support. */
function show(shell: Shell): Command {
  const command = inProject(
    new Command('show').description('show the usage event of one request, searched from the newest on'),
  ).requiredOption('--request <id>', 'its requestId, which is also in X-Service-Request-Id', readRequestId);
  examples(
    command,
    'usage show --project … --request a44f89e6-2760-4a78-958c-786de2921d1b --since 2026-11-21 --stage prod',
  );
  command.addHelpText(
    'after',
    paragraphs('The search reads every event on its way, and is charged for it: --since and --until narrow it.'),
  );
  return runs(command, shell, async (store) => {
    const options = command.opts<ProjectSpanOptions & { request: string }>();
    const { project, request } = options;
    const span = spanOf(options);
    const { event, searched } = await showReading(store, shell, () => findUsage(store, project, request, span));
    if (!event) throw new Error(notFound(request, project, searched, span));
    return { json: event, text: facts(shown(event)) };
  });
}

function notFound(request: string, project: string, searched: number, span: TimeSpan): string {
  const { since, until } = boundsOf(span);
  const bounds = [since && ` since ${since}`, until && ` before ${until}`].filter((bound) => bound !== null).join('');
  return `No usage event has requestId ${request} among the ${searched} of project ${project}${bounds}.`;
}

const shown = (event: UsageEvent): Record<string, string | number> =>
  Object.fromEntries(USAGE_EVENT_FIELDS.map((field) => [field, event[field] ?? '-']));

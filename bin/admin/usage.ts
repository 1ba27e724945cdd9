import { pipeline } from 'node:stream/promises';
import { Command } from 'commander';
import { USAGE_EVENT_FIELDS } from '../../functions/core/usage-event-fields.ts';
import type { UsageEvent } from '../../functions/core/usage-event.ts';
import type { TimeSpan } from '../../functions/store/time-span.ts';
import { listUsage } from '../../functions/usage/log.ts';
import { findUsage } from '../../functions/usage/search.ts';
import { first } from './listing.ts';
import { examples, runs } from './session.ts';
import type { Shell } from './shell.ts';
import { boundsOf, inProject, spanOf, type ProjectSpanOptions } from './span.ts';
import { facts, isColourful } from './text.ts';
import { exportCommand } from './usage-export.ts';
import { eventTable, JSON_LIST, textOf } from './usage-formats.ts';
import { summaryCommand } from './usage-summary.ts';
import { readLimit, readRequestId } from './values.ts';

/** `admin usage …` */
export const usageCommand = (shell: Shell): Command =>
  new Command('usage')
    .description('what requests did')
    .addCommand(list(shell))
    .addCommand(summaryCommand(shell))
    .addCommand(exportCommand(shell))
    .addCommand(show(shell));

/** Prints events as they are read. */
function list(shell: Shell): Command {
  const command = inProject(new Command('list').description('list the usage events of a project, oldest first')).option(
    '--limit <n>',
    'at most so many (default: all)',
    readLimit,
  );
  examples(command, 'usage list --project … --since 2026-11-21 --limit 100 --local');
  return runs(command, shell, async (plane) => {
    const options = command.opts<ProjectSpanOptions & { limit?: number; json?: true }>();
    const { project, limit, json } = options;
    const events = first(listUsage(plane, project, spanOf(options)), limit);
    const format = json ? JSON_LIST : eventTable(isColourful(shell.stdout, shell.env));
    await pipeline(textOf(events, format), shell.stdout, { end: false });
    return undefined;
  });
}

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
    '\nThe search reads every event on its way, and is charged for it: --since and --until narrow it.',
  );
  return runs(command, shell, async (plane) => {
    const options = command.opts<ProjectSpanOptions & { request: string }>();
    const { project, request } = options;
    const span = spanOf(options);
    const { event, searched } = await findUsage(plane, project, request, span);
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

import type { Command } from 'commander';
import { USAGE_EVENT_FIELDS } from '../../functions/core/usage-event-fields.ts';
import type { UsageEvent } from '../../functions/core/usage-event.ts';
import { findUsage } from '../../functions/usage/search.ts';
import type { TimeSpan } from '../../functions/store/time-span.ts';
import { runs } from './session.ts';
import { facts } from './text.ts';
import { spanOf } from './span.ts';
import { boundsOf, usageSubcommand, type UsageOptions } from './usage-options.ts';
import { readRequestId } from './values.ts';
import type { Shell } from './shell.ts';

/** `admin usage show`: one event by its request id, for support. */
export function showCommand(shell: Shell): Command {
  const command = usageSubcommand(
    'show',
    'show the usage event of one request, searched from the newest on',
    'usage show --project … --request a44f89e6-2760-4a78-958c-786de2921d1b --since 2026-11-21 --stage prod',
  )
    .requiredOption('--request <id>', 'its requestId, which is also in X-Service-Request-Id', readRequestId)
    .addHelpText(
      'after',
      '\nThe search reads every event on its way, and is charged for it: --since and --until narrow it.',
    );
  return runs(command, shell, async (plane) => {
    const options = command.opts<UsageOptions & { request: string }>();
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

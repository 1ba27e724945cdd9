import { Command } from 'commander';
import type { UsageEvent } from '../../functions/core/usage-event.ts';
import { listUsage } from '../../functions/data/usage-log.ts';
import type { Environment } from '../../local/settings.ts';
import { runs } from './session.ts';
import { table } from './text.ts';
import { readId, readLimit, readTime } from './values.ts';

interface ListOptions {
  readonly project: string;
  readonly since?: number;
  readonly until?: number;
  readonly limit?: number;
}

/** `admin usage …` */
export function usageCommand(environment: Environment): Command {
  const list = new Command('list')
    .description('list the usage events of a project, oldest first')
    .requiredOption('--project <id>', 'the project', readId)
    .option('--since <time>', 'from this time on, such as 2026-11-21 or 2026-11-21T08:30:00Z', readTime)
    .option('--until <time>', 'before this time', readTime)
    .option('--limit <n>', 'at most so many (default: all)', readLimit);
  runs(list, environment, async (plane) => {
    const { project, since, until, limit } = list.opts<ListOptions>();
    if (since !== undefined && until !== undefined && since > until) throw new Error('--since is after --until.');
    const events: UsageEvent[] = [];
    for await (const event of listUsage(plane, project, { sinceMs: since, untilMs: until })) {
      events.push(event);
      if (events.length === limit) break;
    }
    return { json: { events }, text: events.length === 0 ? 'No usage events.' : eventTable(events) };
  });
  return new Command('usage').description('what requests did').addCommand(list);
}

const eventTable = (events: readonly UsageEvent[]): string =>
  table(
    ['OCCURRED', 'EVENT', 'STATUS', 'CODE', 'UNITS', 'LATENCY', 'KEY', 'REQUEST'],
    events.map(({ occurredAt, event, status, code, units, latencyMs, keyId, requestId }) => [
      occurredAt,
      event,
      status,
      code ?? '-',
      units,
      `${latencyMs} ms`,
      keyId,
      requestId,
    ]),
  );

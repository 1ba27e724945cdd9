import { Command } from 'commander';
import { ENVIRONMENT } from '../../functions/contract.ts';
import { periodAt, readQuotaPeriod } from '../../functions/core/period.ts';
import type { UsageEvent } from '../../functions/core/usage-event.ts';
import { listUsage, verifyLedger } from '../../functions/data/usage-log.ts';
import type { Environment } from '../../local/settings.ts';
import { runs } from './session.ts';
import { facts, table } from './text.ts';
import { readId, readLimit, readTime } from './values.ts';

interface ProjectOptions {
  readonly project: string;
}

/** `admin usage …` */
export function usageCommand(environment: Environment): Command {
  const list = new Command('list')
    .description('list the usage events of a project, oldest first')
    .requiredOption('--project <id>', 'the project', readId)
    .option('--since <time>', 'from this time on, such as 2026-11-21 or 2026-11-21T08:30:00Z', readTime)
    .option('--until <time>', 'before this time', readTime)
    .option('--limit <n>', 'at most so many (default: all)', readLimit);
  type Options = ProjectOptions & { since?: number; until?: number; limit?: number };
  runs(list, environment, async (plane) => {
    const { project, since, until, limit } = list.opts<Options>();
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

/** `admin ledger …` */
export function ledgerCommand(environment: Environment): Command {
  const verify = new Command('verify')
    .description('hold the quota counter of the current period against the sum of its usage events')
    .requiredOption('--project <id>', 'the project', readId);
  runs(verify, environment, async (plane) => {
    const { project } = verify.opts<ProjectOptions>();
    // The stage's setting, which the functions read too.
    const quotaPeriod = readQuotaPeriod(ENVIRONMENT.quotaPeriod, environment[ENVIRONMENT.quotaPeriod]);
    const period = periodAt(plane.clock.now(), quotaPeriod);
    const { consistent, quotaUsed, ledgerUnits } = await verifyLedger(plane, project, period);
    return {
      json: { consistent, quotaUsed, ledgerUnits, period: period.id },
      text: facts({ consistent: consistent ? 'yes' : 'NO', quotaUsed, ledgerUnits, period: period.id }),
      failed: !consistent,
    };
  });
  return new Command('ledger').description('the books of a project').addCommand(verify);
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

import { Command } from 'commander';
import { isoTime } from '../../functions/core/clock.ts';
import type { TimeSpan } from '../../functions/data/time-span.ts';
import { examples } from './session.ts';
import { readId, readTime } from './values.ts';

/** Options of every command that reads usage events. */
export interface UsageOptions {
  readonly project: string;
  readonly since?: number;
  readonly until?: number;
  readonly json?: true;
}

/** A command on the usage events of a project, within a span of time; `lines`: examples for its help. */
export function usageSubcommand(name: string, description: string, ...lines: [string, ...string[]]): Command {
  const command = new Command(name)
    .description(description)
    .requiredOption('--project <id>', 'the project', readId)
    .option('--since <time>', 'from this time on, such as 2026-11-21 or 2026-11-21T08:30:00Z', readTime)
    .option('--until <time>', 'before this time', readTime);
  examples(command, ...lines);
  return command;
}

/** The span that the options name. Throws an error of one line when it ends before it begins. */
export function spanOf({ since, until }: UsageOptions): TimeSpan {
  if (since !== undefined && until !== undefined && since > until) throw new Error('--since is after --until.');
  return { sinceMs: since, untilMs: until };
}

/** The bounds of a span as JSON has them: null for none. */
export const boundsOf = ({ sinceMs, untilMs }: TimeSpan) => ({
  since: sinceMs === undefined ? null : isoTime(sinceMs),
  until: untilMs === undefined ? null : isoTime(untilMs),
});

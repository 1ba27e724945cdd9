import type { Command } from 'commander';
import { isoTime } from '../../functions/core/clock.ts';
import type { TimeSpan } from '../../functions/store/items.ts';
import { readId, readPast } from './values.ts';

/** Options of every command that reads what happened within a time. */
export interface SpanOptions {
  readonly since?: number;
  readonly until?: number;
}

/** Adds the options of a span of time to a command. */
export const withSpan = (command: Command): Command =>
  command
    .option('--since <time>', 'from this time on: 2026-11-21, 2026-11-21T08:30:00Z, or so long ago: 1h', readPast)
    .option('--until <time>', 'before this time', readPast);

/** Options of every command on the usage events of a project. */
export interface ProjectSpanOptions extends SpanOptions {
  readonly project: string;
}

/** Adds the project and the span of time to a command. */
export const inProject = (command: Command): Command =>
  withSpan(command.requiredOption('--project <id>', 'the project', readId));

/** The span that the options name. Throws an error of one line when it ends before it begins. */
export function spanOf({ since, until }: SpanOptions): TimeSpan {
  if (since !== undefined && until !== undefined && since > until) throw new Error('--since is after --until.');
  return { sinceMs: since, untilMs: until };
}

/** The bounds of a span as JSON has them: null for none. */
export const boundsOf = ({ sinceMs, untilMs }: TimeSpan) => ({
  since: sinceMs === undefined ? null : isoTime(sinceMs),
  until: untilMs === undefined ? null : isoTime(untilMs),
});

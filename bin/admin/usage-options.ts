import { Command } from 'commander';
import { isoTime } from '../../functions/core/clock.ts';
import type { TimeSpan } from '../../functions/store/time-span.ts';
import { examples } from './session.ts';
import { withSpan, type SpanOptions } from './span.ts';
import { readId } from './values.ts';

/** Options of every command that reads usage events. */
export interface UsageOptions extends SpanOptions {
  readonly project: string;
  readonly json?: true;
}

/** A command on the usage events of a project, within a span of time; `lines`: examples for its help. */
export function usageSubcommand(name: string, description: string, ...lines: [string, ...string[]]): Command {
  const command = withSpan(
    new Command(name).description(description).requiredOption('--project <id>', 'the project', readId),
  );
  examples(command, ...lines);
  return command;
}

/** The bounds of a span as JSON has them: null for none. */
export const boundsOf = ({ sinceMs, untilMs }: TimeSpan) => ({
  since: sinceMs === undefined ? null : isoTime(sinceMs),
  until: untilMs === undefined ? null : isoTime(untilMs),
});

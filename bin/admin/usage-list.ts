import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { listUsage } from '../../functions/usage/log.ts';
import { first } from './listing.ts';
import { runs } from './session.ts';
import { eventTable, JSON_LIST } from './usage-formats.ts';
import { spanOf } from './span.ts';
import { usageSubcommand, type UsageOptions } from './usage-options.ts';
import { textOf } from './usage-stream.ts';
import { readLimit } from './values.ts';
import type { Shell } from './shell.ts';
import { isColourful } from './text.ts';

/** `admin usage list`: prints events as they are read. */
export function listCommand(shell: Shell): Command {
  const command = usageSubcommand(
    'list',
    'list the usage events of a project, oldest first',
    'usage list --project … --since 2026-11-21 --limit 100 --local',
  ).option('--limit <n>', 'at most so many (default: all)', readLimit);
  return runs(command, shell, async (plane) => {
    const options = command.opts<UsageOptions & { limit?: number }>();
    const { project, limit, json } = options;
    const events = first(listUsage(plane, project, spanOf(options)), limit);
    await pipeline(textOf(events, json ? JSON_LIST : eventTable(isColourful(shell.stdout, shell.env))), shell.stdout, {
      end: false,
    });
    return undefined;
  });
}

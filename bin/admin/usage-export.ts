import { pipeline } from 'node:stream/promises';
import { Option, type Command } from 'commander';
import type { UsageEvent } from '../../functions/core/usage-event.ts';
import { listUsage } from '../../functions/usage/log.ts';
import { mapped } from './listing.ts';
import { runs } from './session.ts';
import { escaped } from './unseen.ts';
import { writeWhole } from './usage-file.ts';
import { EXPORT_FORMATS, type ExportFormat } from './usage-formats.ts';
import { eventMeter } from './usage-meter.ts';
import { spanOf } from './span.ts';
import { usageSubcommand, type UsageOptions } from './usage-options.ts';
import { textOf } from './usage-stream.ts';
import type { Shell } from './shell.ts';

interface ExportOptions extends UsageOptions {
  readonly format: ExportFormat;
  readonly output?: string;
  readonly verbose?: true;
}

/** `admin usage export`: writes any number of events to stdout or a file as they are read. */
export function exportCommand(shell: Shell): Command {
  const format = new Option('--format <format>', 'csv, or jsonl for one JSON object a line')
    .choices(Object.keys(EXPORT_FORMATS))
    .makeOptionMandatory();
  const command = usageSubcommand(
    'export',
    'write the usage events of a project, oldest first',
    'usage export --project … --format csv --since 2026-11-01 --output november.csv --stage prod',
    'usage export --project … --format jsonl --local | head',
  )
    .addOption(format)
    .option('--output <file>', 'to this file, which appears, or is replaced, when it is complete (default: stdout)')
    .option('--verbose', 'tell on stderr, also where that is no terminal, how long it took')
    .hook('preAction', () => {
      const { json, output } = command.opts<ExportOptions>();
      if (output === '') command.error("error: option '--output <file>' needs the name of a file");
      if (json && output === undefined) command.error("error: option '--json' needs '--output <file>'");
    });
  return runs(command, shell, async (plane) => {
    const options = command.opts<ExportOptions>();
    const { project, output, verbose, json } = options;
    const span = spanOf(options);
    // Progress among the rows on one terminal would spoil both.
    const amongRows = output === undefined && shell.stdout.isTTY === true;
    const meter = eventMeter(plane.clock, {
      isTTY: shell.stderr.isTTY === true && !amongRows,
      write: (line) => shell.stderr.write(line),
    });
    try {
      const events = meter.counted(listUsage(plane, project, span));
      // In a file CSV holds what was sent. A terminal is read by a person, whom it must not deceive.
      const shown = amongRows && options.format === 'csv' ? mapped(events, withoutUnseen) : events;
      const text = textOf(shown, EXPORT_FORMATS[options.format]);
      await (output === undefined ? pipeline(text, shell.stdout, { end: false }) : writeWhole(output, text));
    } finally {
      meter.clear();
    }
    if (verbose || shell.stderr.isTTY) shell.stderr.write(`${meter.total()}\n`);
    return json ? { json: { output, format: options.format, events: meter.count() }, text: '' } : undefined;
  });
}

const withoutUnseen = (event: UsageEvent): UsageEvent =>
  Object.fromEntries(
    Object.entries(event).map(([name, value]) => [
      name,
      typeof value === 'string' ? escaped(value) : (value as unknown),
    ]),
  ) as unknown as UsageEvent;

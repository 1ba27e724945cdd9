import { pipeline } from 'node:stream/promises';
import { Option, type Command } from 'commander';
import type { UsageEvent } from '../../functions/shared/request/usage-event.ts';
import { listUsage } from '../../functions/usage/events/log.ts';
import { mapped, pieces } from './listing.ts';
import { examples, runs } from './session.ts';
import { escaped, json } from '../cli/text.ts';
import { eventMeter } from './usage-meter.ts';
import { onProjectSpan, spanOf, type ProjectSpanOptions } from './values.ts';
import type { Shell } from '../cli/shell.ts';
import { usageTable, type ExportedEvent } from '../../functions/usage/events/csv.ts';
import type { AccountStore } from '../../functions/accounts/store/account-store.ts';
import { keyNames, withKeyNames } from '../../functions/accounts/names.ts';

interface ExportOptions extends ProjectSpanOptions {
  readonly format: ExportFormat;
  readonly verbose?: true;
  readonly tokens?: true;
}

/** `admin usage export`: writes any number of events to stdout as they are read. */
export function exportCommand(shell: Shell): Command {
  const format = new Option('--format <format>', 'csv, or jsonl for one JSON object a line')
    .choices(Object.keys(EXPORT_FORMATS))
    .makeOptionMandatory();
  const command = onProjectSpan('export', 'write the usage events of a project, oldest first')
    .addOption(format)
    .option('--tokens', 'with columns of token counts in CSV; they are empty for operations without a model')
    .option('--verbose', 'print on stderr how many there were, also without a terminal')
    .hook('preAction', () => {
      if (command.opts<{ json?: true }>().json) command.error("error: option '--json' is '--format jsonl' here");
    });
  examples(
    command,
    'usage export --project … --format csv --since 2026-11-01 --stage prod',
    'usage export --project … --format jsonl --local | head',
  );
  // Without -s npm writes lines of its own to stdout.
  command.addHelpText('after', '  npm run -s admin -- usage export --project … --format csv --stage prod > usage.csv');
  return runs(command, shell, async (store, options: ExportOptions) => {
    const { project, verbose, format, tokens = false } = options;
    const span = spanOf(options);
    // Progress between the rows of one terminal would disturb both.
    const amongRows = shell.stdout.isTTY === true;
    const meter = eventMeter({
      isTTY: shell.stderr.isTTY === true && !amongRows,
      write: (line) => shell.stderr.write(line),
    });
    try {
      const events = meter.counted(listUsage(store, project, span));
      const named = format === 'csv' ? withNames(store, events) : events;
      // In a file CSV contains the original text. On a terminal it must not deceive the reader.
      const shown = amongRows && format === 'csv' ? mapped(named, withoutUnseen) : named;
      await pipeline(textOf(shown, EXPORT_FORMATS[format]({ tokens })), shell.stdout, { end: false });
    } finally {
      meter.clear();
    }
    if (verbose || shell.stderr.isTTY) shell.stderr.write(`${meter.count()} events\n`);
    return undefined;
  });
}

/** Adds the names of their keys to events, piece by piece. */
async function* withNames(store: AccountStore, events: AsyncIterable<UsageEvent>): AsyncGenerator<ExportedEvent> {
  const namesOf = keyNames(store);
  for await (const some of pieces(events, EVENTS_PER_PIECE)) yield* withKeyNames(some, await namesOf(some));
}

const withoutUnseen = (event: UsageEvent): UsageEvent =>
  Object.fromEntries(
    Object.entries(event).map(([name, value]) => [
      name,
      typeof value === 'string' ? escaped(value) : (value as unknown),
    ]),
  ) as unknown as UsageEvent;

/** A text format for events. */
export interface EventFormat {
  /** The text before the first event, and after the last. */
  readonly head: string;
  readonly tail: string;
  readonly rows: (events: readonly ExportedEvent[]) => string;
}

/** Events in one piece of text: some 100 kB, enough for one write and small in memory. */
export const EVENTS_PER_PIECE = 250;

/**
 * The text of events, piece by piece. The next events are read when the iteration needs them. Nothing comes before the
 * first event was read, so an immediate failure leaves no output.
 */
export async function* textOf(events: AsyncIterable<ExportedEvent>, format: EventFormat): AsyncGenerator<string> {
  const { head, rows, tail } = format;
  let first = true;
  for await (const some of pieces(events, EVENTS_PER_PIECE)) {
    yield (first ? head : '') + rows(some);
    first = false;
  }
  yield (first ? head : '') + tail;
}

/** Formats of an export, by their names. */
export const EXPORT_FORMATS = {
  csv: (columns): EventFormat => {
    const { header, rows } = usageTable(columns);
    return { head: header, rows, tail: '' };
  },
  /** One JSON object a line. */
  jsonl: (): EventFormat => ({
    head: '',
    rows: (events) => events.map((event) => `${json(event)}\n`).join(''),
    tail: '',
  }),
} as const satisfies Record<string, (columns: { readonly tokens: boolean }) => EventFormat>;
type ExportFormat = keyof typeof EXPORT_FORMATS;

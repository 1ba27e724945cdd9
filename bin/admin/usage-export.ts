import { rmSync } from 'node:fs';
import { open, realpath, rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Command, Option } from 'commander';
import type { UsageEvent } from '../../functions/shared/rules/usage-event.ts';
import { system } from '../../functions/shared/system.ts';
import { listUsage } from '../../functions/usage/log.ts';
import { mapped, pieces } from './listing.ts';
import { examples, runs } from './session.ts';
import { escaped, json } from './text.ts';
import { eventMeter } from './usage-meter.ts';
import { inProject, spanOf, type ProjectSpanOptions } from './values.ts';
import type { Shell } from './shell.ts';
import { usageTable, type ExportedEvent } from '../../functions/shared/rules/usage-csv.ts';
import type { AccountStore } from '../../functions/accounts/account-store.ts';
import { keyNames, withKeyNames } from '../../functions/accounts/keys/key-name-cache.ts';

interface ExportOptions extends ProjectSpanOptions {
  readonly json?: true;
  readonly format: ExportFormat;
  readonly output?: string;
  readonly verbose?: true;
  readonly tokens?: true;
}

/** `admin usage export`: writes any number of events to stdout or a file as they are read. */
export function exportCommand(shell: Shell): Command {
  const format = new Option('--format <format>', 'csv, or jsonl for one JSON object a line')
    .choices(Object.keys(EXPORT_FORMATS))
    .makeOptionMandatory();
  const command = inProject(new Command('export').description('write the usage events of a project, oldest first'))
    .addOption(format)
    .option('--tokens', 'with columns of token counts in CSV; they are empty for operations without a model')
    .option(
      '--output <file>',
      'write to this file, which is created or replaced when the export is complete (default: stdout)',
    )
    .option('--verbose', 'print on stderr how long it took, also without a terminal')
    .hook('preAction', () => {
      const { json, output } = command.opts<ExportOptions>();
      if (output === '') command.error("error: option '--output <file>' needs the name of a file");
      if (json && output === undefined) command.error("error: option '--json' needs '--output <file>'");
    });
  examples(
    command,
    'usage export --project … --format csv --since 2026-11-01 --output november.csv --stage prod',
    'usage export --project … --format jsonl --local | head',
  );
  return runs(command, shell, async (store) => {
    const options = command.opts<ExportOptions>();
    const { project, output, verbose, json, format, tokens = false } = options;
    const span = spanOf(options);
    // Progress between the rows of one terminal would disturb both.
    const amongRows = output === undefined && shell.stdout.isTTY === true;
    const meter = eventMeter(store.clock, {
      isTTY: shell.stderr.isTTY === true && !amongRows,
      write: (line) => shell.stderr.write(line),
    });
    try {
      const events = meter.counted(listUsage(store, project, span));
      const named = format === 'csv' ? withNames(store, events) : events;
      // In a file CSV contains the original text. On a terminal it must not deceive the reader.
      const shown = amongRows && format === 'csv' ? mapped(named, withoutUnseen) : named;
      const text = textOf(shown, EXPORT_FORMATS[format]({ tokens }));
      await (output === undefined ? pipeline(text, shell.stdout, { end: false }) : writeWhole(output, text));
    } finally {
      meter.clear();
    }
    if (verbose || shell.stderr.isTTY) shell.stderr.write(`${meter.total()}\n`);
    return json ? { json: { output, format, events: meter.count() }, text: '' } : undefined;
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

const ENDING_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Writes a text to a file completely or not at all. It writes another file in the same directory, which replaces the
 * old one when everything is on disk. A failure or an interruption leaves nothing. Throws an error of one line when the
 * file cannot be written, and errors of the text.
 */
export async function writeWhole(file: string, text: AsyncIterable<string>): Promise<void> {
  const { target, mode } = await replaceable(file);
  const partial = join(dirname(target), `.usage-export-${system.newId()}.partial`);
  const discard = (): void => rmSync(partial, { force: true });
  const endBy = (signal: NodeJS.Signals): void => {
    discard();
    // The handler was removed, so the signal ends the process as expected.
    process.kill(process.pid, signal);
  };
  for (const signal of ENDING_SIGNALS) process.once(signal, endBy);
  try {
    // Opened before anything can fail: a stream that is still opening would create the file after it was deleted.
    const handle = await open(partial, 'wx', mode);
    // The process's umask may have reduced the mode.
    await handle.chmod(mode);
    await pipeline(text, handle.createWriteStream({ flush: true }));
    await rename(partial, target);
  } catch (error) {
    discard();
    throw isFileError(error) ? unwritable(file, error.message) : error;
  } finally {
    for (const signal of ENDING_SIGNALS) process.off(signal, endBy);
  }
}

/** The mode of a new file: readable by its owner only, because events contain text from clients. */
const PRIVATE = 0o600;

/** The path to replace, with symbolic links resolved, and its mode: that of a regular or new file only. */
async function replaceable(file: string): Promise<{ target: string; mode: number }> {
  try {
    const found = await stat(file);
    // Renaming would remove a device or a pipe.
    if (!found.isFile()) throw unwritable(file, 'it is no regular file');
    return { target: await realpath(file), mode: found.mode & 0o777 };
  } catch (error) {
    if (isFileError(error) && error.code === 'ENOENT') return { target: file, mode: PRIVATE };
    throw isFileError(error) ? unwritable(file, error.message) : error;
  }
}

const unwritable = (file: string, why: string): Error => new Error(`${file} cannot be written: ${why}`);

/** Whether it is an error of the file system, and not of the text. */
const isFileError = (error: unknown): error is NodeJS.ErrnoException =>
  typeof error === 'object' && error !== null && 'syscall' in error;

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

import { styleText } from 'node:util';
import { withoutApiKeys } from '../../functions/core/api-key.ts';
import { isColourful } from '../admin/table.ts';
import { escaped } from '../admin/text.ts';
import type { Shell } from '../admin/shell.ts';

/** How a step ended. */
export interface Outcome {
  readonly result: 'ok' | 'failed' | 'skipped';
  /** The finding, or the reason for skipping. */
  readonly found: string;
  readonly seconds: number;
  /** For a failure: the last lines of output, and what to do. */
  readonly lines?: readonly string[];
  readonly next?: string;
}

const COLOURS = { ok: 'green', failed: 'red', skipped: 'dim' } as const;
const RESULT_WIDTH = 'skipped'.length;
const SECONDS_WIDTH = 'SECONDS'.length;

/**
 * A table that is printed row by row, as steps end. It shows no key, and invisible characters are escaped.
 *
 * @param names of all steps, for the width of their column
 */
export function outcomeTable(names: readonly string[], { stdout, env }: Shell) {
  const width = Math.max(...names.map((name) => name.length));
  const colourful = isColourful(stdout, env);
  const style = (text: string, look: Parameters<typeof styleText>[0]): string =>
    colourful ? styleText(look, text, { validateStream: false }) : text;
  const write = (line: string): void => {
    stdout.write(`${withoutApiKeys(line)}\n`);
  };
  const row = (result: string, name: string, seconds: string, found: string): string =>
    [result, name.padEnd(width), seconds.padStart(SECONDS_WIDTH), escaped(found)].join('  ').trimEnd();
  write(style(row('RESULT'.padEnd(RESULT_WIDTH), 'STEP', 'SECONDS', 'FOUND'), 'bold'));
  return (name: string, { result, seconds, found, lines = [], next }: Outcome): void => {
    const label = style(result.padEnd(RESULT_WIDTH), COLOURS[result]);
    write(row(label, name, result === 'skipped' ? '' : seconds.toFixed(0), found));
    for (const line of lines) write(`         ${escaped(line)}`);
    if (next !== undefined) write(`         Next: ${next}`);
  };
}

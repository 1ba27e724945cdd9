import { PortalError } from '../api/problem.ts';

/** The most rows in one file: some 100 MB. A browser can hold that, and a spreadsheet hardly opens it. */
export const MAX_ROWS = 500_000;
/** The number of retries of a part before the export stops and reports the failure. */
const RETRIES = 2;

/** A part in the portal's answer. */
interface Answer {
  readonly text: string;
  /** The cursor of the next part. Null: this was the last. */
  readonly cursor: string | null;
}

/** The progress of an export, to continue from after a failure. */
export interface Progress {
  readonly rows: number;
  readonly parts: readonly Blob[];
  readonly cursor: string | undefined;
  /** There are more rows than one file may have. */
  readonly isCapped: boolean;
  readonly isDone: boolean;
  /** The portal asks to wait: the reads of the minute are used up, or it is still counting. */
  readonly isWaiting: boolean;
}

export const NOTHING_YET: Progress = {
  rows: 0,
  parts: [],
  cursor: undefined,
  isCapped: false,
  isDone: false,
  isWaiting: false,
};

interface Export {
  readonly read: (cursor: string | undefined) => Promise<Answer>;
  readonly wait: (milliseconds: number) => Promise<void>;
  readonly onProgress: (progress: Progress) => void;
}

/**
 * Reads an export part by part from its progress, and returns it when it is complete or full. The header row is that of
 * the first part. It waits when the portal asks for it, and retries temporary failures. Throws permanent failures, and
 * what `read` and `wait` throw when it is cancelled.
 */
export async function exportAll(begun: Progress, { read, wait, onProgress }: Export): Promise<Progress> {
  let progress = begun;
  let failures = 0;
  while (!progress.isDone) {
    try {
      progress = add(progress, await read(progress.cursor));
      failures = 0;
      onProgress(progress);
    } catch (error) {
      const waitMs = waitAfter(error, (failures += 1));
      onProgress({ ...progress, isWaiting: true });
      await wait(waitMs);
    }
  }
  return progress;
}

function add(progress: Progress, { text, cursor }: Answer): Progress {
  const { header, rows, count } = partOf(text);
  const isFirst = progress.parts.length === 0;
  const total = progress.rows + count;
  const isCapped = cursor !== null && total >= MAX_ROWS;
  return {
    rows: total,
    // Blobs: a browser may keep them outside of its memory.
    parts: isFirst || rows !== '' ? [...progress.parts, new Blob([isFirst ? header + rows : rows])] : progress.parts,
    cursor: cursor ?? undefined,
    isCapped,
    isDone: cursor === null || isCapped,
    isWaiting: false,
  };
}

/**
 * How long to wait after a failure, in milliseconds. Throws the failure when it is permanent, or after the last retry.
 */
function waitAfter(error: unknown, failures: number): number {
  if (!(error instanceof PortalError) || !error.isTransient) throw error;
  if (error.code === 'TOO_MANY_REQUESTS' || error.code === 'STILL_COUNTING')
    return Math.max(1, error.retryAfterSeconds ?? 1) * 1_000;
  if (failures > RETRIES) throw error;
  return failures * 1_000;
}

const LINE_END = '\r\n';

/** A part of an export. */
interface CsvPart {
  /** The part without its header row, as text. */
  readonly rows: string;
  readonly header: string;
  /** The number of rows. A cell may have several lines. */
  readonly count: number;
}

/** Reads a part of a table (RFC 4180). */
export function partOf(text: string): CsvPart {
  const end = text.indexOf(LINE_END);
  if (end === -1) return { header: text, rows: '', count: 0 };
  const start = end + LINE_END.length;
  const rows = text.slice(start);
  return { header: text.slice(0, start), rows, count: countRows(rows) };
}

/** Line ends outside of quotes. Every second piece is between two quotes. */
function countRows(rows: string): number {
  let count = 0;
  for (const [index, piece] of rows.split('"').entries()) {
    if (index % 2 === 0) count += piece.split(LINE_END).length - 1;
  }
  return count + (rows === '' || rows.endsWith(LINE_END) ? 0 : 1);
}

import { PortalError } from '../api/problem.ts';
import { partOf } from './csv.ts';

/** Rows in one file at most: some 100 MB, which a browser holds, and a spreadsheet hardly opens. */
export const MAX_ROWS = 500_000;
/** Times that a part is asked for again before the export stops and says so. */
const RETRIES = 2;

/** A part as the portal answers it. */
interface Answer {
  readonly text: string;
  /** For the next part; null: this was the last. */
  readonly cursor: string | null;
}

/** How far an export is; with it one goes on after a failure. */
export interface Progress {
  readonly rows: number;
  readonly parts: readonly Blob[];
  readonly cursor: string | undefined;
  /** There are more rows than one file takes. */
  readonly isCapped: boolean;
  readonly isDone: boolean;
  /** The portal asked to wait: the minute's reads are used up. */
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
 * Reads an export part by part from where it stands, and returns it when it is done or full. The header row is that of
 * the first part. Waits when the portal asks to, and tries a failure that may pass again; throws what does not pass, and
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
    // Blobs, which a browser may keep outside of its memory.
    parts: isFirst || rows !== '' ? [...progress.parts, new Blob([isFirst ? header + rows : rows])] : progress.parts,
    cursor: cursor ?? undefined,
    isCapped,
    isDone: cursor === null || isCapped,
    isWaiting: false,
  };
}

/** How long to wait after a failure, in milliseconds. Throws it when it does not pass, or has not after some times. */
function waitAfter(error: unknown, failures: number): number {
  if (!(error instanceof PortalError) || !error.isPassing) throw error;
  if (error.code === 'TOO_MANY_REQUESTS') return Math.max(1, error.retryAfterSeconds ?? 1) * 1_000;
  if (failures > RETRIES) throw error;
  return failures * 1_000;
}

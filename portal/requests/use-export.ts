import { useEffect, useRef, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { noAnswer, PortalError } from '../api/problem.ts';
import { noteSignedOut } from '../api/queries.ts';
import type { CsvAnswer } from '../api/csv-part.ts';
import { exportAll, NOTHING_YET, type Progress } from './export.ts';

/** An export of a list as a file. */
export interface CsvExport {
  /** Its progress. Undefined: none was begun. */
  readonly progress: Progress | undefined;
  readonly isRunning: boolean;
  /** Why it stopped. `start` continues from there. */
  readonly error: PortalError | undefined;
  readonly start: () => void;
  /** Stops it, and drops what was read. */
  readonly cancel: () => void;
}

type ReadPart = (cursor: { cursor?: string }, signal: AbortSignal) => Promise<CsvAnswer>;

/** Exports a list with the filter of its start. Ends with the page. */
export function useExport(readPart: ReadPart, onDone: (progress: Progress) => void): CsvExport {
  const client = useQueryClient();
  const [progress, setProgress] = useState<Progress>();
  const [error, setError] = useState<PortalError>();
  const [isRunning, setRunning] = useState(false);
  const running = useRef<AbortController>(undefined);
  const reading = useRef(readPart);
  useEffect(() => () => running.current?.abort(), []);

  const perform = async (begun: Progress, signal: AbortSignal): Promise<void> => {
    const read = (cursor: string | undefined) => reading.current(cursor === undefined ? {} : { cursor }, signal);
    const onProgress = (now: Progress): void => {
      if (!signal.aborted) setProgress(now);
    };
    try {
      const done = await exportAll(begun, { read, wait: (milliseconds) => wait(milliseconds, signal), onProgress });
      if (!signal.aborted) onDone(done);
    } catch (failure) {
      if (signal.aborted) return;
      const known = failure instanceof PortalError ? failure : noAnswer();
      setError(known);
      if (known.code === 'NOT_SIGNED_IN') noteSignedOut(client);
    } finally {
      if (running.current?.signal === signal) setRunning(false);
    }
  };
  const start = (): void => {
    if (isRunning) return;
    const isOver = progress === undefined || progress.isDone;
    const begun = isOver ? NOTHING_YET : progress;
    if (isOver) reading.current = readPart;
    running.current = new AbortController();
    setRunning(true);
    setError(undefined);
    setProgress(begun);
    void perform(begun, running.current.signal);
  };
  const cancel = (): void => {
    running.current?.abort();
    setRunning(false);
    setProgress(undefined);
    setError(undefined);
  };
  return { progress, isRunning, error, start, cancel };
}

/** Waits. Throws when it is aborted meanwhile. */
export const wait = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(new DOMException('cancelled', 'AbortError'));
    });
  });

/** How long a file is kept in memory for the browser that saves it. */
const KEPT_MS = 60_000;

/** Saves a file by a download of the browser. */
export function saveFile(name: string, parts: readonly Blob[], type: string): void {
  const address = URL.createObjectURL(new Blob([...parts], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // Some browsers read it only after the press.
  setTimeout(() => URL.revokeObjectURL(address), KEPT_MS);
}

import { useEffect, useRef, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { noAnswer, PortalError } from '../api/problem.ts';
import { handleRefusal } from '../api/queries.ts';
import type { CsvAnswer } from '../api/csv-part.ts';
import { exportAll, NOTHING_YET, type Progress } from './export.ts';

type ReadPart = (cursor: { cursor?: string }, signal: AbortSignal) => Promise<CsvAnswer>;

/** What is read, and what then becomes of it. */
interface Task {
  readonly readPart: ReadPart;
  readonly onDone: (progress: Progress) => void;
}

/** An export of a table as a file. */
export interface CsvExport {
  /** Its progress. Undefined: none was begun. */
  readonly progress: Progress | undefined;
  readonly isRunning: boolean;
  /** Why it stopped. */
  readonly error: PortalError | undefined;
  /** Begins it, or continues one that stopped after its first part. */
  readonly start: (readPart: ReadPart, onDone: (progress: Progress) => void) => void;
  /** Continues it where it stopped. */
  readonly resume: () => void;
  /** Stops it, and drops what was read. */
  readonly cancel: () => void;
}

/** Exports tables, one at a time. Ends with the page. */
export function useExport(): CsvExport {
  const client = useQueryClient();
  const [progress, setProgress] = useState<Progress>();
  const [error, setError] = useState<PortalError>();
  const [isRunning, setRunning] = useState(false);
  const running = useRef<AbortController>(undefined);
  const task = useRef<Task>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const perform = async ({ readPart, onDone }: Task, begun: Progress, signal: AbortSignal): Promise<void> => {
    const read = (cursor: string | undefined) => readPart(cursor === undefined ? {} : { cursor }, signal);
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
      handleRefusal(client, known);
    } finally {
      if (running.current?.signal === signal) setRunning(false);
    }
  };
  const resume = (begun = progress): void => {
    if (isRunning || !begun || !task.current) return;
    running.current = new AbortController();
    setRunning(true);
    setError(undefined);
    setProgress(begun);
    void perform(task.current, begun, running.current.signal);
  };
  const start: CsvExport['start'] = (readPart, onDone) => {
    const isStopped = progress !== undefined && !progress.isDone && progress.parts.length > 0;
    if (!isRunning && !isStopped) task.current = { readPart, onDone };
    resume(isStopped ? progress : NOTHING_YET);
  };
  const cancel = (): void => {
    running.current?.abort();
    setRunning(false);
    setProgress(undefined);
    setError(undefined);
  };
  return { progress, isRunning, error, start, resume: () => resume(), cancel };
}

/** Waits. Throws when it is aborted meanwhile. */
const wait = (milliseconds: number, signal: AbortSignal): Promise<void> =>
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

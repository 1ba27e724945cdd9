import { useEffect, useRef, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { noAnswer, PortalError } from '../api/problem.ts';
import { handleRefusal } from '../api/queries.ts';
import { readStatement, type ProjectIds } from '../api/usage-queries.ts';
import { saveFile, wait } from '../requests/use-export.ts';

/** Downloads a period's statement. While the portal is still counting, it asks again; each request adds sums. */
export function useStatement(ids: ProjectIds) {
  const client = useQueryClient();
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<PortalError>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const perform = async (period: string, signal: AbortSignal): Promise<void> => {
    try {
      const text = await readUntilCounted(ids, period, signal);
      if (!signal.aborted) saveFile(`statement-${ids.projectId}-${period}.csv`, [new Blob([text])], 'text/csv');
    } catch (failure) {
      if (signal.aborted) return;
      const known = failure instanceof PortalError ? failure : noAnswer();
      setError(known);
      handleRefusal(client, known);
    } finally {
      if (!signal.aborted) setRunning(false);
    }
  };
  return {
    isRunning,
    error,
    start: (period: string): void => {
      running.current?.abort();
      running.current = new AbortController();
      setRunning(true);
      setError(undefined);
      void perform(period, running.current.signal);
    },
    cancel: (): void => {
      running.current?.abort();
      setRunning(false);
    },
  };
}

async function readUntilCounted(ids: ProjectIds, period: string, signal: AbortSignal): Promise<string> {
  for (;;) {
    try {
      return await readStatement(ids, period, signal);
    } catch (error) {
      const isCounting =
        error instanceof PortalError && (error.code === 'STILL_COUNTING' || error.code === 'TOO_MANY_REQUESTS');
      if (!isCounting || signal.aborted) throw error;
      await wait((error.retryAfterSeconds ?? 1) * 1_000, signal);
    }
  }
}

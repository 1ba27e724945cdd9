import { Download } from 'lucide-react';
import { type Project, handleRefusal } from '../api/queries.ts';
import { type ProjectIds, readStatement } from '../api/usage-queries.ts';
import { Button, classOf } from '../components/button.tsx';
import { Failure } from '../components/form.tsx';
import { Icon } from '../components/icon.tsx';
import { MenuButton } from '../components/menu.tsx';
import { useNow } from '../components/use-now.ts';
import { periodName, periodsBack } from '../text/quota.ts';
import { useEffect, useRef, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { noAnswer, PortalError } from '../api/problem.ts';
import { saveFile, wait } from '../requests/use-export.ts';

/** The number of offered statements: of a year and the month before it. */
const MONTHS = 13;

interface StatementMenuProps {
  readonly ids: ProjectIds;
  readonly project: Project;
}

/** A period's statement as a file: this one so far, and those since the project was created. */
export function StatementMenu({ ids, project: { period, createdAt } }: StatementMenuProps) {
  const nowMs = useNow();
  const statement = useStatement(ids);
  if (statement.isRunning) {
    return (
      <Button kind="quiet" onPress={statement.cancel}>
        Cancel the statement
      </Button>
    );
  }
  const entries = periodsBack(period, createdAt, MONTHS).map((id) => ({
    id,
    words: id === period ? `${periodName(id, nowMs)} so far` : periodName(id, nowMs),
    icon: Download,
    onAction: () => statement.start(id),
  }));
  return (
    <>
      <MenuButton label="Statement" className={classOf({ kind: 'quiet' })} groups={[{ title: 'CSV', entries }]}>
        <Icon of={Download} />
        Statement
      </MenuButton>
      <Failure error={statement.error} />
    </>
  );
}

/** Downloads a period's statement. While the portal is still counting, it asks again; each request adds sums. */
function useStatement(ids: ProjectIds) {
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

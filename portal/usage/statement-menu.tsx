import { Download } from 'lucide-react';
import type { Project } from '../api/queries.ts';
import type { ProjectIds } from '../api/usage-queries.ts';
import { Button, classOf } from '../components/button.tsx';
import { Failure } from '../components/form.tsx';
import { Icon } from '../components/icon.tsx';
import { MenuButton } from '../components/menu.tsx';
import { useNow } from '../components/use-now.ts';
import { periodName, periodsBack } from '../text/quota.ts';
import { useStatement } from './use-statement.ts';

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

import { useQuery } from '@tanstack/react-query';
import { CircleCheck, Download } from 'lucide-react';
import type { Project, ProjectIds } from '../api/queries.ts';
import type { LedgerCheck } from '../api/schemas.ts';
import { ledgerQuery, readStatement } from '../api/usage-queries.ts';
import { Button, classOf } from '../components/button.tsx';
import { Muted, Row } from '../components/card.tsx';
import { Icon } from '../components/icon.tsx';
import { QuotaMeter } from '../components/meter.tsx';
import { Note } from '../components/note.tsx';
import { Time } from '../components/time.tsx';
import { counted, formatCount } from '../text/format.ts';
import css from './books.module.css';
import { Failure } from '../components/form.tsx';
import { MenuButton } from '../components/menu.tsx';
import { useNow } from '../components/use-now.ts';
import { periodName, periodsBack, periodSentence } from '../text/quota.ts';
import { saveFile, useExport } from '../requests/use-export.ts';

interface BooksProps {
  readonly ids: ProjectIds;
  readonly project: Project;
}

/** The quota, whether its counter equals the events now, and the statement of each period. */
export function Books({ ids, project }: BooksProps) {
  const { data, error, isFetching, refetch } = useQuery(ledgerQuery(ids));
  return (
    <section className={css.books}>
      <div className={css.quota}>
        <QuotaMeter quota={project} isMain />
        <Muted>{periodSentence(project.period)}</Muted>
      </div>
      <div className={[css.ledger, data?.state === 'balanced' && css.balanced].filter(Boolean).join(' ')}>
        <div role="status">
          {error ? <p>Counter and events could not be compared. {error.message}</p> : <Proof of={data} />}
        </div>
        <Row>
          <Button kind="quiet" isPending={isFetching} onPress={() => void refetch()}>
            Check again
          </Button>
          <StatementMenu ids={ids} project={project} />
        </Row>
      </div>
    </section>
  );
}

/** It is as high while it is read as when it is proved. */
function Proof({ of: check }: { readonly of: LedgerCheck | undefined }) {
  if (check?.state === 'different') return <Difference of={check} />;
  const isBalanced = check?.state === 'balanced';
  const shown = (units: number | null | undefined): string => (isBalanced ? formatCount(units ?? 0) : '–');
  return (
    <>
      <p className={css.equation}>
        <span className={css.side}>
          <span>Counter</span> <b>{shown(check?.counter)}</b>
        </span>{' '}
        ={' '}
        <span className={css.side}>
          <span>events</span> <b>{shown(check?.events)}</b>
        </span>
      </p>
      <p className={css.proof}>
        {isBalanced && <Icon of={CircleCheck} />}
        <span>
          {isBalanced ? (
            <>
              You are charged what is listed · checked <Time of={check.checkedAt} as="clock" />
            </>
          ) : check ? (
            `Still counting: ${undecided(check)} It is looked at again by itself.`
          ) : (
            'Comparing counter and events …'
          )}
        </span>
      </p>
    </>
  );
}

const undecided = ({ remaining }: LedgerCheck): string =>
  remaining > 0
    ? `${counted(remaining, 'part')} of the period ${remaining === 1 ? 'is' : 'are'} not summed yet.`
    : 'requests are being charged just now.';

const Difference = ({ of: { counter, events } }: { readonly of: LedgerCheck }) => (
  <Note kind="bad">
    <b>Counter and events differ.</b>{' '}
    {counter === null || events === null
      ? 'The counter of your quota cannot be read as a number.'
      : `The counter of your quota shows ${counted(counter, 'unit')}, your requests come to ${formatCount(events)}.`}{' '}
    This must not happen. The platform team was alerted and looks for the cause. Your requests still work, and you need
    not do anything.
  </Note>
);

/** The number of offered statements: of a year and the month before it. */
const MONTHS = 13;

interface StatementMenuProps {
  readonly ids: ProjectIds;
  readonly project: Project;
}

/** A period's statement as a file: this one so far, and those since the project was created. */
function StatementMenu({ ids, project: { period, createdAt } }: StatementMenuProps) {
  const nowMs = useNow();
  const statement = useExport();
  const start = (id: string): void =>
    statement.start(
      async (_cursor, signal) => ({ text: await readStatement(ids, id, signal), cursor: null }),
      ({ parts }) => saveFile(`statement-${ids.projectId}-${id}.csv`, parts, 'text/csv'),
    );
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
    onAction: () => start(id),
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

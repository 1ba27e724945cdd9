import { useState } from 'react';
import { Download, RefreshCw, ScrollText } from 'lucide-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { today } from '../api/clock.ts';
import { auditQuery, readAudit, readAuditCsv, type AuditFilter, type AuditPage } from '../api/people-queries.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../components/button.tsx';
import { Card, Row } from '../components/card.tsx';
import { Empty } from '../components/empty.tsx';
import { Loaded } from '../components/loaded.tsx';
import { More } from '../components/more.tsx';
import { ExportBar } from '../requests/export-bar.tsx';
import { saveFile, useExport } from '../requests/use-export.ts';
import { ChangeList } from './change-list.tsx';
import { FilterBar } from './filter-bar.tsx';
import css from './changes.module.css';

interface ChangesProps {
  readonly accountId: string;
  readonly filter: AuditFilter;
}

interface AuditCardProps extends ChangesProps {
  readonly onChange: (changes: AuditFilter) => void;
}

/** The changes of an account: filtered, and as a file. */
export function Changes({ accountId, filter, onChange }: AuditCardProps) {
  const client = useQueryClient();
  // The list begins anew with it.
  const [readings, setReadings] = useState(0);
  const readAnew = async (): Promise<void> => {
    setReadings(readings + 1);
    await client.resetQueries({ queryKey: auditQuery(accountId, filter).queryKey });
  };
  const csv = useExport();
  const startCsv = (): void =>
    csv.start(
      (of, signal) => readAuditCsv(accountId, { ...filter, ...of }, signal),
      ({ parts }) => saveFile(`audit-${accountId}-${today()}.csv`, parts, 'text/csv'),
    );
  const actions = (
    <Row>
      <Button kind="quiet" icon={RefreshCw} onPress={() => void readAnew()}>
        Refresh
      </Button>
      <Button icon={Download} isPending={csv.isRunning} onPress={startCsv}>
        Export CSV
      </Button>
    </Row>
  );
  return (
    <Card title="Changes" action={actions} isFlush>
      <FilterBar accountId={accountId} filter={filter} onChange={onChange} />
      {csv.progress && (
        <div className={css.foot}>
          <ExportBar of={csv} what="change" />
        </div>
      )}
      <Found key={`${readings} ${JSON.stringify(filter)}`} accountId={accountId} filter={filter} />
    </Card>
  );
}

/** The changes of a filter, newest first, page by page. */
function Found({ accountId, filter }: ChangesProps) {
  const query = useQuery(auditQuery(accountId, filter));
  // They follow the newest page, which is not read again while they are shown.
  const [older, setOlder] = useState<AuditPage>();
  const more = useAction(
    (cursor: string) => readAudit(accountId, filter, { cursor }),
    ({ events, cursor }) => setOlder((before) => ({ events: [...(before?.events ?? []), ...events], cursor })),
  );
  return (
    <Loaded query={query} what="the audit">
      {(newest) => {
        const events = [...newest.events, ...(older?.events ?? [])];
        const { cursor } = older ?? newest;
        return (
          <>
            {events.length > 0 && <ChangeList accountId={accountId} events={events} />}
            <div className={css.foot}>
              {events.length === 0 && (
                <Empty icon={ScrollText} title={noneFound(filter, cursor)}>
                  Every change of the account is noted here.
                </Empty>
              )}
              <More action={more} cursor={cursor}>
                Older changes
              </More>
            </div>
          </>
        );
      }}
    </Loaded>
  );
}

function noneFound(filter: AuditFilter, cursor: string | null): string {
  if (cursor !== null) return 'None among the newest changes. Look at older ones.';
  return Object.keys(filter).length === 0 ? 'Nothing was changed yet.' : 'There is no such change.';
}

import { useState } from 'react';
import { Link } from 'wouter';
import type { Key } from '../api/queries.ts';
import type { UsageEvent } from '../api/schemas.ts';
import type { ProjectIds, RequestFilter } from '../api/usage-queries.ts';
import { Button } from '../components/button.tsx';
import { Card, Row } from '../components/card.tsx';
import { Toggle } from '../components/toggle.tsx';
import { pages } from '../routes.ts';
import type { UsageView } from '../usage/address.ts';
import { ExportBar } from './export-bar.tsx';
import { isFiltered, RequestFilters } from './request-filters.tsx';
import css from './requests-card.module.css';
import { Requests } from './requests.tsx';
import { saveFile, useExport } from './use-export.ts';

interface RequestsCardProps {
  readonly ids: ProjectIds;
  readonly keys: readonly Key[];
  readonly view: UsageView;
  readonly onView: (changes: Partial<UsageView>) => void;
  readonly addressOf: (event: UsageEvent) => string;
  readonly onClosed: () => void;
}

/** The requests of a project: live, by filters, one looked at whole, and as a file. */
export function RequestsCard({ ids, keys, view, onView, addressOf, onClosed }: RequestsCardProps) {
  const [isFilterOpen, setFilterOpen] = useState(isFiltered(view));
  const filter = filterOf(view);
  const csv = useExport(ids, filter, ({ parts }) => saveFile(fileName(ids.projectId), parts, 'text/csv'));
  const isShown = isFilterOpen || isFiltered(view);
  return (
    <Card
      title="Requests"
      isFlush
      action={
        <Row>
          <Toggle isOn={view.isLive} onChange={(isLive) => onView({ isLive })}>
            Live
          </Toggle>
          <Button aria-expanded={isShown} onPress={() => setFilterOpen(!isShown)} isDisabled={isFiltered(view)}>
            Filter
          </Button>
          <Button isPending={csv.isRunning} onPress={csv.start}>
            Export CSV
          </Button>
        </Row>
      }
    >
      {isShown && <RequestFilters {...{ view, keys, onView }} />}
      {csv.progress && (
        <div className={css.bar}>
          <ExportBar of={csv} />
        </div>
      )}
      <Requests key={JSON.stringify(filter)} {...{ ids, keys, view, filter, addressOf, onClosed }}>
        {isFiltered(view) ? (
          <p>No request matches these filters.</p>
        ) : (
          <p>
            No request yet. <Link href={pages.keys(ids.accountId, ids.projectId)}>Create a key</Link> and send a ping
            with it: it shows here within seconds. A request whose key is not known belongs to no project and shows
            nowhere: the gateway answers it 401.
          </p>
        )}
      </Requests>
    </Card>
  );
}

function filterOf({ event, keyId, code, since, until }: UsageView): RequestFilter {
  const given = Object.entries({ event, keyId, code, since, until }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given);
}

const fileName = (projectId: string): string => `requests-${projectId}-${new Date().toISOString().slice(0, 10)}.csv`;

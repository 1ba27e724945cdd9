import { memo, startTransition, useCallback, useMemo, useState } from 'react';
import { ChartColumn, Download, ListFilter } from 'lucide-react';
import { today } from '../api/clock.ts';
import type { Key, RequestReference } from '../api/schemas.ts';
import type { Project, ProjectIds } from '../api/queries.ts';
import { readCsv, type RequestFilter } from '../api/usage-queries.ts';
import { Button, ButtonLink } from '../components/button.tsx';
import { Card, Row } from '../components/card.tsx';
import { Empty } from '../components/empty.tsx';
import { Loaded } from '../components/loaded.tsx';
import { Toggle } from '../components/toggle.tsx';
import { useNow } from '../components/use-now.ts';
import { pages } from '../routes.ts';
import { NO_FILTER, type UsageView } from '../usage/address.ts';
import { OutcomesFigure } from '../usage/outcomes-figure.tsx';
import { RangeBar } from '../usage/range-bar.tsx';
import { endOf, spanOf } from '../usage/ranges.ts';
import { useFigures, wordsOf } from '../usage/use-figures.ts';
import { useView } from '../usage/use-view.ts';
import { ExportBar } from './export-bar.tsx';
import { RequestChips, isFiltered, RequestFilters } from './request-filters.tsx';
import css from './requests-card.module.css';
import { Requests } from './requests.tsx';
import { saveFile, useExport } from './use-export.ts';
import { Link } from 'wouter';
import { useAction } from '../api/use-action.ts';
import { TextField } from '../components/fields.tsx';
import { Form } from '../components/form.tsx';
import { Note } from '../components/note.tsx';
import { findByText, type Finding } from './finding.ts';
import { ChargeVerdict } from './charge-verdict.tsx';
import { codeIn } from '../search/pasted.ts';

interface RequestsCardProps {
  readonly ids: ProjectIds;
  readonly project: Project;
  readonly keys: readonly Key[];
}

/** The requests of a project: over time, live, filtered, with details of one, and as a file. */
export function RequestsCard({ ids, project, keys }: RequestsCardProps) {
  const { view, page, setView: onView, addressOf: addressOfView, closeRequest } = useView();
  const addressOf = useCallback(({ requestId }: RequestReference) => addressOfView({ requestId }), [addressOfView]);
  const [isFilterOpen, setFilterOpen] = useState(false);
  // The whole list is drawn again with them. So the press is shown first.
  const openFilter = (isOpen: boolean): void => startTransition(() => setFilterOpen(isOpen));
  const { range } = view;
  // Fixed until another range is chosen: the list would begin anew with each bucket.
  const nowMs = useNow();
  const [chosen, setChosen] = useState({ range, atMs: nowMs });
  if (chosen.range !== range) setChosen({ range, atMs: nowMs });
  const since = useMemo(() => spanOf(chosen.range, project.period, chosen.atMs).since, [chosen, project.period]);
  const filter = filterOf({ ...view, since: view.since ?? since });
  const csv = useExport();
  const startCsv = (): void =>
    csv.start(
      (cursor, signal) => readCsv(ids, { ...filter, ...cursor }, signal),
      ({ parts }) => saveFile(fileName(ids.projectId), parts, 'text/csv'),
    );
  return (
    <>
      <RangeBar
        range={range}
        addressOf={(changes) => addressOfView({ ...changes, since: undefined, until: undefined })}
      >
        <Row>
          <Toggle isOn={view.isLive} onChange={(isLive) => onView({ isLive })}>
            Live
          </Toggle>
          <Button icon={Download} isPending={csv.isRunning} onPress={startCsv}>
            Export CSV
          </Button>
        </Row>
      </RangeBar>
      <Card isFlush>
        <FindRequest
          ids={ids}
          keys={keys}
          addressOf={addressOf}
          filter={filterOf(view)}
          onList={(clientRequestId) =>
            onView({ ...NO_FILTER, since: view.since, until: view.until, clientRequestId, range: '30d' })
          }
        />
        <RequestsOverTime ids={ids} project={project} view={page} onView={onView} />
        <RequestChips view={view} keys={keys} onView={onView} isOpen={isFilterOpen} onOpen={openFilter} />
        {isFilterOpen && <RequestFilters view={view} keys={keys} onView={onView} />}
        {csv.progress && (
          <div className={css.bar}>
            <ExportBar of={csv} what="request" />
          </div>
        )}
        <Requests
          key={JSON.stringify(filter)}
          ids={ids}
          keys={keys}
          view={view}
          filter={filter}
          addressOf={addressOf}
          onClosed={closeRequest}
        >
          {isFiltered(view) ? (
            <Empty
              icon={ListFilter}
              title="No request matches these filters."
              action={<Button onPress={() => onView(NO_FILTER)}>Clear the filters</Button>}
            >
              Take one of them away, or clear them all.
            </Empty>
          ) : (
            <Empty
              icon={ChartColumn}
              title={`No request in ${wordsOf(range)}.`}
              action={<ButtonLink href={pages.keys(ids.accountId, ids.projectId)}>Go to the keys</ButtonLink>}
            >
              Choose a longer range above, or create a key and send a ping with it. It is here within seconds.
            </Empty>
          )}
        </Requests>
      </Card>
    </>
  );
}

interface RequestsOverTimeProps {
  readonly ids: ProjectIds;
  readonly project: Project;
  readonly view: UsageView;
  readonly onView: (changes: Partial<UsageView>) => void;
}

/** The requests of the range by outcome, all of them or those of a key. What is pressed or drawn is the list's span. */
const RequestsOverTime = memo(function RequestsOverTime({ ids, project, view, onView }: RequestsOverTimeProps) {
  const { query, figure } = useFigures(ids, project, view.range, view.keyId);
  const { by } = figure.usage;
  const drawn = (
    <OutcomesFigure
      {...figure}
      isLow
      hint="Press or draw a span."
      since={view.since}
      until={view.until}
      onChoose={(first, last) => onView({ since: first, until: endOf(last, by) })}
    />
  );
  return (
    <Loaded query={query} what="the usage" frame={drawn}>
      {() => drawn}
    </Loaded>
  );
});

function filterOf({ event, keyId, code, clientRequestId, since, until }: UsageView): RequestFilter {
  const given = Object.entries({ event, keyId, code, clientRequestId, since, until }).filter(
    ([, value]) => value !== undefined,
  );
  return Object.fromEntries(given);
}

const fileName = (projectId: string): string => `requests-${projectId}-${today()}.csv`;

interface FindRequestProps {
  readonly ids: ProjectIds;
  readonly keys: readonly Key[];
  readonly filter: RequestFilter;
  readonly addressOf: (request: RequestReference) => string;
  /** Lists the requests that the client named so. */
  readonly onList: (clientRequestId: string) => void;
}

/**
 * Finds a request by any of its names, and says in one sentence what became of it: above all, whether it was charged.
 */
function FindRequest({ ids, keys, filter: { since, until }, addressOf, onList }: FindRequestProps) {
  const [typed, setTyped] = useState('');
  const [finding, setFinding] = useState<Finding>();
  const span = { ...(since !== undefined && { since }), ...(until !== undefined && { until }) };
  const action = useAction((text: string) => findByText(ids, text, span), setFinding);
  const text = typed.trim();
  const named = finding?.named;
  const code = codeIn(text);
  return (
    <div className={css.find}>
      <Form
        action={action}
        problems={{ idempotencyKey: text === '' ? 'Give what names the request.' : null }}
        onSubmit={() => action.run(text)}
      >
        <TextField
          label="Was I charged?"
          name="idempotencyKey"
          placeholder="A request id, an Idempotency-Key or a clientRequestId"
          beside={
            <Button type="submit" isPending={action.isPending}>
              Find
            </Button>
          }
          value={typed}
          onChange={(value) => {
            setTyped(value);
            setFinding(undefined);
          }}
        />
      </Form>
      <div role="status" className={css.found}>
        {finding && (
          <Note {...(named !== undefined && { action: <Button onPress={() => onList(named)}>List them</Button> })}>
            {finding.sentence} {finding.event && <Link href={addressOf(finding.event)}>Open it</Link>}{' '}
            {code !== undefined && !finding.event && <Link href={pages.error(code)}>What {code} means</Link>}
          </Note>
        )}
        {finding?.verdict && <ChargeVerdict of={finding.verdict} keys={keys} addressOf={addressOf} />}
      </div>
    </div>
  );
}

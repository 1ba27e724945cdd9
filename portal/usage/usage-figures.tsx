import { memo, useMemo, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { Project, ProjectIds } from '../api/queries.ts';
import type { Usage } from '../api/schemas.ts';
import { usageQuery } from '../api/usage-queries.ts';
import { Card, Muted } from '../components/card.tsx';
import { Loaded, Waiting } from '../components/loaded.tsx';
import { Note } from '../components/note.tsx';
import { formatCount } from '../text/format.ts';
import type { Figure, UsageView, ViewChange } from './address.ts';
import css from './chart.module.css';
import { FiguresRow } from './figures-row.tsx';
import { formatLatency, formatShare, progressOf, refusedShare } from './figures.ts';
import { labelsOf } from './labels.ts';
import { LatencyFigure } from './latency-figure.tsx';
import { OutcomesFigure } from './outcomes-figure.tsx';
import { QuotaFigure } from './quota-figure.tsx';
import { RANGES, slotsOf } from './ranges.ts';

export interface UsageFiguresProps {
  readonly ids: ProjectIds;
  readonly project: Project;
  readonly view: UsageView;
  readonly onView: (changes: ViewChange) => void;
  /** The address of the requests of a bucket, and a function that opens it. */
  readonly addressOf: (start: string, usage: Usage) => string;
  readonly onChoose: (start: string, usage: Usage) => void;
}

/**
 * The usage of a project over the range of the view: figures, and charts with their tables. It renders again only when
 * that changes.
 */
export const UsageFigures = memo(function UsageFigures({ ids, project, view, ...rest }: UsageFiguresProps) {
  const query = useQuery(usageQuery(ids, view.range, project.period, view.keyId));
  if (query.data === undefined && query.error === null) {
    return (
      <>
        {['Figures', 'Requests by outcome', 'Latency'].map((title) => (
          <Card key={title} title={title}>
            <div className={title === 'Figures' ? undefined : css.waiting}>
              {title === 'Figures' && <Waiting what="the usage" />}
            </div>
          </Card>
        ))}
      </>
    );
  }
  return (
    <Loaded query={query} what="the usage">
      {(usage) => <Figures project={project} view={view} usage={usage} {...rest} />}
    </Loaded>
  );
});

type FiguresProps = Omit<UsageFiguresProps, 'ids'> & { readonly usage: Usage };

function Figures({ project, view, usage, onView, addressOf, onChoose }: FiguresProps) {
  const [at, setAt] = useState<number>();
  const { total, by, complete } = usage;
  const labels = useMemo(() => labelsOf(by), [by]);
  const words = RANGES.find(([range]) => range === view.range)?.[2] ?? '';
  const slots = useMemo(() => slotsOf(usage), [usage]);
  const refused = refusedShare(total);
  const { ready, of } = progressOf(usage);
  const figureOf = (name: Figure) => ({
    usage,
    slots,
    labels,
    words,
    at,
    onPoint: setAt,
    isTable: view.tables.includes(name),
    onTurn: (isTable: boolean) =>
      onView(({ tables }) => ({ tables: [...tables.filter((other) => other !== name), ...(isTable ? [name] : [])] })),
  });
  const isEmpty = complete && total.requests === 0;
  return (
    <>
      <Card
        isFlush
        foot={
          <>
            <span>{labels.zone}</span>
            {isEmpty && <span>No request in {words}.</span>}
          </>
        }
      >
        {!complete && (
          <label className={css.progress}>
            {ready} of {of} are summed so far; the rest follows by itself.{' '}
            <progress className={css.bar} value={ready} max={of} />
          </label>
        )}
        <FiguresRow
          figures={[
            ['Requests', formatCount(total.requests)],
            ['Units', formatCount(total.units)],
            ['Refused', refused === undefined ? '–' : formatShare(refused)],
            ...(view.keyId === undefined
              ? ([
                  ['Latency p50', formatLatency(total.p50LatencyMs)],
                  ['Latency p95', formatLatency(total.p95LatencyMs)],
                ] as const)
              : []),
          ]}
        />
      </Card>
      {total.chargedOnly && (
        <Note>
          Of times that were summed late only charged requests are counted: those that cost nothing (replays and
          refusals) are kept for 30 days.
        </Note>
      )}
      {!isEmpty && (
        <>
          <OutcomesFigure
            {...figureOf('outcomes')}
            addressOf={(start) => addressOf(start, usage)}
            onChoose={(start) => onChoose(start, usage)}
          />
          {view.keyId === undefined && <LatencyFigure {...figureOf('latency')} />}
        </>
      )}
      {view.range === 'period' && view.keyId === undefined && <QuotaFigure {...figureOf('quota')} project={project} />}
      {!isEmpty && view.keyId !== undefined && (
        <Muted>Latency is counted for the project as a whole: choose all keys to see it.</Muted>
      )}
    </>
  );
}

import { memo } from 'react';
import type { Project, ProjectIds } from '../api/queries.ts';
import { Muted } from '../components/card.tsx';
import { Loaded } from '../components/loaded.tsx';
import { Note } from '../components/note.tsx';
import { formatCount } from '../text/format.ts';
import type { Figure, UsageView, ViewChange } from './address.ts';
import { FiguresRow } from './figures-row.tsx';
import { formatLatency, formatShare, progressOf, refusedShare } from './figures.ts';
import { LatencyFigure } from './latency-figure.tsx';
import { OutcomesFigure } from './outcomes-figure.tsx';
import { QuotaFigure } from './quota-figure.tsx';
import type { Step } from './ranges.ts';
import { UnitsByKey } from './units-by-key.tsx';
import { useFigures } from './use-figures.ts';
import css from './usage-figures.module.css';

interface UsageFiguresProps {
  readonly ids: ProjectIds;
  readonly project: Project;
  readonly view: UsageView;
  readonly onView: (changes: ViewChange) => void;
  /** The address of the requests of some buckets, and a function that opens it. */
  readonly addressOf: (by: Step, first: string, last?: string) => string;
  readonly onChoose: (by: Step, first: string, last: string) => void;
}

/** The usage of a project over the range of the view: figures, and charts with their tables. */
export const UsageFigures = memo(function UsageFigures(props: UsageFiguresProps) {
  const { ids, project, view, onView, addressOf, onChoose } = props;
  const { query, figure } = useFigures(ids, project, view.range);
  const { usage, labels, isPending } = figure;
  const { total, by, complete } = usage;
  const refused = refusedShare(total);
  const { ready, of } = progressOf(usage);
  const turned = (name: Figure) => ({
    ...figure,
    isTable: view.tables.includes(name),
    onTurn: (isTable: boolean) =>
      onView(({ tables }) => ({ tables: [...tables.filter((other) => other !== name), ...(isTable ? [name] : [])] })),
  });
  const drawn = (
    <>
      {!complete && (
        <label className={css.progress}>
          {ready} of {of} are summed so far; the rest follows by itself.{' '}
          <progress className={css.bar} value={ready} max={of} />
        </label>
      )}
      <FiguresRow
        isPlain
        figures={[
          ['Requests', isPending ? '–' : formatCount(total.requests)],
          ['Units', isPending ? '–' : formatCount(total.units)],
          ['All refusals', refused === undefined ? '–' : formatShare(refused)],
          ['Latency p50', formatLatency(total.p50LatencyMs)],
          ['Latency p95', formatLatency(total.p95LatencyMs)],
        ]}
      />
      {total.chargedOnly && (
        <Note>
          Of times that were summed late only charged requests are counted: those that cost nothing (replays and
          refusals) are kept for 30 days.
        </Note>
      )}
      <OutcomesFigure
        {...turned('outcomes')}
        hint="A bar leads to its requests."
        addressOf={(start) => addressOf(by, start)}
        onChoose={(first, last) => onChoose(by, first, last)}
      />
      <div className={css.pair}>
        <LatencyFigure {...turned('latency')} />
        <UnitsByKey ids={ids} project={project} range={view.range} />
      </div>
      {view.range === 'period' && <QuotaFigure {...turned('quota')} project={project} />}
      <Muted>{labels.zone}</Muted>
    </>
  );
  return (
    <Loaded query={query} what="the usage" frame={drawn}>
      {() => drawn}
    </Loaded>
  );
});

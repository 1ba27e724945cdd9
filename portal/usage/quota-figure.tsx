import { LinePath } from '@visx/shape';
import type { Project } from '../api/queries.ts';
import { useNow } from '../components/use-now.ts';
import { formatCount } from '../text/format.ts';
import { paceOf } from '../text/quota.ts';
import type { Scales } from './chart.tsx';
import { FigureCard } from './figure-card.tsx';
import type { FigureProps } from './figure-props.ts';
import { LineMark } from './legend.tsx';
import css from './lines.module.css';
import { courseOf, shareOf, type QuotaCourse } from './quota-course.ts';

type QuotaFigureProps = Pick<FigureProps, 'usage' | 'labels' | 'isTable' | 'onTurn' | 'at' | 'onPoint'> & {
  readonly project: Project;
};

/** The cumulated units of the period, with the limit and the expected course. */
export function QuotaFigure({ project, usage, ...figure }: QuotaFigureProps) {
  const { labels, at } = figure;
  const nowMs = useNow();
  if (!usage.complete) return null;
  const { quotaLimit, quotaUsed } = project;
  const course = courseOf(project, usage, nowMs);
  const { slots } = course;
  const pace = paceOf(project, nowMs);
  const wordsAt = (index: number): string => {
    const { start = '', bucket } = slots[index] ?? {};
    return `${labels.whole(start)}: ${bucket?.used === undefined ? 'to come' : `${formatCount(bucket.used)} units used`}`;
  };
  const limit = quotaLimit === null ? 'no limit' : `of ${formatCount(quotaLimit)}`;
  const pointed = at === undefined ? undefined : slots[at];
  return (
    <FigureCard
      {...figure}
      title="Quota of this period"
      rows={slots.filter(({ bucket }) => bucket?.used !== undefined)}
      columns={[
        { heading: 'Up to the end of', isShort: true, cell: ({ start }) => labels.whole(start) },
        { heading: 'Units used', isNumber: true, cell: ({ bucket }) => formatCount(bucket?.used ?? 0) },
      ]}
      summary={`Quota of this period: ${formatCount(quotaUsed)} units used, ${limit}. ${pace}`.trim()}
      max={Math.max(quotaLimit ?? 0, quotaUsed)}
      formatTick={formatCount}
      slots={slots}
      wordsAt={wordsAt}
      legend={{
        of: pointed ? wordsAt(at ?? 0) : pace,
        entries: [
          [<LineMark key="used" />, 'Units used', formatCount(quotaUsed)],
          [<LineMark key="limit" isDashed />, 'Limit', quotaLimit === null ? 'none' : formatCount(quotaLimit)],
        ],
      }}
    >
      {(scales) => (
        <Course {...scales} course={course} limit={quotaLimit} used={quotaUsed} now={shareOf(slots, usage.by, nowMs)} />
      )}
    </FigureCard>
  );
}

interface CourseProps extends Scales {
  readonly course: QuotaCourse;
  readonly limit: number | null;
  readonly used: number;
  /** The position of now, as a share of the width. */
  readonly now: number;
}

/** The line of used units up to now, the expected course from there on, and the limit. */
function Course({ x, y, course: { slots, expected }, limit, used, now }: CourseProps) {
  const [left, right] = x.range();
  const width = right - left;
  const past = slots.flatMap(({ bucket }, index) => (bucket?.used === undefined ? [] : [{ index, used: bucket.used }]));
  // The units of a day are complete at its end, those of the present day by now.
  const steps = past.slice(0, -1).map((step) => [((step.index + 1) / slots.length) * width, step.used] as const);
  const line = [[0, 0] as const, ...steps, [now * width, used] as const];
  const [top] = y.domain().slice(-1);
  const end = expected === undefined || top === undefined ? undefined : cut(now * width, used, width, expected, top);
  return (
    <>
      {limit !== null && <line x2={width} y1={y(limit)} y2={y(limit)} className={css.limit} />}
      <LinePath data={line} x={([at]) => at} y={([, units]) => y(units)} className={css.p50 ?? ''} />
      {end && <line x1={now * width} y1={y(used)} x2={end[0]} y2={y(end[1])} className={css.expected} />}
    </>
  );
}

/** The end of a line, or where it leaves the chart at the top. */
function cut(fromX: number, from: number, toX: number, to: number, top: number): readonly [x: number, value: number] {
  return to <= top ? [toX, to] : [fromX + ((toX - fromX) * (top - from)) / (to - from), top];
}

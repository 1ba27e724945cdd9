import { formatCount } from '../text/format.ts';
import type { Scales } from './chart.tsx';
import { FigureCard } from './figure-card.tsx';
import type { FigureProps } from './figure-props.ts';
import { formatLatency, summaryOfLatency } from './figures.ts';
import { LineMark } from './legend.tsx';
import { LinePath } from '@visx/shape';
import type { Usage } from '../api/schemas.ts';
import css from './lines.module.css';
import type { Slot } from './ranges.ts';

/** Latency, p50 and p95, by bucket. */
export function LatencyFigure({ usage, words, ...figure }: FigureProps) {
  const { slots, labels, at } = figure;
  const pointed = at === undefined ? undefined : slots[at];
  const { p50LatencyMs, p95LatencyMs } = pointed
    ? (pointed.bucket ?? { p50LatencyMs: null, p95LatencyMs: null })
    : usage.total;
  const ready = slots.flatMap(({ bucket }) => bucket ?? []);
  const wordsAt = (index: number): string => {
    const { start = '', bucket } = slots[index] ?? {};
    if (!bucket) return `${labels.whole(start)}: not summed yet`;
    if (bucket.p50LatencyMs === null) return `${labels.whole(start)}: no request`;
    return `${labels.whole(start)}: p50 ${formatLatency(bucket.p50LatencyMs)}, p95 ${formatLatency(bucket.p95LatencyMs)}`;
  };
  return (
    <FigureCard
      {...figure}
      title="Latency"
      rows={ready}
      columns={[
        { heading: 'Time', isShort: true, cell: ({ start }) => labels.whole(start) },
        { heading: 'p50', isNumber: true, cell: (bucket) => formatLatency(bucket.p50LatencyMs) },
        { heading: 'p95', isNumber: true, cell: (bucket) => formatLatency(bucket.p95LatencyMs) },
      ]}
      summary={summaryOfLatency(usage, words, labels)}
      max={Math.max(...ready.map((bucket) => bucket.p95LatencyMs ?? 0), 0)}
      formatTick={(value) => `${formatCount(value)} ms`}
      wordsAt={wordsAt}
      legend={{
        of: pointed ? labels.whole(pointed.start) : `In ${words}`,
        entries: [
          [<LineMark key="p50" />, 'p50', formatLatency(p50LatencyMs)],
          [<LineMark key="p95" isDashed />, 'p95', formatLatency(p95LatencyMs)],
        ],
      }}
    >
      {(scales) => <LatencyLines {...scales} slots={slots} />}
    </FigureCard>
  );
}

/** Half of a point's width, in pixels. */
const POINT = 3;

type LatencySlot = Slot<Usage['buckets'][number]>;

/**
 * Latencies over time: p50 as a line with round points, p95 dashed with square ones. A bucket without requests is a
 * gap.
 */
function LatencyLines({ x, y, slots }: Scales & { readonly slots: readonly LatencySlot[] }) {
  const middleOf = ({ start }: LatencySlot): number => (x(start) ?? 0) + x.bandwidth() / 2;
  const p50Of = ({ bucket }: LatencySlot): number | null => bucket?.p50LatencyMs ?? null;
  const p95Of = ({ bucket }: LatencySlot): number | null => bucket?.p95LatencyMs ?? null;
  const line = (valueOf: (slot: LatencySlot) => number | null, className: string | undefined) => (
    <LinePath
      data={[...slots]}
      x={middleOf}
      y={(slot) => y(valueOf(slot) ?? 0)}
      defined={(slot) => valueOf(slot) !== null}
      className={className ?? ''}
    />
  );
  return (
    <>
      {line(p95Of, css.p95)}
      {line(p50Of, css.p50)}
      {slots.map((slot) => {
        const [p50, p95] = [p50Of(slot), p95Of(slot)];
        if (p50 === null || p95 === null) return null;
        const middle = middleOf(slot);
        return (
          <g key={slot.start}>
            <rect x={middle - POINT} y={y(p95) - POINT} width={2 * POINT} height={2 * POINT} className={css.point95} />
            <circle cx={middle} cy={y(p50)} r={POINT} className={css.point50} />
          </g>
        );
      })}
    </>
  );
}

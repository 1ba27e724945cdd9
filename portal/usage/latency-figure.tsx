import { List } from '../components/list.tsx';
import { formatCount } from '../text/format.ts';
import { Chart } from './chart.tsx';
import { FigureCard } from './figure-card.tsx';
import type { FigureProps } from './figure-props.ts';
import { formatLatency, summaryOfLatency } from './figures.ts';
import { LatencyLines } from './latency-lines.tsx';
import { Legend, LineMark } from './legend.tsx';

/** Latency, p50 and p95, by bucket. */
export function LatencyFigure({ usage, slots, labels, words, at, onPoint, ...card }: FigureProps) {
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
      {...card}
      title="Latency"
      table={() => (
        <List
          label="Latency"
          items={ready.toReversed()}
          idOf={({ start }) => start}
          isDense
          columns={[
            { heading: 'Time', isShort: true, cell: ({ start }) => labels.whole(start) },
            { heading: 'p50', isNumber: true, cell: (bucket) => formatLatency(bucket.p50LatencyMs) },
            { heading: 'p95', isNumber: true, cell: (bucket) => formatLatency(bucket.p95LatencyMs) },
          ]}
        />
      )}
      chart={(title) => (
        <>
          <Chart
            title={title}
            summary={summaryOfLatency(usage, words, labels)}
            max={Math.max(...ready.map((bucket) => bucket.p95LatencyMs ?? 0), 0)}
            formatTick={(value) => `${formatCount(value)} ms`}
            slots={slots}
            labels={labels}
            at={at}
            onPoint={onPoint}
            wordsAt={wordsAt}
          >
            {(scales) => <LatencyLines {...scales} slots={slots} />}
          </Chart>
          <Legend
            of={pointed ? labels.whole(pointed.start) : `In ${words}`}
            entries={[
              [<LineMark key="p50" />, 'p50', formatLatency(p50LatencyMs)],
              [<LineMark key="p95" isDashed />, 'p95', formatLatency(p95LatencyMs)],
            ]}
          />
        </>
      )}
    />
  );
}

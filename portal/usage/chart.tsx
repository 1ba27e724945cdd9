import { scaleBand, scaleLinear } from '@visx/scale';
import type { ReactNode } from 'react';
import css from './chart.module.css';
import { labelledPlaces, type Labels } from './labels.ts';
import { Probe, type Pointing } from './probe.tsx';
import type { Slot } from './ranges.ts';
import { useSize } from './use-size.ts';

/** Room around the plot for the labels of its axes, in pixels: SVG takes numbers, which no style sheet sets. */
const MARGIN = { left: 52, right: 4, top: 8, bottom: 24 };
const LABEL_WIDTH = 52;
const LABEL_DROP = 16;
/** The offset of a label of the left axis, to be beside its line. */
const LABEL_GAP = 8;
const LABEL_MIDDLE = 4;
const TICKS = 4;
const BAND_PADDING = 0.16;

/** The scales of the plot. */
export interface Scales {
  readonly x: ReturnType<typeof bandScale>;
  readonly y: ReturnType<typeof linearScale>;
}

interface ChartProps extends Pointing {
  readonly title: string;
  readonly slots: readonly Slot<object>[];
  /** The summary of the chart, in sentences. */
  readonly summary: string;
  readonly labels: Labels;
  /** The largest value that it shows. */
  readonly max: number;
  readonly formatTick: (value: number) => string;
  readonly children: (scales: Scales) => ReactNode;
}

const bandScale = (starts: string[], width: number) =>
  scaleBand({ domain: starts, range: [0, width], paddingInner: BAND_PADDING, paddingOuter: BAND_PADDING / 2 });
const linearScale = (max: number, height: number) =>
  scaleLinear({ domain: [0, Math.max(1, max)], range: [height, 0], nice: TICKS });

/**
 * Axes and grid around the plot, and a probe over it. For a screen reader the picture is one image with its summary.
 */
export function Chart({
  title,
  slots,
  summary,
  labels,
  max,
  formatTick,
  at,
  onPoint,
  onChoose,
  wordsAt,
  children,
}: ChartProps) {
  const [frame, size] = useSize<HTMLDivElement>();
  const width = size.width - MARGIN.left - MARGIN.right;
  const height = size.height - MARGIN.top - MARGIN.bottom;
  const isLaidOut = width > 0 && height > 0 && slots.length > 0;
  const x = bandScale(
    slots.map(({ start }) => start),
    Math.max(0, width),
  );
  const y = linearScale(max, Math.max(0, height));
  const place = width / slots.length;
  return (
    <div className={css.frame} ref={frame}>
      {isLaidOut && (
        <>
          <svg role="img" aria-label={summary} width={size.width} height={size.height} className={css.picture}>
            <g transform={`translate(${MARGIN.left} ${MARGIN.top})`}>
              {y
                .ticks(TICKS)
                .filter(Number.isInteger)
                .map((value) => (
                  <g key={value} transform={`translate(0 ${Math.round(y(value)) + 0.5})`}>
                    <line x2={width} className={css.grid} />
                    <text x={-LABEL_GAP} y={LABEL_MIDDLE} className={css.left}>
                      {formatTick(value)}
                    </text>
                  </g>
                ))}
              {at !== undefined && <rect x={at * place} width={place} height={height} className={css.pointed} />}
              {slots.map(
                ({ start, bucket }, index) =>
                  !bucket && (
                    <rect key={start} x={index * place} width={place} height={height} className={css.missing} />
                  ),
              )}
              {children({ x, y })}
              {labelledPlaces(slots.length, LABEL_WIDTH, place).map((index) => (
                <text key={index} x={(index + 0.5) * place} y={height + LABEL_DROP} className={css.bottom}>
                  {labels.tick(slots[index]?.start ?? '')}
                </text>
              ))}
            </g>
          </svg>
          <Probe
            count={slots.length}
            margin={MARGIN}
            title={title}
            at={at}
            onPoint={onPoint}
            onChoose={onChoose}
            wordsAt={wordsAt}
          />
        </>
      )}
    </div>
  );
}

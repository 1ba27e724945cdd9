import { scaleBand, scaleLinear } from '@visx/scale';
import type { ReactNode } from 'react';
import css from './chart.module.css';
import { labelledPlaces, type Labels } from './labels.ts';
import type { Slot } from './ranges.ts';
import { useSize } from './use-size.ts';

/** Room around the plot for the labels of its axes, in pixels: SVG is drawn in numbers, which no style sheet reaches. */
const MARGIN = { left: 52, right: 4, top: 8, bottom: 24 };
const LABEL_WIDTH = 52;
const LABEL_DROP = 16;
/** What a label of the left axis is moved by to stand beside its line. */
const LABEL_GAP = 8;
const LABEL_MIDDLE = 4;
const TICKS = 4;
const BAND_PADDING = 0.16;

/** What is drawn is placed by these. */
export interface Scales {
  readonly x: ReturnType<typeof bandScale>;
  readonly y: ReturnType<typeof linearScale>;
}

export interface ChartProps {
  readonly slots: readonly Slot<object>[];
  /** What the chart shows, in sentences. */
  readonly summary: string;
  readonly labels: Labels;
  /** The largest value that it shows. */
  readonly max: number;
  readonly formatTick: (value: number) => string;
  /** Place that is pointed at. */
  readonly at: number | undefined;
  readonly onPoint: (at: number | undefined) => void;
  /** A place was pressed. */
  readonly onChoose?: (at: number) => void;
  /** What there is at a place, in words. */
  readonly wordsAt: (at: number) => string;
  readonly children: (scales: Scales) => ReactNode;
}

const bandScale = (starts: string[], width: number) =>
  scaleBand({ domain: starts, range: [0, width], paddingInner: BAND_PADDING, paddingOuter: BAND_PADDING / 2 });
const linearScale = (max: number, height: number) =>
  scaleLinear({ domain: [0, Math.max(1, max)], range: [height, 0], nice: TICKS });

/**
 * Axes and grid around what is drawn, and a probe over it: by the mouse, by touch or, as a slider, by the arrow keys one
 * goes from place to place, and what is there is told. To a screen reader the picture is one image with its summary.
 */
export function Chart({
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
  const last = slots.length - 1;
  const placeOf = (event: { clientX: number; currentTarget: Element }): number => {
    const { left, width: whole } = event.currentTarget.getBoundingClientRect();
    return Math.min(last, Math.max(0, Math.floor(((event.clientX - left) / whole) * slots.length)));
  };
  const keys: Readonly<Record<string, number>> = {
    ArrowLeft: Math.max(0, (at ?? last) - 1),
    ArrowDown: Math.max(0, (at ?? last) - 1),
    ArrowRight: Math.min(last, (at ?? last) + 1),
    ArrowUp: Math.min(last, (at ?? last) + 1),
    Home: 0,
    End: last,
  };
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
          <div
            role="slider"
            tabIndex={0}
            aria-label="Look at one time"
            aria-valuemin={1}
            aria-valuemax={slots.length}
            aria-valuenow={(at ?? last) + 1}
            aria-valuetext={wordsAt(at ?? last)}
            className={onChoose ? css.probeToPress : css.probe}
            style={MARGIN}
            onPointerMove={(event) => onPoint(placeOf(event))}
            onPointerDown={(event) => onPoint(placeOf(event))}
            onPointerLeave={() => onPoint(undefined)}
            onBlur={() => onPoint(undefined)}
            onClick={(event) => onChoose?.(placeOf(event))}
            onKeyDown={(event) => {
              const to = keys[event.key];
              if (event.key === 'Enter') onChoose?.(at ?? last);
              if (event.key === 'Escape') onPoint(undefined);
              if (to === undefined) return;
              event.preventDefault();
              onPoint(to);
            }}
          />
        </>
      )}
    </div>
  );
}

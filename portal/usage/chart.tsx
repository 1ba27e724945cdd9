import { scaleBand, scaleLinear } from '@visx/scale';
import { type ReactNode, useRef, type KeyboardEvent, useLayoutEffect, useState, type RefObject } from 'react';
import css from './chart.module.css';
import { labelledPlaces, type Labels } from './labels.ts';
import type { Slot } from './ranges.ts';

/** Room around the plot for the labels of its axes, in pixels: SVG takes numbers, which no style sheet sets. */
const MARGIN = { left: 52, right: 4, top: 8, bottom: 24 };
const LABEL_WIDTH = 52;
const LABEL_DROP = 16;
/** The offset of a label of the left axis, to be beside its line. */
const LABEL_GAP = 8;
const LABEL_MIDDLE = 4;
const TICKS = 4;
const TICKS_OF_LOW = 2;
const BAND_PADDING = 0.16;

/** The scales of the plot. */
export interface Scales {
  readonly x: ReturnType<typeof bandScale>;
  readonly y: ReturnType<typeof linearScale>;
}

export interface ChartProps extends Pointing {
  readonly title: string;
  /** With little height, above the list that it belongs to. */
  readonly isLow?: boolean;
  /** Its data are being read. */
  readonly isPending?: boolean;
  readonly slots: readonly Slot<object>[];
  /** The summary of the chart, in sentences. */
  readonly summary: string;
  readonly labels: Labels;
  /** The largest value that it shows. */
  readonly max: number;
  readonly formatTick: (value: number) => string;
  /** The first and the last position of the span that is chosen. */
  readonly chosen?: Span | undefined;
  readonly children: (scales: Scales) => ReactNode;
}

export type Span = readonly [first: number, last: number];

const bandScale = (starts: string[], width: number) =>
  scaleBand({ domain: starts, range: [0, width], paddingInner: BAND_PADDING, paddingOuter: BAND_PADDING / 2 });
const linearScale = (max: number, height: number, ticks: number) =>
  scaleLinear({ domain: [0, Math.max(1, max)], range: [height, 0], nice: ticks });

/**
 * Axes and grid around the plot, and a probe over it. For a screen reader the picture is one image with its summary.
 */
export function Chart({
  title,
  isLow = false,
  isPending = false,
  slots,
  summary,
  labels,
  max,
  formatTick,
  at,
  onPoint,
  onChoose,
  wordsAt,
  chosen,
  children,
}: ChartProps) {
  const [frame, size] = useSize<HTMLDivElement>();
  // Where a span begins that is being chosen.
  const [anchor, setAnchor] = useState<number>();
  const ticks = isLow ? TICKS_OF_LOW : TICKS;
  const width = size.width - MARGIN.left - MARGIN.right;
  const height = size.height - MARGIN.top - MARGIN.bottom;
  const isLaidOut = width > 0 && height > 0 && slots.length > 0;
  const x = bandScale(
    slots.map(({ start }) => start),
    Math.max(0, width),
  );
  const y = linearScale(max, Math.max(0, height), ticks);
  const place = width / slots.length;
  const band = at !== undefined && anchor !== undefined && anchor !== at ? ordered(anchor, at) : chosen;
  return (
    <div className={isLow ? css.low : css.frame} ref={frame}>
      {isLaidOut && (
        <>
          <svg role="img" aria-label={summary} width={size.width} height={size.height} className={css.picture}>
            <g transform={`translate(${MARGIN.left} ${MARGIN.top})`}>
              {band && (
                <rect
                  x={band[0] * place}
                  width={(band[1] - band[0] + 1) * place}
                  height={height}
                  className={css.chosen}
                />
              )}
              {y
                .ticks(ticks)
                .filter(Number.isInteger)
                .map((value) => (
                  <g key={value} transform={`translate(0 ${Math.round(y(value)) + 0.5})`}>
                    <line x2={width} className={css.grid} />
                    <text x={-LABEL_GAP} y={LABEL_MIDDLE} className={css.left}>
                      {formatTick(value)}
                    </text>
                  </g>
                ))}
              {at !== undefined && band === chosen && (
                <rect x={at * place} width={place} height={height} className={css.pointed} />
              )}
              {slots.map(
                ({ start, bucket }, index) =>
                  !bucket &&
                  !isPending && (
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
            anchor={anchor}
            onAnchor={setAnchor}
            onChoose={onChoose}
            wordsAt={wordsAt}
          />
        </>
      )}
    </div>
  );
}

/** The moves between positions of a chart. */
interface Pointing {
  /** The position that is pointed at. */
  readonly at: number | undefined;
  readonly onPoint: (at: number | undefined) => void;
  /** Called when a position is pressed, or a span of them is drawn. */
  readonly onChoose?: ((first: number, last: number) => void) | undefined;
  /** The content of a position, in words. */
  readonly wordsAt: (at: number) => string;
}

const ordered = (one: number, other: number): Span => [Math.min(one, other), Math.max(one, other)];

interface ProbeProps extends Pointing {
  /** The name of the chart. */
  readonly title: string;
  /** Where the span begins that is being chosen. Undefined: none is. */
  readonly anchor: number | undefined;
  readonly onAnchor: (anchor: number | undefined) => void;
  /** The positions, side by side. */
  readonly count: number;
  /** The part of the chart that is not plot, in pixels. */
  readonly margin: { readonly left: number; readonly right: number; readonly top: number; readonly bottom: number };
}

/**
 * Covers a plot. Mouse, touch and, as a slider, the arrow keys move between positions, and the content of each is
 * announced. A press or Enter chooses one; drawing, or the arrow keys with Shift, chooses a span.
 */
function Probe({ title, count, margin, at, onPoint, anchor, onAnchor, onChoose, wordsAt }: ProbeProps) {
  // A finger cannot point without pressing. Its first press points, a second one at the same position chooses.
  const isChosen = useRef(false);
  const last = count - 1;
  const here = at ?? last;
  const placeOf = (event: { clientX: number; currentTarget: Element }): number => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    return Math.min(last, Math.max(0, Math.floor(((event.clientX - left) / width) * count)));
  };
  const choose = (from: number, to: number): void => {
    onAnchor(undefined);
    onChoose?.(...ordered(from, to));
  };
  const leave = (): void => {
    onAnchor(undefined);
    onPoint(undefined);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') choose(anchor ?? here, here);
    if (event.key === 'Escape') leave();
    const to = placeByKey(event.key, here, last);
    if (to === undefined) return;
    event.preventDefault();
    onAnchor(event.shiftKey && onChoose ? (anchor ?? here) : undefined);
    onPoint(to);
  };
  return (
    <div
      role="slider"
      tabIndex={0}
      aria-label={`${title}: look at one time`}
      aria-valuemin={1}
      aria-valuemax={count}
      aria-valuenow={here + 1}
      aria-valuetext={
        anchor === undefined || anchor === here ? wordsAt(here) : `${wordsAt(anchor)}, to ${wordsAt(here)}`
      }
      className={onChoose ? css.probeToPress : css.probe}
      style={margin}
      onPointerMove={(event) => onPoint(placeOf(event))}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        const place = placeOf(event);
        isChosen.current = event.pointerType !== 'touch' || place === at;
        // A line that is drawn beyond the chart ends at its last position.
        event.currentTarget.setPointerCapture(event.pointerId);
        if (onChoose) onAnchor(place);
        onPoint(place);
      }}
      onPointerUp={(event) => {
        const place = placeOf(event);
        if (anchor !== undefined && (place !== anchor || isChosen.current)) choose(anchor, place);
        else onAnchor(undefined);
      }}
      onPointerCancel={leave}
      onPointerLeave={({ pointerType }) => pointerType !== 'touch' && onPoint(undefined)}
      onBlur={leave}
      onKeyDown={onKeyDown}
    />
  );
}

/** The position that a key leads to. Undefined: none. */
function placeByKey(key: string, from: number, last: number): number | undefined {
  if (key === 'ArrowLeft' || key === 'ArrowDown') return Math.max(0, from - 1);
  if (key === 'ArrowRight' || key === 'ArrowUp') return Math.min(last, from + 1);
  if (key === 'Home') return 0;
  return key === 'End' ? last : undefined;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** The size of an element in whole pixels, updated when it changes. 0 by 0 before its layout. */
function useSize<Of extends HTMLElement>(): readonly [RefObject<Of | null>, Size] {
  const ref = useRef<Of>(null);
  const [size, setSize] = useState<Size>({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return undefined;
    const measure = (): void => {
      const { clientWidth: width, clientHeight: height } = element;
      setSize((before) => (before.width === width && before.height === height ? before : { width, height }));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [ref, size];
}

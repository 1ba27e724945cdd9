import { useRef, type KeyboardEvent } from 'react';
import css from './chart.module.css';

/** How one goes from place to place in a chart. */
export interface Pointing {
  /** Place that is pointed at. */
  readonly at: number | undefined;
  readonly onPoint: (at: number | undefined) => void;
  /** A place was pressed. */
  readonly onChoose?: ((at: number) => void) | undefined;
  /** What there is at a place, in words. */
  readonly wordsAt: (at: number) => string;
}

interface ProbeProps extends Pointing {
  /** Places, side by side. */
  readonly count: number;
  /** What of the chart is not plot, in pixels. */
  readonly margin: { readonly left: number; readonly right: number; readonly top: number; readonly bottom: number };
}

/** Lies over a plot: by the mouse, by touch or, as a slider, by the arrow keys one goes from place to place, and what is there is told. */
export function Probe({ count, margin, at, onPoint, onChoose, wordsAt }: ProbeProps) {
  // A finger cannot point without pressing: its first press points, a second one at the same place chooses.
  const isChosen = useRef(false);
  const last = count - 1;
  const here = at ?? last;
  const placeOf = (event: { clientX: number; currentTarget: Element }): number => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    return Math.min(last, Math.max(0, Math.floor(((event.clientX - left) / width) * count)));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') onChoose?.(here);
    if (event.key === 'Escape') onPoint(undefined);
    const to = placeByKey(event.key, here, last);
    if (to === undefined) return;
    event.preventDefault();
    onPoint(to);
  };
  return (
    <div
      role="slider"
      tabIndex={0}
      aria-label="Look at one time"
      aria-valuemin={1}
      aria-valuemax={count}
      aria-valuenow={here + 1}
      aria-valuetext={wordsAt(here)}
      className={onChoose ? css.probeToPress : css.probe}
      style={margin}
      onPointerMove={(event) => onPoint(placeOf(event))}
      onPointerDown={(event) => {
        isChosen.current = event.pointerType !== 'touch' || placeOf(event) === at;
        onPoint(placeOf(event));
      }}
      onPointerLeave={({ pointerType }) => pointerType !== 'touch' && onPoint(undefined)}
      onBlur={() => onPoint(undefined)}
      onClick={(event) => isChosen.current && onChoose?.(placeOf(event))}
      onKeyDown={onKeyDown}
    />
  );
}

/** Where a key leads to; undefined: nowhere. */
function placeByKey(key: string, from: number, last: number): number | undefined {
  if (key === 'ArrowLeft' || key === 'ArrowDown') return Math.max(0, from - 1);
  if (key === 'ArrowRight' || key === 'ArrowUp') return Math.min(last, from + 1);
  if (key === 'Home') return 0;
  return key === 'End' ? last : undefined;
}

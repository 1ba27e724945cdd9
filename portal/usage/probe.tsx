import { useRef, type KeyboardEvent } from 'react';
import css from './chart.module.css';

/** The moves between positions of a chart. */
export interface Pointing {
  /** The position that is pointed at. */
  readonly at: number | undefined;
  readonly onPoint: (at: number | undefined) => void;
  /** Called when a position is pressed. */
  readonly onChoose?: ((at: number) => void) | undefined;
  /** The content of a position, in words. */
  readonly wordsAt: (at: number) => string;
}

interface ProbeProps extends Pointing {
  /** The name of the chart. */
  readonly title: string;
  /** The positions, side by side. */
  readonly count: number;
  /** The part of the chart that is not plot, in pixels. */
  readonly margin: { readonly left: number; readonly right: number; readonly top: number; readonly bottom: number };
}

/**
 * Covers a plot. Mouse, touch and, as a slider, the arrow keys move between positions, and the content of each is
 * announced.
 */
export function Probe({ title, count, margin, at, onPoint, onChoose, wordsAt }: ProbeProps) {
  // A finger cannot point without pressing. Its first press points, a second one at the same position chooses.
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
      aria-label={`${title}: look at one time`}
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

/** The position that a key leads to. Undefined: none. */
function placeByKey(key: string, from: number, last: number): number | undefined {
  if (key === 'ArrowLeft' || key === 'ArrowDown') return Math.max(0, from - 1);
  if (key === 'ArrowRight' || key === 'ArrowUp') return Math.min(last, from + 1);
  if (key === 'Home') return 0;
  return key === 'End' ? last : undefined;
}

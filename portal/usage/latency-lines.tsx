import { LinePath } from '@visx/shape';
import type { Usage } from '../api/schemas.ts';
import type { Scales } from './chart.tsx';
import css from './lines.module.css';
import type { Slot } from './ranges.ts';

/** Half of a point's width, in pixels. */
const POINT = 3;

type LatencySlot = Slot<Usage['buckets'][number]>;

/**
 * Latencies over time: p50 as a line with round points, p95 dashed with square ones. A bucket without requests is a
 * gap.
 */
export function LatencyLines({ x, y, slots }: Scales & { readonly slots: readonly LatencySlot[] }) {
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

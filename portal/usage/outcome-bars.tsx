import { scaleOrdinal } from '@visx/scale';
import { BarStack } from '@visx/shape';
import type { Usage } from '../api/schemas.ts';
import { CHARTED, outcomeNamed, type OutcomeName } from '../requests/outcomes.ts';
import type { Scales } from './chart.tsx';
import css from '../requests/outcome.module.css';
import type { Slot } from './ranges.ts';

/** The widest bar, in pixels: with few positions it stays a bar. */
const WIDEST = 48;
/** The gap between two outcomes of a bar, in pixels. It separates them without their colours. */
const GAP = 1;
/** The least height of a part: one refusal of thousands is visible. */
const LEAST = 1;

const NAMES = CHARTED.map(({ event }) => event);
/** visx expects colours. Here they are names of classes. */
const marks = scaleOrdinal<OutcomeName, string>({ domain: NAMES, range: CHARTED.map(({ mark }) => mark) });

/** The requests of each bucket, stacked by outcome. */
export const OutcomeBars = ({
  x,
  y,
  slots,
}: Scales & { readonly slots: readonly Slot<Usage['buckets'][number]>[] }) => (
  <BarStack
    data={[...slots]}
    keys={NAMES}
    x={({ start }) => start}
    value={({ bucket }, event) => bucket?.outcomes[event] ?? 0}
    xScale={x}
    yScale={y}
    color={marks}
  >
    {(stacks) =>
      stacks.map(({ key, bars }) => (
        <g key={key} className={css[outcomeNamed(key).mark]}>
          {bars
            .filter(({ height }) => height > 0)
            .map(({ index, x: left, y: top, width, height }) => (
              <rect
                key={index}
                x={left + Math.max(0, width - WIDEST) / 2}
                y={top}
                width={Math.min(WIDEST, width)}
                height={Math.max(LEAST, height - GAP)}
              />
            ))}
        </g>
      ))
    }
  </BarStack>
);

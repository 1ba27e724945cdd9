import { Unseen } from '../components/card.tsx';
import { RefreshCw } from 'lucide-react';
import { useQuery } from '@tanstack/react-query';
import type { Project } from '../api/queries.ts';
import type { Usage } from '../api/schemas.ts';
import { dayQuery } from '../api/usage-queries.ts';
import { Button } from '../components/button.tsx';
import { CHARTED } from '../requests/outcomes.ts';
import outcomeCss from '../requests/outcome.module.css';
import { counted } from '../text/format.ts';
import { outcomesInWords } from '../usage/figures.ts';
import { slotsOf } from '../usage/ranges.ts';
import css from './project-card.module.css';

/** Units of the drawing, which is stretched to its card: an hour, its bar, and the height. */
const [HOUR, BAR, HEIGHT] = [4, 3.2, 32];
/** The least height of a part: one refusal of hundreds is visible. */
const LEAST = 1;

interface DayOfRequestsProps {
  readonly accountId: string;
  readonly project: Project;
}

/**
 * The requests of a project in the last 24 hours, one bar per hour. If they cannot be read, the rest of the page stays.
 */
export function DayOfRequests({ accountId, project: { projectId, period } }: DayOfRequestsProps) {
  const { data, error, isFetching, refetch } = useQuery(dayQuery({ accountId, projectId }, period));
  if (!data) {
    return (
      <div className={css.chart} role={error ? 'alert' : 'status'}>
        {error ? (
          <p className={css.failed}>
            Could not read its requests.
            <Button kind="quiet" icon={RefreshCw} onPress={() => void refetch()} isPending={isFetching}>
              Try again
            </Button>
          </p>
        ) : (
          <Unseen>Reading its requests …</Unseen>
        )}
      </div>
    );
  }
  return (
    <div>
      <Bars usage={data} />
      <p className={css.note}>
        {counted(data.total.requests, 'request')} in 24 h{data.complete ? '' : ', still counting'}
      </p>
    </div>
  );
}

function Bars({ usage }: { readonly usage: Usage }) {
  const slots = slotsOf(usage);
  const most = Math.max(1, ...usage.buckets.map(({ requests }) => requests));
  return (
    <svg
      className={css.chart}
      viewBox={`0 0 ${slots.length * HOUR} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`Requests by hour in the last 24 hours: ${outcomesInWords(usage.total)}.`}
    >
      <rect className={css.base} y={HEIGHT - 1} width={slots.length * HOUR} height={1} />
      {slots.map(({ start, bucket }, index) => {
        let top = HEIGHT;
        return CHARTED.map(({ event, mark }) => {
          const count = bucket?.outcomes[event] ?? 0;
          if (count === 0) return null;
          const height = Math.max(LEAST, (count / most) * (HEIGHT - LEAST * CHARTED.length));
          top -= height;
          return (
            <rect
              key={start + event}
              className={outcomeCss[mark]}
              x={index * HOUR}
              y={top}
              width={BAR}
              height={height}
            />
          );
        });
      })}
    </svg>
  );
}

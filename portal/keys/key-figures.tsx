import type { ReactNode } from 'react';
import type { KeyDetails, UsageEvent } from '../api/schemas.ts';
import { Card } from '../components/card.tsx';
import { Meter } from '../components/meter.tsx';
import { Time } from '../components/time.tsx';
import { useNow } from '../components/use-now.ts';
import { outcomeOf } from '../requests/outcomes.ts';
import { counted, formatCount, formatSpan } from '../text/format.ts';
import { periodEnd, periodName } from '../text/quota.ts';
import { FiguresRow } from '../usage/figures-row.tsx';
import { isActive } from './key-view.ts';

interface KeyFiguresProps {
  readonly of: KeyDetails;
  /** Its newest request, if it is known. */
  readonly newest: UsageEvent | undefined;
}

/** The figures of a key: its rate now, its units of the period, its last use, and its end. */
export function KeyFigures({ of: key, newest }: KeyFiguresProps) {
  const nowMs = useNow();
  return (
    <Card isFlush>
      <FiguresRow
        figures={[rateFigure(key, nowMs), unitsFigure(key), lastFigure(key, newest), endFigure(key, nowMs)]}
      />
    </Card>
  );
}

type Figure = readonly [name: string, figure: ReactNode, about?: ReactNode];

function rateFigure(key: KeyDetails, nowMs: number): Figure {
  const { limit, remaining, resetsAt } = key.rate;
  if (!isActive(key, nowMs) || key.paused) return ['Rate now', '–', 'its requests are refused'];
  const leftMs = Date.parse(resetsAt) - nowMs;
  // The minute may have ended since it was read.
  const used = leftMs > 0 ? limit - remaining : 0;
  return [
    'Rate now',
    <>
      {formatCount(used)} <small>of {formatCount(limit)} this minute</small>
    </>,
    <>
      <span>
        {formatCount(limit - used)} left{leftMs > 0 && `, starts again in ${formatSpan(leftMs)}`}
      </span>
      <Meter label="Rate now" value={used} max={limit} words={`${used} of ${limit} requests`} />
    </>,
  ];
}

function unitsFigure({ usage: { period, complete, units, requests }, unitsLimit, unitsUsed }: KeyDetails): Figure {
  if (unitsLimit !== null) {
    const used = unitsUsed ?? 0;
    return [
      `Units in ${periodName(period)}`,
      <>
        {formatCount(used)} <small>of its cap of {formatCount(unitsLimit)}</small>
      </>,
      <>
        <span>
          {formatCount(Math.max(0, unitsLimit - used))} left until {periodEnd(period)}
        </span>
        <Meter label="Cap used" value={used} max={unitsLimit} words={`${used} of ${unitsLimit} units`} />
      </>,
    ];
  }
  const about = `${counted(requests, 'request')}, counted until ${periodEnd(period)}`;
  return [`Units in ${periodName(period)}`, formatCount(units), complete ? about : 'so far; they are still counted'];
}

/** A request has the second and its outcome. A key has the minute only. */
function lastFigure({ lastUsed }: KeyDetails, newest: UsageEvent | undefined): Figure {
  const isNewest = newest !== undefined && (lastUsed === null || newest.occurredAt >= lastUsed);
  if (isNewest) {
    const { occurredAt, status, code } = newest;
    return [
      'Last used',
      <Time key="at" of={occurredAt} as="ago" />,
      `${outcomeOf(newest).words}, ${status}${code === null ? '' : ` ${code}`}`,
    ];
  }
  if (lastUsed === null) return ['Last used', 'Not yet'];
  return ['Last used', <Time key="at" of={lastUsed} as="ago" />, 'exact to the minute'];
}

function endFigure({ status, expiresAt, createdAt }: KeyDetails, nowMs: number): Figure {
  const created = (
    <span>
      created <Time of={createdAt} as="minute" />
    </span>
  );
  if (status === 'revoked') return ['Expires', 'Revoked', created];
  if (expiresAt === null) return ['Expires', 'Never', created];
  const name = Date.parse(expiresAt) > nowMs ? 'Expires' : 'Expired';
  return [name, <Time key="at" of={expiresAt} as="minute" />, created];
}

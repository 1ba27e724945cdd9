import type { ReactNode } from 'react';
import type { Key, KeyDetails, UsageEvent } from '../api/schemas.ts';
import { Card } from '../components/card.tsx';
import { Meter } from '../components/meter.tsx';
import { Time } from '../components/time.tsx';
import { useNow } from '../components/use-now.ts';
import { outcomeOf } from '../requests/outcomes.ts';
import { counted, formatCount, formatSpan } from '../text/format.ts';
import { periodEnd, periodName } from '../text/quota.ts';
import { FiguresRow } from '../usage/figures-row.tsx';
import { shownCap } from './cap.ts';
import { isActive } from './key-view.ts';
import { LastUsed } from './last-use.tsx';

interface KeyFiguresProps {
  readonly of: KeyDetails;
  /** Its newest request, if it is known. */
  readonly newest: UsageEvent | undefined;
  /** The working keys that spend from its budget. */
  readonly sharers: readonly Key[];
}

/** The figures of a key: its rate now, its units of the period, its last use, and its end. */
export function KeyFigures({ of: key, newest, sharers }: KeyFiguresProps) {
  const nowMs = useNow();
  return (
    <Card isFlush>
      <FiguresRow
        figures={[
          rateFigure(key, nowMs),
          unitsFigure(key, sharers, nowMs),
          lastFigure(key, newest),
          endFigure(key, nowMs),
        ]}
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

function unitsFigure(key: KeyDetails, sharers: readonly Key[], nowMs: number): Figure {
  const { period, complete, units, requests } = key.usage;
  const cap = shownCap(key, nowMs);
  if (cap) {
    const isShared = sharers.length > 1;
    return [
      `Units of its ${isShared ? 'budget' : 'cap'}`,
      <>
        {formatCount(cap.used)} <small>of {cap.words}</small>
      </>,
      <>
        <span>
          {cap.over === 'stopped' ? 'stopped' : `${formatCount(cap.left)} left`}
          {isShared && ` for ${sharers.length} keys`}
          {key.unitsPeriod === 'once' && ';'} {cap.until}
        </span>
        <Meter label="Cap used" value={cap.used} max={cap.limit} words={cap.sentence} />
      </>,
    ];
  }
  const about = `${counted(requests, 'request')}, counted until ${periodEnd(period)}`;
  return [`Units in ${periodName(period)}`, formatCount(units), complete ? about : 'so far; they are still counted'];
}

/** How its newest request ended says more than that there was one. One after the last use was refused. */
function lastFigure(key: KeyDetails, newest: UsageEvent | undefined): Figure {
  const used = <LastUsed key="at" of={key} />;
  if (!newest || newest.occurredAt < (key.lastUsed ?? '')) return ['Last used', used, 'exact to the minute'];
  const { occurredAt, status, code } = newest;
  const outcome = `${outcomeOf(newest).words}, ${status}${code === null ? '' : ` ${code}`}`;
  const isUse = minuteOf(occurredAt) === minuteOf(key.lastUsed ?? '');
  return ['Last used', used, isUse ? outcome : <Later key="later" at={occurredAt} outcome={outcome} />];
}

const minuteOf = (time: string): string => time.slice(0, 'YYYY-MM-DDTHH:MM'.length);

/** A request after the last use. */
const Later = ({ at, outcome }: { readonly at: string; readonly outcome: string }) => (
  <span>
    {outcome}, <Time of={at} as="ago" />
  </span>
);

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

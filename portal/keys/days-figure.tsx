import { useMemo, useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { ProjectIds } from '../api/queries.ts';
import type { KeyDetails } from '../api/schemas.ts';
import { pages } from '../routes.ts';
import { counted, formatCount } from '../text/format.ts';
import { boundsOf, periodName } from '../text/quota.ts';
import { PLAIN_VIEW, searchOf } from '../usage/address.ts';
import { FigureCard } from '../usage/figure-card.tsx';
import { labelsOf } from '../usage/labels.ts';
import { endOf, slotsOf } from '../usage/ranges.ts';
import css from './days-figure.module.css';

/** The widest bar, in pixels: with few days it stays a bar. */
const WIDEST = 48;
const LABELS = labelsOf('day');

interface DaysFigureProps extends ProjectIds {
  readonly of: KeyDetails;
}

/** The units of a key by day of the quota period, as bars or as a table. A day links to its requests. */
export function DaysFigure({ accountId, projectId, of: { keyId, usage } }: DaysFigureProps) {
  const [isTable, setTable] = useState(false);
  const [at, setAt] = useState<number>();
  const [, navigate] = useLocation();
  const { period, days } = usage;
  const slots = useMemo(() => {
    const since = new Date(boundsOf(period).startMs).toISOString();
    // Up to today, which is always shown.
    return slotsOf({ since, until: endOf(days.at(-1)?.start ?? since, 'day'), by: 'day', buckets: days });
  }, [period, days]);
  const addressOf = (start: string, last = start): string =>
    pages.requests(accountId, projectId) +
    searchOf({ ...PLAIN_VIEW, range: 'period', keyId, since: start, until: endOf(last, 'day') });
  const wordsAt = (index: number): string => {
    const { start = '', bucket } = slots[index] ?? {};
    const sums = bucket && `${counted(bucket.units, 'unit')}, ${counted(bucket.requests, 'request')}`;
    return `${LABELS.whole(start)}: ${sums ?? 'not summed yet'}`;
  };
  const title = `Units by day in ${periodName(period)}`;
  return (
    <FigureCard
      title={title}
      isTable={isTable}
      onTurn={setTable}
      rows={days}
      columns={[
        {
          heading: 'Day',
          isShort: true,
          cell: ({ start }) => <Link href={addressOf(start)}>{LABELS.whole(start)}</Link>,
        },
        { heading: 'Units', isNumber: true, cell: ({ units }) => formatCount(units) },
        { heading: 'Requests', isNumber: true, cell: ({ requests }) => formatCount(requests) },
      ]}
      summary={`${title}: ${counted(usage.units, 'unit')}, ${counted(usage.requests, 'request')}.`}
      labels={LABELS}
      max={Math.max(...days.map(({ units }) => units), 0)}
      formatTick={formatCount}
      onPoint={setAt}
      onChoose={(first, last) => navigate(addressOf(slots[first]?.start ?? '', slots[last]?.start))}
      slots={slots}
      at={at}
      wordsAt={wordsAt}
      legend={{
        of: at === undefined ? `${LABELS.zone} A bar leads to its requests.` : wordsAt(at),
        entries: [[<i key="mark" className={css.mark} />, 'Units', formatCount(usage.units)]],
      }}
    >
      {({ x, y }) =>
        days.map(({ start, units }) => {
          const width = Math.min(WIDEST, x.bandwidth());
          const left = (x(start) ?? 0) + (x.bandwidth() - width) / 2;
          return <rect key={start} className={css.bar} x={left} y={y(units)} width={width} height={y(0) - y(units)} />;
        })
      }
    </FigureCard>
  );
}

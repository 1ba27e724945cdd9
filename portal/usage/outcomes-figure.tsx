import { Link } from 'wouter';
import type { Usage } from '../api/schemas.ts';
import { Muted } from '../components/card.tsx';
import { List } from '../components/list.tsx';
import { Mark } from '../requests/outcome.tsx';
import { CHARTED } from '../requests/outcomes.ts';
import { formatCount } from '../text/format.ts';
import { Chart } from './chart.tsx';
import { FigureCard } from './figure-card.tsx';
import type { FigureProps } from './figure-props.ts';
import { outcomesInWords, summaryOfOutcomes } from './figures.ts';
import { Legend } from './legend.tsx';
import { OutcomeBars } from './outcome-bars.tsx';

const NONE: Pick<Usage['total'], 'outcomes'> = { outcomes: {} };

interface OutcomesFigureProps extends FigureProps {
  /** Address of the requests of a bucket. */
  readonly addressOf: (start: string) => string;
  readonly onChoose: (start: string) => void;
}

/** Requests by outcome and bucket. */
export function OutcomesFigure({
  usage,
  slots,
  labels,
  words,
  at,
  onPoint,
  addressOf,
  onChoose,
  ...card
}: OutcomesFigureProps) {
  const pointed = at === undefined ? undefined : slots[at];
  const { outcomes } = pointed ? (pointed.bucket ?? NONE) : usage.total;
  // Simulated requests are mentioned only if there are any.
  const shown = CHARTED.filter(({ event }) => event !== 'simulated' || usage.total.outcomes.simulated !== undefined);
  const ready = slots.flatMap(({ bucket }) => bucket ?? []);
  const wordsAt = (index: number): string => {
    const { start = '', bucket } = slots[index] ?? {};
    return `${labels.whole(start)}: ${bucket ? outcomesInWords(bucket) : 'not summed yet'}`;
  };
  return (
    <FigureCard
      {...card}
      title="Requests by outcome"
      table={() => (
        <List
          label="Requests by outcome"
          items={ready.toReversed()}
          idOf={({ start }) => start}
          isDense
          columns={[
            {
              heading: 'Time',
              isShort: true,
              cell: ({ start, chargedOnly }) => (
                <>
                  <Link href={addressOf(start)}>{labels.whole(start)}</Link>
                  {chargedOnly && <Muted> charged only</Muted>}
                </>
              ),
            },
            { heading: 'Requests', isNumber: true, cell: ({ requests }) => formatCount(requests) },
            { heading: 'Units', isNumber: true, cell: ({ units }) => formatCount(units) },
            ...shown.map(({ event, words: heading }) => ({
              heading,
              isNumber: true,
              cell: ({ outcomes: counts }: Usage['buckets'][number]) => formatCount(counts[event] ?? 0),
            })),
          ]}
        />
      )}
      chart={(title) => (
        <>
          <Chart
            title={title}
            summary={summaryOfOutcomes(usage, words, labels)}
            max={Math.max(...ready.map(({ requests }) => requests), 0)}
            formatTick={formatCount}
            onChoose={(index) => onChoose(slots[index]?.start ?? '')}
            slots={slots}
            labels={labels}
            at={at}
            onPoint={onPoint}
            wordsAt={wordsAt}
          >
            {(scales) => <OutcomeBars {...scales} slots={slots} />}
          </Chart>
          <Legend
            of={
              pointed
                ? `${labels.whole(pointed.start)}: press to see these requests`
                : `In ${words}. A bar leads to its requests.`
            }
            entries={shown.map(({ event, words: outcome }) => [
              <Mark key={event} of={event} />,
              outcome,
              formatCount(outcomes[event] ?? 0),
            ])}
          />
        </>
      )}
    />
  );
}

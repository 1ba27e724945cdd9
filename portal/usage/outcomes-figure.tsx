import { Link } from 'wouter';
import type { Usage } from '../api/schemas.ts';
import { Muted } from '../components/card.tsx';
import { Mark } from '../requests/outcome.tsx';
import { CHARTED, outcomeNamed, type OutcomeName } from '../requests/outcomes.ts';
import { formatCount } from '../text/format.ts';
import type { ChartProps, Scales, Span } from './chart.tsx';
import { FigureCard } from './figure-card.tsx';
import type { FigureProps } from './figure-props.ts';
import { outcomesInWords, summaryOfOutcomes } from './figures.ts';
import { scaleOrdinal } from '@visx/scale';
import { BarStack } from '@visx/shape';
import css from '../requests/outcome.module.css';
import { endOf, type Slot, type Step } from './ranges.ts';

interface OutcomesFigureProps extends FigureProps, Pick<ChartProps, 'isLow'> {
  /** What pressing and drawing does. */
  readonly hint: string;
  /** Address of the requests of a bucket, in its table. */
  readonly addressOf?: (start: string) => string;
  readonly onChoose: (first: string, last: string) => void;
  /** The span that is chosen. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/** Requests by outcome and bucket. A bucket, or a span of them, leads to its requests. */
export function OutcomesFigure({
  usage,
  words,
  addressOf,
  onChoose,
  hint,
  since,
  until,
  ...figure
}: OutcomesFigureProps) {
  const { slots, labels, at, isPending } = figure;
  const chosen = chosenOf(slots, usage.by, since, until);
  const [first, last] = at === undefined ? (chosen ?? []) : [at, at];
  const spanned = first === undefined || last === undefined ? undefined : slots.slice(first, last + 1);
  const outcomes = spanned ? sumOf(spanned) : usage.total.outcomes;
  // Simulated requests are mentioned only if there are any.
  const shown = CHARTED.filter(({ event }) => event !== 'simulated' || usage.total.outcomes.simulated !== undefined);
  const ready = slots.flatMap(({ bucket }) => bucket ?? []);
  const wordsAt = (index: number): string => {
    const { start = '', bucket } = slots[index] ?? {};
    return `${labels.whole(start)}: ${bucket ? outcomesInWords(bucket) : 'not summed yet'}`;
  };
  return (
    <FigureCard
      {...figure}
      title="Requests by outcome"
      rows={ready}
      columns={[
        {
          heading: 'Time',
          isShort: true,
          cell: ({ start, chargedOnly }) => (
            <>
              <Link href={addressOf?.(start) ?? ''}>{labels.whole(start)}</Link>
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
      summary={summaryOfOutcomes(usage, words, labels)}
      max={Math.max(...ready.map(({ requests }) => requests), 0)}
      formatTick={formatCount}
      chosen={chosen}
      onChoose={(from, to) => onChoose(slots[from]?.start ?? '', slots[to]?.start ?? '')}
      wordsAt={wordsAt}
      legend={{
        of: spanned ? labels.whole(spanned[0]?.start ?? '', spanned.at(-1)?.start) : inWords(usage, words, isPending),
        hint: spanned ? undefined : hint,
        entries: shown.map(({ event, words: outcome }) => [
          <Mark key={event} of={event} />,
          outcome,
          isPending ? '–' : formatCount(outcomes[event] ?? 0),
        ]),
      }}
    >
      {(scales) => <OutcomeBars {...scales} slots={slots} />}
    </FigureCard>
  );
}

const inWords = ({ complete, total }: Usage, words: string, isPending: boolean): string =>
  complete && total.requests === 0 && !isPending ? `No request in ${words}.` : `In ${words}.`;

/** The positions of a span. Undefined: it has none, or all of them. */
function chosenOf(slots: FigureProps['slots'], by: Step, since = '', until = '~'): Span | undefined {
  // Times sort as text.
  const isWithin = ({ start }: FigureProps['slots'][number]): boolean => endOf(start, by) > since && start < until;
  const [first, last] = [slots.findIndex(isWithin), slots.findLastIndex(isWithin)];
  return first < 0 || last - first + 1 === slots.length ? undefined : [first, last];
}

/** The outcomes of several buckets. */
function sumOf(slots: FigureProps['slots']): Usage['total']['outcomes'] {
  const sum = (event: OutcomeName): number =>
    slots.reduce((total, { bucket }) => total + (bucket?.outcomes[event] ?? 0), 0);
  return Object.fromEntries(NAMES.map((event) => [event, sum(event)]));
}

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
const OutcomeBars = ({ x, y, slots }: Scales & { readonly slots: readonly Slot<Usage['buckets'][number]>[] }) => (
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

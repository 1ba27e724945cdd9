import { memo, useState } from 'react';
import { ChevronDown, ChevronUp } from 'lucide-react';
import { Button } from 'react-aria-components/Button';
import { Link } from 'wouter';
import type { Key, UsageEvent } from '../api/schemas.ts';
import { Icon } from '../components/icon.tsx';
import { Id } from '../components/id.tsx';
import { List, type Column } from '../components/list.tsx';
import { Time } from '../components/time.tsx';
import { useNow } from '../components/use-now.ts';
import { KeyName } from '../keys/key-name.tsx';
import css from './request-list.module.css';
import sharedCss from '../styles/shared.module.css';
import { formatCount, formatSeconds } from '../text/format.ts';
import { chargesByName, often } from './charged-again.ts';
import { Outcome } from './outcome.tsx';
import { boundOf, runsOf, senderOf, statusOf, type Run } from './runs.ts';

/** The number of characters of a key's id that is shown without a name. */
const SHOWN = 12;

/** A run, or one of its requests where it is open. */
interface Row extends Run {
  readonly isWithin?: true;
}

/** The program that sent each request, and from where. */
const SENDER: Column<Row> = {
  heading: 'Sent by',
  cell: (run) => {
    const [{ sourceAddress }] = run.events;
    return (
      <div className={css.sender} title={senderOf(run)}>
        <bdi>{senderOf(run)}</bdi> {sourceAddress !== null && <code>{sourceAddress}</code>}
      </div>
    );
  },
};

interface RequestListProps {
  /** Newest first. */
  readonly events: readonly UsageEvent[];
  /** Older ones were not read. */
  readonly hasMore: boolean;
  /** The keys of the project, for their names. */
  readonly keys: readonly Key[];
  /** Address of the request as a whole. */
  readonly addressOf: (event: UsageEvent) => string;
  /** The state of the history entry that such a link opens. */
  readonly state?: string;
  /** All have the same key, so that the program that sent each takes its place. */
  readonly isOfOneKey?: boolean;
}

/**
 * Requests, one per row, each with the meaning of its outcome. Those that were refused alike are one row, which opens.
 * It renders again only when they change.
 */
export const RequestList = memo(function RequestList({
  events,
  hasMore,
  keys,
  addressOf,
  state,
  isOfOneKey = false,
}: RequestListProps) {
  // By one request of each: a run gets others at both of its ends.
  const [opened, setOpened] = useState<readonly string[]>([]);
  const isOpen = (run: Run): boolean => run.events.some(({ requestId }) => opened.includes(requestId));
  const turn = (run: Run): void => {
    const ids = run.events.map(({ requestId }) => requestId);
    setOpened(isOpen(run) ? opened.filter((id) => !ids.includes(id)) : [...opened, ...ids.slice(0, 1)]);
  };
  const rows = runsOf(events, hasMore).flatMap((run): Row[] => [
    run,
    ...(run.events.length > 1 && isOpen(run) ? run.events.map(alone) : []),
  ]);
  const known = new Map(keys.map((key) => [key.keyId, key]));
  const charges = chargesByName(events);
  const keyColumn: Column<Row> = {
    heading: 'Key',
    narrow: 'second',
    cell: ({ events: [{ keyId }] }) => {
      const key = known.get(keyId);
      return key ? <KeyName of={key} isCut /> : <Id of={keyId} what="key" shown={SHOWN} />;
    },
  };
  return (
    <List
      label="Requests"
      items={rows}
      idOf={({ events: [event, ...others] }) => (others.at(-1) ? `run ${others.at(-1)?.requestId}` : event.requestId)}
      columns={[
        {
          heading: 'Time',
          isShort: true,
          narrow: 'lead',
          cell: (row) => {
            const [event, ...others] = row.events;
            if (others.length > 0) return <RunTimes of={row} isOpen={isOpen(row)} onTurn={() => turn(row)} />;
            return (
              <Link href={addressOf(event)} state={state} className={row.isWithin && css.within}>
                <Time of={event.occurredAt} as="second" />
              </Link>
            );
          },
        },
        {
          heading: 'Outcome',
          isWide: true,
          narrow: 'end',
          cell: (row) => <Outcome of={row.events[0]} status={statusOf(row)} note={boundOf(row)} />,
        },
        isOfOneKey ? { ...SENDER, narrow: 'second' } : keyColumn,
        {
          heading: 'Units',
          isNumber: true,
          cell: (row) => formatCount(row.events.reduce((sum, { units }) => sum + units, 0)),
        },
        {
          heading: 'Latency',
          isNumber: true,
          narrow: 'secondEnd',
          cell: ({ events: [{ latencyMs }, ...others] }) => others.length === 0 && `${formatCount(latencyMs)} ms`,
        },
        ...(isOfOneKey ? [] : [{ ...SENDER, isExtra: true }]),
        {
          heading: 'Request',
          isShort: true,
          cell: ({ events: [{ requestId, clientRequestId, units }, ...others] }) =>
            others.length === 0 && (
              <>
                {clientRequestId !== null && (
                  <div>
                    <bdi>{clientRequestId}</bdi>{' '}
                    {units > 0 && (charges.get(clientRequestId) ?? 0) > 1 && (
                      <span className={sharedCss.tag}>charged {often(charges.get(clientRequestId) ?? 0)}</span>
                    )}
                  </div>
                )}
                <Id of={requestId} what="request" shown={8} />
              </>
            ),
        },
      ]}
    />
  );
});

const alone = (event: UsageEvent): Row => ({ events: [event], isWhole: true, isWithin: true });

interface RunTimesProps {
  readonly of: Run;
  readonly isOpen: boolean;
  readonly onTurn: () => void;
}

/** The time of the first and the last request of a run. A press shows each of them. */
function RunTimes({ of: run, isOpen, onTurn }: RunTimesProps) {
  const nowMs = useNow();
  const [{ occurredAt: last }] = run.events;
  const times = formatSeconds(run.events.at(-1)?.occurredAt ?? last, last, nowMs);
  return (
    <Button
      className={css.run ?? ''}
      aria-expanded={isOpen}
      aria-label={`${statusOf(run)}, ${times}, ${senderOf(run)}`}
      onPress={onTurn}
    >
      {times}
      <Icon of={isOpen ? ChevronUp : ChevronDown} size="small" />
    </Button>
  );
}

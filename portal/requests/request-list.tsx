import { memo } from 'react';
import { Link } from 'wouter';
import type { Key, UsageEvent } from '../api/schemas.ts';
import { Id } from '../components/id.tsx';
import { List, type Column } from '../components/list.tsx';
import { Time } from '../components/time.tsx';
import { KeyName } from '../keys/key-name.tsx';
import css from './request-list.module.css';
import sharedCss from '../styles/shared.module.css';
import { formatCount } from '../text/format.ts';
import { chargesByName, often } from './charged-again.ts';
import { Outcome } from './outcome.tsx';

/** The number of characters of a key's id that is shown without a name. */
const SHOWN = 12;

/** The program that sent each request, and from where. */
const SENDER: Column<UsageEvent> = {
  heading: 'Sent by',
  cell: ({ userAgent, sourceAddress }) => (
    <div className={css.sender} title={userAgent ?? undefined}>
      <bdi>{userAgent ?? 'Unknown'}</bdi> {sourceAddress !== null && <code>{sourceAddress}</code>}
    </div>
  ),
};

interface RequestListProps {
  /** Newest first. */
  readonly events: readonly UsageEvent[];
  /** The keys of the project, for their names. */
  readonly keys: readonly Key[];
  /** Address of the request as a whole. */
  readonly addressOf: (event: UsageEvent) => string;
  /** The state of the history entry that such a link opens. */
  readonly state?: string;
  /** All have the same key, so that the program that sent each takes its place. */
  readonly isOfOneKey?: boolean;
}

/** Requests, one per row, each with the meaning of its outcome. It renders again only when they change. */
export const RequestList = memo(function RequestList({
  events,
  keys,
  addressOf,
  state,
  isOfOneKey = false,
}: RequestListProps) {
  const known = new Map(keys.map((key) => [key.keyId, key]));
  const charges = chargesByName(events);
  const keyColumn: Column<UsageEvent> = {
    heading: 'Key',
    narrow: 'second',
    cell: ({ keyId }) => {
      const key = known.get(keyId);
      return key ? <KeyName of={key} isCut /> : <Id of={keyId} what="key" shown={SHOWN} />;
    },
  };
  return (
    <List
      label="Requests"
      items={events}
      idOf={({ requestId }) => requestId}
      columns={[
        {
          heading: 'Time',
          isShort: true,
          narrow: 'lead',
          cell: (event) => (
            <Link href={addressOf(event)} state={state}>
              <Time of={event.occurredAt} as="second" />
            </Link>
          ),
        },
        { heading: 'Outcome', narrow: 'end', cell: (event) => <Outcome of={event} /> },
        { heading: 'Status', cell: ({ status }) => status },
        isOfOneKey ? { ...SENDER, narrow: 'second' } : keyColumn,
        { heading: 'Units', isNumber: true, cell: ({ units }) => formatCount(units) },
        {
          heading: 'Latency',
          isNumber: true,
          narrow: 'secondEnd',
          cell: ({ latencyMs }) => `${formatCount(latencyMs)} ms`,
        },
        ...(isOfOneKey ? [] : [{ ...SENDER, isExtra: true }]),
        {
          heading: 'Request',
          isShort: true,
          cell: ({ requestId, clientRequestId, units }) => (
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

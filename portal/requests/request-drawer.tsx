import { useQuery } from '@tanstack/react-query';
import { ChevronDown, ChevronUp } from 'lucide-react';
import { Link, useLocation } from 'wouter';
import { PortalError } from '../api/problem.ts';
import type { UsageEvent } from '../api/schemas.ts';
import { causeQuery, eventQuery } from '../api/usage-queries.ts';
import { IconButton } from '../components/button.tsx';
import { Drawer } from '../components/dialog.tsx';
import { Loaded } from '../components/loaded.tsx';
import { Note } from '../components/note.tsx';
import { formatFull } from '../text/format.ts';
import { viewOf } from '../usage/address.ts';
import { hasCause } from './cause.ts';
import { outcomeOf } from './outcomes.ts';
import { RequestDetails, type RequestDetailsProps } from './request-details.tsx';

interface RequestDrawerProps extends Pick<RequestDetailsProps, 'ids' | 'keys' | 'addressOf'> {
  readonly requestId: string;
  /** The list that it was opened from, newest first. Events do not change. */
  readonly listed: readonly UsageEvent[];
  readonly onClose: () => void;
}

/** All details of one request, beside the list: its outcome, its meaning and what to do. It has its own address. */
export default function RequestDrawer({ ids, requestId, listed, addressOf, keys, onClose }: RequestDrawerProps) {
  const [, navigate] = useLocation();
  const place = listed.findIndex((event) => event.requestId === requestId);
  const known = listed[place];
  const query = useQuery({ ...eventQuery(ids, requestId), ...(known && { initialData: known }) });
  const cause = useQuery({ ...causeQuery(ids, requestId), enabled: known !== undefined && hasCause(known) });
  const isGone = query.error instanceof PortalError && query.error.code === 'NOT_FOUND';
  const instead = query.error instanceof PortalError ? query.error.keptInstead : [];
  const move = (step: 1 | -1): void => {
    // The address may be a step ahead of what is shown.
    const from = listed.findIndex((event) => event.requestId === viewOf(location.search).requestId);
    const event = from < 0 ? undefined : listed[from + step];
    if (event) navigate(addressOf(event), { replace: true, state: history.state as unknown });
  };
  const next = (label: string, icon: typeof ChevronUp, step: 1 | -1) => (
    <IconButton icon={icon} aria-label={label} isDisabled={!listed[place + step]} onPress={() => move(step)} />
  );
  return (
    <Drawer
      title="Request"
      isOfAddress
      onClose={onClose}
      actions={
        place >= 0 && (
          <>
            {next('Newer request', ChevronUp, -1)}
            {next('Older request', ChevronDown, 1)}
          </>
        )
      }
    >
      {isGone ? (
        <Note kind="warn">
          There is no such request here. One that cost nothing is kept for 30 days. Of several refusals of one key for
          one reason in a minute only the first is kept.
          {instead.map(({ event }) => (
            <p key={event.requestId}>
              Kept in its minute:{' '}
              <Link href={addressOf(event)}>
                {event.code ?? outcomeOf(event).words}, {formatFull(event.occurredAt)}
              </Link>
            </p>
          ))}
        </Note>
      ) : (
        <Loaded query={query} what="the request">
          {(event) => (
            <RequestDetails
              ids={ids}
              event={event}
              keys={keys}
              listed={listed}
              cause={cause.data?.cause ?? event.cause}
              addressOf={addressOf}
            />
          )}
        </Loaded>
      )}
    </Drawer>
  );
}

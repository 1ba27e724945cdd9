import { useQuery } from '@tanstack/react-query';
import { PortalError } from '../api/problem.ts';
import type { Key } from '../api/queries.ts';
import type { UsageEvent } from '../api/schemas.ts';
import { eventQuery, type ProjectIds } from '../api/usage-queries.ts';
import { Button } from '../components/button.tsx';
import { Facts } from '../components/card.tsx';
import { Dialog, DialogBody, DialogFoot } from '../components/dialog.tsx';
import { Id } from '../components/id.tsx';
import { Loaded } from '../components/loaded.tsx';
import { Note } from '../components/note.tsx';
import { nameOf } from '../keys/key-view.ts';
import { formatCount, formatFull } from '../text/format.ts';
import { explanationOf } from './explanations.ts';
import { Mark } from './outcome.tsx';
import css from './outcome.module.css';
import { outcomeOf } from './outcomes.ts';

interface RequestDialogProps {
  readonly ids: ProjectIds;
  readonly requestId: string;
  readonly at: string | undefined;
  /** The request, where the list has it: events do not change. */
  readonly known: UsageEvent | undefined;
  readonly keys: readonly Key[];
  readonly onClose: () => void;
}

/** One request whole, over the list: how it ended, what that means and what to do. It has an address of its own. */
export function RequestDialog({ ids, requestId, at, known, keys, onClose }: RequestDialogProps) {
  const query = useQuery({ ...eventQuery(ids, requestId, at), ...(known && { initialData: known }) });
  const isGone = query.error instanceof PortalError && query.error.code === 'NOT_FOUND';
  return (
    <Dialog title="Request" onClose={onClose}>
      <DialogBody>
        {isGone ? (
          <Note kind="warn">
            There is no such request here. One that cost nothing is kept for 30 days, and one is looked for only as far
            back when its address does not say its time.
          </Note>
        ) : (
          <Loaded query={query} what="the request">
            {(event) => <Whole event={event} keys={keys} />}
          </Loaded>
        )}
      </DialogBody>
      <DialogFoot>
        <Button onPress={onClose} autoFocus>
          Close
        </Button>
      </DialogFoot>
    </Dialog>
  );
}

function Whole({ event, keys }: { readonly event: UsageEvent; readonly keys: readonly Key[] }) {
  const { code, clientRequestId, inputTokens, outputTokens, totalTokens } = event;
  const { words, meaning } = outcomeOf(event.event);
  const explanation = code === null ? undefined : explanationOf(code);
  const key = keys.find(({ keyId }) => keyId === event.keyId);
  return (
    <>
      <div>
        <p className={css.outcome}>
          <Mark of={event.event} />
          <b>{words}</b>
          {code !== null && <code translate="no">{code}</code>}
        </p>
        <p>{explanation?.meaning ?? meaning}</p>
        {explanation && (
          <p>
            <b>What to do:</b> {explanation.todo}
          </p>
        )}
      </div>
      <Facts
        facts={[
          [
            'Received',
            <time key="at" dateTime={event.occurredAt}>
              {formatFull(event.occurredAt)}
            </time>,
          ],
          ['In UTC', <code key="utc">{event.occurredAt}</code>],
          ['Operation', <code key="operation">{event.operation}</code>],
          ['Status', event.status],
          ['Key', <bdi key="key">{key ? nameOf(key) : event.keyId}</bdi>],
          ['Units', formatCount(event.units)],
          ['Counts in the period', event.period],
          ['Latency', `${formatCount(event.latencyMs)} ms, from receipt to decision`],
          ...(totalTokens === null
            ? []
            : [['Tokens', `${inputTokens ?? 0} in, ${outputTokens ?? 0} out, ${totalTokens} in all`] as const]),
          ...(clientRequestId === null
            ? []
            : [["Client's own id", <Id key="client" of={clientRequestId} what="client request" />] as const]),
          ['Request id', <Id key="id" of={event.requestId} what="request" />],
        ]}
      />
    </>
  );
}

import { useQuery } from '@tanstack/react-query';
import { ChevronDown, ChevronUp } from 'lucide-react';
import { Link, useLocation } from 'wouter';
import { PortalError } from '../api/problem.ts';
import type { Key } from '../api/queries.ts';
import type { UsageEvent } from '../api/schemas.ts';
import { eventQuery, type ProjectIds } from '../api/usage-queries.ts';
import { IconButton } from '../components/button.tsx';
import { Facts, Row } from '../components/card.tsx';
import { Drawer } from '../components/dialog.tsx';
import { Id } from '../components/id.tsx';
import { Loaded } from '../components/loaded.tsx';
import { Note } from '../components/note.tsx';
import { Prose } from '../components/prose.tsx';
import { KeyName } from '../keys/key-name.tsx';
import { pages } from '../routes.ts';
import { formatCount, formatFull } from '../text/format.ts';
import { explanationOf } from './explanations.ts';
import { Mark } from './outcome.tsx';
import { outcomeOf } from './outcomes.ts';
import css from './request-drawer.module.css';

/** A request to look at. Its id alone is enough, but for an old one of version 4. */
export type RequestReference = Pick<UsageEvent, 'requestId'> & Partial<Pick<UsageEvent, 'occurredAt'>>;

interface RequestDrawerProps {
  readonly ids: ProjectIds;
  readonly requestId: string;
  readonly at: string | undefined;
  /** The list behind it, newest first: events do not change. */
  readonly listed: readonly UsageEvent[];
  readonly addressOf: (request: RequestReference) => string;
  readonly keys: readonly Key[];
  readonly onClose: () => void;
}

/** One request whole, beside the list: how it ended, what that means and what to do. It has an address of its own. */
export default function RequestDrawer({ ids, requestId, at, listed, addressOf, keys, onClose }: RequestDrawerProps) {
  const [, navigate] = useLocation();
  const place = listed.findIndex((event) => event.requestId === requestId);
  const known = listed[place];
  const query = useQuery({ ...eventQuery(ids, requestId, at), ...(known && { initialData: known }) });
  const isGone = query.error instanceof PortalError && query.error.code === 'NOT_FOUND';
  const next = (label: string, icon: typeof ChevronUp, event: UsageEvent | undefined) => (
    <IconButton
      icon={icon}
      aria-label={label}
      isDisabled={!event}
      onPress={() => event && navigate(addressOf(event), { replace: true, state: history.state as unknown })}
    />
  );
  return (
    <Drawer
      title="Request"
      onClose={onClose}
      actions={
        place >= 0 && (
          <>
            {next('Newer request', ChevronUp, listed[place - 1])}
            {next('Older request', ChevronDown, listed[place + 1])}
          </>
        )
      }
    >
      {isGone ? (
        <Note kind="warn">
          There is no such request here. One that cost nothing is kept for 30 days. Of several refusals of one key for
          one reason in a minute only the first is kept.
        </Note>
      ) : (
        <Loaded query={query} what="the request">
          {(event) => (
            <Whole
              {...{ ids, event, keys }}
              repeats={listed.filter(({ originalRequestId }) => originalRequestId === event.requestId)}
              addressOf={addressOf}
            />
          )}
        </Loaded>
      )}
    </Drawer>
  );
}

/** What a rehearsal was, and what it cost. */
const rehearsalIn = ({ units }: UsageEvent): string =>
  units === 0
    ? 'This is a rehearsal: the request asked for this answer with simulate. Nothing was executed or charged.'
    : 'This is a rehearsal: the request was executed and charged, and answered 503 as if its answer had been lost, as it ' +
      'asked with simulate. Its repeat under the same Idempotency-Key is free.';

interface WholeProps extends Pick<RequestDrawerProps, 'ids' | 'keys' | 'addressOf'> {
  readonly event: UsageEvent;
  /** Of those that are listed: what repeated it, or came under its Idempotency-Key. */
  readonly repeats: readonly UsageEvent[];
}

function Whole({ ids, event, keys, repeats, addressOf }: WholeProps) {
  const { code, detail, originalRequestId, clientRequestId, inputTokens, outputTokens, totalTokens } = event;
  const { words, meaning, event: outcome } = outcomeOf(event);
  const explanation = code === null ? undefined : explanationOf(code);
  const key = keys.find(({ keyId }) => keyId === event.keyId);
  return (
    <>
      <div>
        <p className={css.outcome}>
          <Mark of={outcome} />
          <b>{words}</b>
          <span className={css.status}>{event.status}</span>
          {code !== null && <code translate="no">{code}</code>}
        </p>
        <Id of={event.requestId} what="request" />
      </div>
      <section className={css.advice}>
        <div>
          <h3>What it means</h3>
          <p>{event.simulated ? rehearsalIn(event) : (explanation?.meaning ?? meaning)}</p>
          {detail !== null && detail !== explanation?.meaning && <p>{detail}</p>}
          {originalRequestId !== null && (
            <p>
              <Link href={addressOf({ requestId: originalRequestId })}>The request that was executed</Link>
            </p>
          )}
          {repeats.map((repeat) => (
            <p key={repeat.requestId}>
              <Link href={addressOf(repeat)}>
                {outcomeOf(repeat).words} under its Idempotency-Key, {formatFull(repeat.occurredAt)}
              </Link>
            </p>
          ))}
        </div>
        {explanation && (
          <>
            {!event.simulated && (
              <div>
                <h3>What to do</h3>
                <p>
                  <Prose of={explanation.todo} />
                </p>
              </div>
            )}
            <Link href={pages.error(explanation.code)}>This error in the documentation</Link>
          </>
        )}
      </section>
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
          [
            'Key',
            <Row key="key">
              {key && (
                <Link href={pages.key(ids.accountId, ids.projectId, key.keyId)}>
                  <KeyName of={key} />
                </Link>
              )}
              <Id of={event.keyId} what="key" />
            </Row>,
          ],
          ['Units', formatCount(event.units)],
          ['Counts in the period', event.period],
          ['Latency', `${formatCount(event.latencyMs)} ms, from receipt to decision`],
          ...(totalTokens === null
            ? []
            : [['Tokens', `${inputTokens ?? 0} in, ${outputTokens ?? 0} out, ${totalTokens} in all`] as const]),
          ...(clientRequestId === null
            ? []
            : [["Client's own id", <Id key="client" of={clientRequestId} what="client request" />] as const]),
        ]}
      />
    </>
  );
}

import { Link } from 'wouter';
import type { RequestCause, UsageEvent } from '../api/schemas.ts';
import { Facts, Muted, Row } from '../components/card.tsx';
import { Id } from '../components/id.tsx';
import { Prose } from '../components/prose.tsx';
import { KeyName } from '../keys/key-name.tsx';
import { pages } from '../routes.ts';
import { formatCount, formatFull } from '../text/format.ts';
import { inWords, type CauseInWords } from './cause.ts';
import { Charges, type ChargesProps } from './charges.tsx';
import { explanationOf } from './explanations.ts';
import { Mark } from './outcome.tsx';
import { outcomeOf } from './outcomes.ts';
import css from './request-details.module.css';
import sharedCss from '../styles/shared.module.css';

/** The explanation of a simulated request, with its cost. */
const simulationIn = ({ units }: UsageEvent): string =>
  units === 0
    ? 'This is a simulation: the request asked for this answer with simulate. Nothing was executed or charged.'
    : 'This is a simulation: the request asked with simulate for a lost answer. It was executed and charged, and its ' +
      'answer was a 503. Its repeat under the same Idempotency-Key is free.';

/** The meaning of an outcome without a code. A refusal has one: its fallback is for a code that is newer than the page. */
const MEANINGS: Readonly<Partial<Record<UsageEvent['event'], string>>> = {
  request_succeeded: 'It was answered, and its units were charged.',
  idempotency_replay:
    'It repeated a request that had succeeded, by its Idempotency-Key, and got the same answer. Nothing was charged.',
};

/** What its code means, where the answer itself said nothing nearer. */
const meaningOf = ({ code, event }: UsageEvent): string =>
  (code === null ? undefined : explanationOf(code)?.meaning) ?? MEANINGS[event] ?? 'Nothing was charged.';

export interface RequestDetailsProps extends ChargesProps {
  /** Why it was refused, where more is known than its code says. */
  readonly cause: RequestCause | undefined;
}

/** A request, whole: its outcome, its meaning and what to do. */
export function RequestDetails(props: RequestDetailsProps) {
  const { ids, event, keys, cause, addressOf } = props;
  const { code, detail, originalRequestId } = event;
  const { words, event: outcome } = outcomeOf(event);
  const explanation = code === null ? undefined : explanationOf(code);
  return (
    <>
      <div>
        <p className={css.outcome}>
          <Mark of={outcome} />
          <b>{words}</b>
          <span className={sharedCss.tag}>{event.status}</span>
          {code !== null && <code translate="no">{code}</code>}
        </p>
        <Id of={event.requestId} what="request" />
      </div>
      <section className={css.advice}>
        <div>
          <h3>What it means</h3>
          {cause && <CauseLine of={inWords(cause, event)} />}
          <p>{event.simulated ? simulationIn(event) : (detail ?? meaningOf(event))}</p>
          {originalRequestId !== null && (
            <p>
              <Link href={addressOf({ requestId: originalRequestId })}>The request that was executed</Link>
            </p>
          )}
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
      <Charges key={event.requestId} {...props} />
      <RequestFacts ids={ids} event={event} keys={keys} />
    </>
  );
}

/** Who or what made it be refused, and when. */
const CauseLine = ({ of: { what, by, when } }: { readonly of: CauseInWords }) => (
  <p className={css.cause}>
    {what}
    {by !== undefined && (
      <>
        {' by '}
        <bdi>{by[0]}</bdi>
        {by[1] !== undefined && ` (${by[1]})`}
      </>
    )}
    {when !== undefined && `, ${when}`}.
  </p>
);

/** What is stored of a request, one fact a line. */
function RequestFacts({ ids, event, keys }: Pick<RequestDetailsProps, 'ids' | 'event' | 'keys'>) {
  const { clientRequestId, inputTokens, outputTokens, totalTokens } = event;
  const key = keys.find(({ keyId }) => keyId === event.keyId);
  return (
    <Facts
      facts={[
        [
          'Received',
          <time key="at" dateTime={event.occurredAt}>
            {formatFull(event.occurredAt)}
          </time>,
        ],
        ['Exact time', <code key="exact">{event.occurredAt}</code>],
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
        ['Period', event.period],
        ['Latency', `${formatCount(event.latencyMs)} ms, from receipt to decision`],
        ...(totalTokens === null
          ? []
          : [['Tokens', `${inputTokens ?? 0} in, ${outputTokens ?? 0} out, ${totalTokens} in all`] as const]),
        ...(event.idempotencyTag === undefined
          ? []
          : [['Idempotency-Key', <KeyTag key="tag" of={event.idempotencyTag} />] as const]),
        ...(event.userAgent === null ? [] : [['Sent by', <bdi key="agent">{event.userAgent}</bdi>] as const]),
        ...(event.sourceAddress === null
          ? []
          : [['From address', <code key="address">{event.sourceAddress}</code>] as const]),
        ...(clientRequestId === null
          ? []
          : [
              [
                "Client's own id",
                <Row key="client">
                  <Id of={clientRequestId} what="client request" />
                  <Link href={pages.named(ids.accountId, ids.projectId, clientRequestId)}>
                    All requests of this name
                  </Link>
                </Row>,
              ] as const,
            ]),
      ]}
    />
  );
}

/** What is kept of an Idempotency-Key. */
const KeyTag = ({ of: tag }: { readonly of: string | null }) =>
  tag === null ? (
    'none was sent'
  ) : (
    <>
      <code translate="no">{tag}</code> <Muted>a tag: the same for the same one</Muted>
    </>
  );

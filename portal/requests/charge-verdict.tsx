import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Key, UsageEvent, RequestReference } from '../api/schemas.ts';
import { Unseen } from '../components/card.tsx';
import { CodeTabs } from '../components/code-tabs.tsx';
import { Note } from '../components/note.tsx';
import { Time } from '../components/time.tsx';
import { KeyName } from '../keys/key-name.tsx';
import { pages } from '../routes.ts';
import { formatCount } from '../text/format.ts';
import { compareBodies, compareTags, type Verdict } from './charged-again.ts';
import css from './charge-verdict.module.css';
import { outcomeOf } from './outcomes.ts';

interface ChargeVerdictProps {
  readonly of: Verdict;
  readonly keys: readonly Key[];
  readonly addressOf: (request: RequestReference) => string;
}

/** Two requests side by side: whether they were charged twice, what differed, and the line that prevents it. */
export const ChargeVerdict = ({ of: verdict, keys, addressOf }: ChargeVerdictProps) => (
  <Note kind={verdict.isChargedAgain ? 'warn' : 'info'}>
    <div className={css.verdict}>
      <p>
        <b>{verdict.answer}</b> {verdict.why}
      </p>
      <Pair of={verdict.pair} keys={keys} addressOf={addressOf} />
      {verdict.isChargedAgain && (
        <>
          <p>
            Give both one Idempotency-Key, made before the first attempt:{' '}
            <Link href={pages.idempotency}>how it works</Link>.
          </p>
          <CodeTabs languages={linesFor(verdict.pair[0].clientRequestId)} about="one Idempotency-Key" />
        </>
      )}
    </div>
  </Note>
);

interface Compared {
  readonly what: string;
  readonly cells: readonly [ReactNode, ReactNode];
  readonly is: 'same' | 'different' | 'unknown' | undefined;
}

function Pair({
  of: [one, other],
  keys,
  addressOf,
}: Omit<ChargeVerdictProps, 'of'> & { readonly of: Verdict['pair'] }) {
  const both = (cell: (event: UsageEvent) => ReactNode): Compared['cells'] => [cell(one), cell(other)];
  const isSame = (of: (event: UsageEvent) => unknown) => (of(one) === of(other) ? 'same' : 'different');
  const keysAre = compareTags(one.idempotencyTag, other.idempotencyTag);
  const bodiesAre = compareBodies(one, other);
  const rows: readonly Compared[] = [
    {
      what: 'Received',
      is: undefined,
      cells: both((event) => (
        <Link href={addressOf(event)}>
          <Time of={event.occurredAt} as="second" />
        </Link>
      )),
    },
    { what: 'Outcome', is: isSame(({ event }) => event), cells: both((event) => outcomeOf(event).words) },
    { what: 'Units', is: isSame(({ units }) => units), cells: both(({ units }) => formatCount(units)) },
    {
      what: 'Idempotency-Key',
      is: keysAre === 'none' ? 'same' : keysAre,
      cells: both(({ idempotencyTag: tag }) =>
        tag === undefined ? 'not kept' : tag === null ? 'none' : <code>{tag}</code>,
      ),
    },
    { what: 'Body', is: bodiesAre, cells: both(() => (bodiesAre === 'unknown' ? 'not kept' : '')) },
    { what: 'API key', is: isSame(({ keyId }) => keyId), cells: both(({ keyId }) => nameOf(keys, keyId)) },
    {
      what: 'Sent by',
      is: isSame(({ userAgent }) => userAgent),
      cells: both(({ userAgent }) => <bdi>{userAgent ?? 'unknown'}</bdi>),
    },
  ];
  return (
    <table className={css.pair} aria-label="The two requests compared">
      <thead>
        <tr>
          <td />
          <th scope="col">First</th>
          <th scope="col">Second</th>
          <th scope="col">
            <Unseen>Compared</Unseen>
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ what, cells: [first, second], is }) => (
          <tr key={what} className={is === 'different' ? css.different : undefined}>
            <th scope="row">{what}</th>
            <td>{first}</td>
            <td>{second}</td>
            <td className={css.compared}>
              {is && (
                <i role="img" aria-label={is}>
                  {SIGNS[is]}
                </i>
              )}
              <span>{is}</span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** In place of the words, where there is no room for them. */
const SIGNS = { same: '=', different: '≠', unknown: '?' };

function nameOf(keys: readonly Key[], keyId: string): ReactNode {
  const key = keys.find((candidate) => candidate.keyId === keyId);
  return key ? <KeyName of={key} isCut /> : <code>{keyId.slice(0, 12)}…</code>;
}

/** A name that needs no quoting stands in the lines; else that of the documentation does. */
const PLAIN = /^[\w.:-]{1,60}$/;

/** The same request again, as each language sends it under an Idempotency-Key. */
function linesFor(clientRequestId: string | null) {
  const name = clientRequestId !== null && PLAIN.test(clientRequestId) ? clientRequestId : 'order-7';
  return [
    {
      name: 'curl',
      what: 'the option for curl',
      text: `-H 'Idempotency-Key: ${name}'`,
    },
    {
      name: 'TypeScript',
      what: 'the TypeScript line',
      text: `await gateway.ping({ clientRequestId: '${name}' }, { idempotencyKey: '${name}' });`,
    },
    {
      name: 'Python',
      what: 'the Python line',
      text: `gateway.ping("${name}", idempotency_key="${name}")`,
    },
  ];
}

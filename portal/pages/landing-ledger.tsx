import { CircleCheck } from 'lucide-react';
import { Icon } from '../components/icon.tsx';
import { State } from '../components/state.tsx';
import { Mark } from '../requests/outcome.tsx';
import { outcomeNamed } from '../requests/outcomes.ts';
import codeCss from '../components/code-block.module.css';
import css from './landing-ledger.module.css';

/**
 * The writes of one request, and the results of the requests after it. They are the same for every request of the
 * gateway.
 */
const WRITES = [
  ['Charge', '1 unit', '8,311 to 8,312'],
  ['Event', 'Succeeded', '4d85458d…'],
  ['Replay', 'kept for 24 hours', 'order-7'],
] as const;
const LOG = [
  ['request_succeeded', 'order-7', 1],
  ['idempotency_replay', 'order-7 again, the same answer', 0],
  ['idempotency_conflict', 'order-7 with another body', 0],
  ['request_rejected', 'a key revoked 40 ms ago', 0],
] as const;

/** The answer to the first request, which is the first in the log. */
const HEADERS = [
  ['X-RateLimit-Remaining', '59'],
  ['X-Service-Quota-Remaining', '1688'],
  ['X-Service-Request-Id', '4d85458d-d854-4d4d-9458-4d85458d4d85'],
] as const;

/** The members of its body, each with the colour of its value. */
const BODY = [
  ['"ok"', 'true', codeCss.number],
  ['"mode"', '"sandbox"', codeCss.string],
  ['"message"', '"Sandbox gateway is ready."', codeCss.string],
] as const;

/** One request and the requests after it, with the cost of each. */
export const Ledger = () => (
  <div
    className={css.ledger}
    role="img"
    aria-label="One request writes its charge, its event and its replay in one transaction. A repeat, a conflict and a refusal cost nothing: the sum of the log is the counter."
  >
    <div className={css.request}>
      <code>
        <b>POST</b> /api/v1/sandbox/ping
      </code>
      <code className={css.muted}>Idempotency-Key: order-7</code>
    </div>
    <div className={css.transaction}>
      <p>One transaction: all of it or nothing</p>
      <ul>
        {WRITES.map(([what, value, detail]) => (
          <li key={what}>
            <span className={css.muted}>{what}</span>
            <b>{value}</b>
            <code>{detail}</code>
          </li>
        ))}
      </ul>
    </div>
    <ul className={css.log}>
      <li className={css.logHead}>
        <span>The log, newest last</span>
        <span>Units</span>
        <span>Counter</span>
      </li>
      {LOG.map(([event, why, units]) => (
        <li key={event}>
          <span className={css.outcome}>
            <Mark of={event} />
            {outcomeNamed(event).words}
            <span className={css.why}>{why}</span>
          </span>
          <span>{units}</span>
          <code>8,312</code>
        </li>
      ))}
    </ul>
    <p className={css.sum}>
      <Icon of={CircleCheck} />
      <span>
        Sum of the log <b>8,312</b> = counter <b>8,312</b>
      </span>
    </p>
  </div>
);

/** An answer of the gateway. */
export const Answer = () => (
  <div className={css.answer}>
    <p className={css.answerHead}>
      Answer
      <State kind="good">200, 11 ms</State>
    </p>
    <pre className={codeCss.text} tabIndex={0} role="group" aria-label="Answer" translate="no">
      {HEADERS.map(([name, value]) => (
        <span key={name}>
          <span className={codeCss.name}>{name}</span>: {value}
          {'\n'}
        </span>
      ))}
      {'\n{'}
      {BODY.map(([name, value, colour]) => (
        <span key={name}>
          <span className={codeCss.name}>{name}</span>:<span className={colour}>{value}</span>,
        </span>
      ))}
      {' …}'}
    </pre>
  </div>
);

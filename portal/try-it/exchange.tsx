import { RotateCw } from 'lucide-react';
import { Button } from '../components/button.tsx';
import { Muted, Row } from '../components/card.tsx';
import { Prose } from '../components/prose.tsx';
import { State } from '../components/state.tsx';
import { PING_PATH, type Ping, type PingAnswer } from '../keys/ping.ts';
import { explanationOf } from '../requests/explanations.ts';
import { Charge } from './charge.tsx';
import type { PingResult } from './simulating.tsx';
import type { Unanswered } from './requests.ts';
import css from './try-it.module.css';

export interface ExchangeProps {
  readonly ping: Ping;
  readonly answer: PingAnswer | Unanswered;
  readonly result: PingResult;
  readonly gatewayUrl: string;
  /** Its beginning and its last characters. */
  readonly shownKey: string;
  readonly isPending: boolean;
  /** Sends the same again. */
  readonly onAgain: () => void;
}

/** A complete request and its answer, with its charge. Of the key only the last characters are shown. */
export function Exchange({ ping, answer, result, gatewayUrl, shownKey, isPending, onAgain }: ExchangeProps) {
  const isAnswered = typeof answer !== 'string';
  const explanation = isAnswered && answer.code !== undefined ? explanationOf(answer.code) : undefined;
  return (
    <div className={css.exchange}>
      <Row>
        {isAnswered ? (
          <State
            kind={answer.isSuccess ? 'good' : 'bad'}
          >{`${answer.status}, ${Math.round(answer.latencyMs)} ms`}</State>
        ) : (
          <State kind="bad">No answer</State>
        )}
        <Charge of={result} />
      </Row>
      {!isAnswered && <p>{WHY[answer].replace('{gateway}', gatewayUrl).replace('{page}', location.origin)}</p>}
      {explanation && result.outcome !== 'simulated' && (
        <p>
          <Prose of={explanation.todo} />
        </p>
      )}
      {isAnswered && <Text what="the answer" lines={answer.headers} body={pretty(answer.body)} />}
      <details>
        <summary>The request</summary>
        <Text
          what="the request"
          first={`POST ${gatewayUrl}${PING_PATH}`}
          lines={[
            ['Authorization', `Bearer ${shownKey}`],
            ['Content-Type', 'application/json'],
            ...(ping.idempotencyKey === '' ? [] : [['Idempotency-Key', ping.idempotencyKey] as const]),
          ]}
          body={ping.body}
        />
      </details>
      <Row>
        <Button icon={RotateCw} isPending={isPending} onPress={onAgain}>
          Send again
        </Button>
        {result.address !== undefined && (
          <a href={result.address} target="_blank" rel="noreferrer">
            This request in Usage
          </a>
        )}
      </Row>
      <p>
        <Muted>
          {ping.idempotencyKey === ''
            ? 'Without an Idempotency-Key the same request is executed and charged again.'
            : 'Under its Idempotency-Key the same request is charged once. After a success it is replayed.'}
        </Muted>
      </p>
    </div>
  );
}

const WHY: Readonly<Record<Unanswered, string>> = {
  offline: 'This browser is offline. Nothing you typed is lost: send it again when you are online.',
  blocked:
    'The gateway at {gateway} answers, but does not let this page see it: its CORS settings do not name {page}. Tell the platform team.',
  none: 'The gateway at {gateway} did not answer in time, and may have charged the request.',
};

interface TextProps {
  readonly what: string;
  readonly first?: string;
  readonly lines: PingAnswer['headers'];
  readonly body: string;
}

/** An HTTP message as text. */
const Text = ({ what, first, lines, body }: TextProps) => (
  <pre className={css.text} tabIndex={0} role="group" aria-label={what} translate="no">
    {first !== undefined && `${first}\n`}
    {lines.map(([name, value]) => (
      <span key={name}>
        <Muted>{name}</Muted>
        {`: ${value}\n`}
      </span>
    ))}
    {`\n${body}`}
  </pre>
);

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

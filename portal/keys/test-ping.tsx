import { useState } from 'react';
import { Play } from 'lucide-react';
import { Button } from '../components/button.tsx';
import { Muted, Row } from '../components/card.tsx';
import { Prose } from '../components/prose.tsx';
import { State } from '../components/state.tsx';
import { explanationOf } from '../requests/explanations.ts';
import { useSession } from '../session.ts';
import { formatCount } from '../text/format.ts';
import { sendPing, type PingAnswer } from './ping.ts';
import css from './test-ping.module.css';

interface TestPingProps {
  /** The key, in memory only. */
  readonly apiKey: string;
}

/** Sends a ping to the gateway with the shown key, directly from the browser, and shows the answer. */
export function TestPing({ apiKey }: TestPingProps) {
  const { gatewayUrl } = useSession();
  const [isPending, setPending] = useState(false);
  const [outcome, setOutcome] = useState<PingAnswer | 'none'>();
  const send = async (): Promise<void> => {
    if (isPending) return;
    setPending(true);
    setOutcome(await sendPing(gatewayUrl, apiKey).catch(() => 'none' as const));
    setPending(false);
  };
  return (
    <div className={css.ping}>
      <Row>
        <Button icon={Play} isPending={isPending} onPress={() => void send()}>
          Send a test ping
        </Button>
        <Muted>From this page, with this key. It costs 1 unit.</Muted>
      </Row>
      <div role="status">
        {isPending && <Muted>Waiting for the gateway …</Muted>}
        {!isPending && outcome === 'none' && (
          <div className={[css.answer, css.bad].join(' ')}>
            <State kind="bad">No answer</State>
            <p>
              The gateway at {gatewayUrl} did not answer, or the browser did not let this page see it. The key is not
              the cause; try again, or use the command above.
            </p>
          </div>
        )}
        {!isPending && outcome !== undefined && outcome !== 'none' && <Answer answer={outcome} />}
      </div>
    </div>
  );
}

function Answer({ answer: { status, isSuccess, latencyMs, body, code, headers } }: { readonly answer: PingAnswer }) {
  const explanation = code === undefined ? undefined : explanationOf(code);
  return (
    <div className={[css.answer, isSuccess ? css.good : css.bad].join(' ')}>
      <State kind={isSuccess ? 'good' : 'bad'}>{`${status}, ${Math.round(latencyMs)} ms`}</State>
      {explanation && (
        <p>
          <Prose of={explanation.todo} />
        </p>
      )}
      <pre className={css.body}>{body}</pre>
      <p className={css.left}>{leftSentence(headers)}</p>
      <details>
        <summary className={css.left}>All headers</summary>
        <pre className={css.body}>{headers.map(([name, value]) => `${name}: ${value}`).join('\n')}</pre>
      </details>
      {isSuccess && <Muted>You see it in the list of requests when you close this.</Muted>}
    </div>
  );
}

/** The rest of both limits. */
function leftSentence(headers: PingAnswer['headers']): string {
  const value = (name: string): number | undefined => {
    const found = headers.find(([header]) => header === name);
    return found && Number(found[1]);
  };
  const part = (left: number | undefined, limit: number | undefined, what: string, until: string): string[] =>
    left === undefined || limit === undefined
      ? []
      : [`${formatCount(left)} of ${formatCount(limit)} ${what} left ${until}.`];
  return [
    ...part(value('X-RateLimit-Remaining'), value('X-RateLimit-Limit'), 'requests', 'this minute'),
    ...part(value('X-Service-Quota-Remaining'), value('X-Service-Quota-Limit'), 'units', 'this period'),
  ].join(' ');
}

import { Link } from 'wouter';
import type { Attention } from '../api/queries.ts';
import { Muted } from '../components/card.tsx';
import { Prose } from '../components/prose.tsx';
import { Time } from '../components/time.tsx';
import { KeyName } from '../keys/key-name.tsx';
import { explanationOf } from '../requests/explanations.ts';
import { Outcome } from '../requests/outcome.tsx';
import { pages } from '../routes.ts';
import { counted } from '../text/format.ts';
import css from './home-details.module.css';

interface LatestRefusalsProps {
  readonly accountId: string;
  readonly refusals: Attention['refusals'];
  /** Of a project. */
  readonly nameOf: (projectId: string) => string;
}

/** Why requests were refused, and what to do. Each entry leads to the newest of its requests. */
export function LatestRefusals({ accountId, refusals, nameOf }: LatestRefusalsProps) {
  if (refusals.length === 0) return <Muted>No request was refused.</Muted>;
  return (
    <ul className={css.items}>
      {refusals.map(({ event, simulated, count, key }) => {
        const explanation = event.code === null ? undefined : explanationOf(event.code);
        return (
          <li key={event.requestId}>
            <div className={css.first}>
              <Outcome of={event} />
              <Link href={pages.request(accountId, event.projectId, event)}>
                <Time of={event.occurredAt} as="second" />
              </Link>
            </div>
            <p className={css.muted}>
              <bdi>{nameOf(event.projectId)}</bdi>, {key ? <KeyName of={key} /> : <bdi>{event.keyId}</bdi>}
              {count > 1 && ` · ${counted(count, 'time')}`}
            </p>
            {explanation && (
              <p>
                {simulated ? 'As the request asked with simulate: nothing to do.' : <Prose of={explanation.todo} />}
              </p>
            )}
          </li>
        );
      })}
    </ul>
  );
}

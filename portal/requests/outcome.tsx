import type { UsageEvent } from '../api/queries.ts';
import { explanationOf } from './explanations.ts';
import css from './outcome.module.css';

const OUTCOMES: Readonly<Record<UsageEvent['event'], readonly [words: string, mark: string | undefined]>> = {
  request_succeeded: ['Succeeded', css.succeeded],
  idempotency_replay: ['Replayed', css.replay],
  rate_limit_rejected: ['Rate limited', css.rate],
  quota_rejected: ['Quota used up', css.quota],
  idempotency_conflict: ['Conflict', css.conflict],
  request_rejected: ['Rejected', css.rejected],
};

/** How a request ended; of a refusal also its code, what that means and what to do. */
export function Outcome({ of: { event, code } }: { readonly of: UsageEvent }) {
  const [words, mark] = OUTCOMES[event];
  const explanation = code === null ? undefined : explanationOf(code);
  return (
    <div>
      <span className={css.outcome}>
        <i className={[css.mark, mark].join(' ')} />
        {words}
      </span>
      {code !== null && (
        <details className={css.details}>
          <summary>
            <code translate="no">{code}</code>
          </summary>
          {explanation ? `${explanation.meaning} ${explanation.todo}` : 'See the documentation of the gateway.'}
        </details>
      )}
    </div>
  );
}

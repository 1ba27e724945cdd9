import type { UsageEvent } from '../api/schemas.ts';
import { explanationOf } from './explanations.ts';
import css from './outcome.module.css';
import { outcomeOf } from './outcomes.ts';

/** The colour of an outcome, beside its word. */
export const Mark = ({ of: event }: { readonly of: UsageEvent['event'] }) => (
  <i className={[css.mark, css[outcomeOf(event).mark]].join(' ')} />
);

/** How a request ended; of a refusal also its code, what that means and what to do. */
export function Outcome({ of: { event, code } }: { readonly of: UsageEvent }) {
  const explanation = code === null ? undefined : explanationOf(code);
  return (
    <div>
      <span className={css.outcome}>
        <Mark of={event} />
        {outcomeOf(event).words}
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

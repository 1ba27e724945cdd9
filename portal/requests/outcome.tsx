import type { UsageEvent } from '../api/schemas.ts';
import css from './outcome.module.css';
import { outcomeOf } from './outcomes.ts';

/** The colour of an outcome, beside its word. */
export const Mark = ({ of: event }: { readonly of: UsageEvent['event'] }) => (
  <i className={[css.mark, css[outcomeOf(event).mark]].join(' ')} />
);

/** How a request ended, and the code of a refusal. */
export const Outcome = ({ of: { event, code } }: { readonly of: UsageEvent }) => (
  <span className={css.outcome}>
    <Mark of={event} />
    {outcomeOf(event).words}
    {code !== null && (
      <code className={css.code} translate="no">
        {code}
      </code>
    )}
  </span>
);

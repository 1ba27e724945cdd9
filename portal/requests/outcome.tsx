import type { UsageEvent } from '../api/schemas.ts';
import css from './outcome.module.css';
import { outcomeNamed, outcomeOf, type OutcomeName } from './outcomes.ts';

/** The colour of an outcome, beside its word. */
export const Mark = ({ of: name }: { readonly of: OutcomeName }) => (
  <i className={[css.mark, css[outcomeNamed(name).mark]].join(' ')} />
);

/** How a request ended, and the code of a refusal. */
export const Outcome = ({ of: event }: { readonly of: UsageEvent }) => (
  <span className={css.outcome}>
    <Mark of={outcomeOf(event).event} />
    {outcomeOf(event).words}
    {event.code !== null && (
      <code className={css.code} translate="no">
        {event.code}
      </code>
    )}
  </span>
);

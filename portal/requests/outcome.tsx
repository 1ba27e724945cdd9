import type { UsageEvent } from '../api/schemas.ts';
import css from './outcome.module.css';
import { outcomeNamed, outcomeOf, type OutcomeName } from './outcomes.ts';

/** The colour of an outcome, beside its word. */
export const Mark = ({ of: name }: { readonly of: OutcomeName }) => (
  <i className={[css.mark, css[outcomeNamed(name).mark]].join(' ')} />
);

interface OutcomeProps {
  readonly of: UsageEvent;
  /** Its status, with the number of requests that it stands for. */
  readonly status?: string;
  readonly note?: string;
}

/** How a request ended, and the code of a refusal. */
export const Outcome = ({ of: event, status, note = '' }: OutcomeProps) => (
  <span className={css.outcome}>
    <Mark of={outcomeOf(event).event} />
    {status !== undefined && <span className={css.status}>{status}</span>}
    {outcomeOf(event).words}
    {note !== '' && <span className={css.note}>{note}</span>}
    {event.code !== null && (
      <code className={css.code} translate="no">
        {event.code}
      </code>
    )}
  </span>
);

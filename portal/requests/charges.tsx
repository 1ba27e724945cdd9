import { useState } from 'react';
import { Link } from 'wouter';
import { useAction } from '../api/use-action.ts';
import type { ProjectIds } from '../api/queries.ts';
import type { Key, RequestReference, UsageEvent } from '../api/schemas.ts';
import { Button } from '../components/button.tsx';
import { Failure } from '../components/form.tsx';
import { counted, formatFull } from '../text/format.ts';
import { isRelated, verdictOf } from './charged-again.ts';
import { ChargeVerdict } from './charge-verdict.tsx';
import css from './charges.module.css';
import { relatedTo, type Related } from './finding.ts';
import { outcomeOf } from './outcomes.ts';

/** The number of repeats that are shown by themselves. */
const SHOWN = 5;

export interface ChargesProps {
  readonly ids: ProjectIds;
  readonly event: UsageEvent;
  readonly keys: readonly Key[];
  /** The list that it was opened from, newest first. */
  readonly listed: readonly UsageEvent[];
  readonly addressOf: (request: RequestReference) => string;
}

/**
 * What belongs to a request: its repeats and the others of its name, as far as the list shows them, with a button to
 * look for all. Nothing for one that was neither charged nor named.
 */
export function Charges({ ids, event, keys, listed, addressOf }: ChargesProps) {
  const { requestId, clientRequestId, units } = event;
  const [found, setFound] = useState<Related>();
  const look = useAction((of: UsageEvent) => relatedTo(ids, of), setFound);
  if (units === 0 && clientRequestId === null) return null;
  const others = found?.events ?? listed.filter((other) => isRelated(event, other));
  const repeats = others.filter(({ originalRequestId }) => originalRequestId === requestId);
  const verdict = verdictOf([event, ...others], found?.isWhole ?? false);
  return (
    <section className={css.charges}>
      <h3>Was it charged twice?</h3>
      {repeats.slice(0, SHOWN).map((repeat) => (
        <p key={repeat.requestId}>
          <Link href={addressOf(repeat)}>
            {outcomeOf(repeat).words} under its Idempotency-Key, {formatFull(repeat.occurredAt)}
          </Link>
        </p>
      ))}
      {repeats.length > SHOWN && <p>… and {counted(repeats.length - SHOWN, 'more repeat')}</p>}
      {verdict && <ChargeVerdict of={verdict} keys={keys} addressOf={addressOf} />}
      {!verdict && found && <p>{found.isWhole ? NONE : NONE_READ}</p>}
      <Failure error={look.error} />
      {!found && (
        <Button isPending={look.isPending} onPress={() => look.run(event)}>
          Look for its repeats
        </Button>
      )}
    </section>
  );
}

const NONE = 'No: within two days of it there is no other request of its name, and no repeat of it.';
const NONE_READ = 'Among the requests that were read there is no other of its name, and no repeat of it.';

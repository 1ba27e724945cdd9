import type { UsageEvent } from '../api/schemas.ts';

/** A kind of event, or `simulated` for any simulated answer. */
export type OutcomeName = UsageEvent['event'] | 'simulated';

interface Outcome<Name extends OutcomeName = OutcomeName> {
  readonly event: Name;
  readonly words: string;
  /** Name of its colour: the same in page, chart and documentation. */
  readonly mark: 'succeeded' | 'replay' | 'rejected' | 'conflict' | 'rate' | 'quota' | 'simulated';
}

/** Every outcome of a request that the ledger records, in the order of display. */
export const OUTCOMES: readonly Outcome<UsageEvent['event']>[] = [
  { event: 'request_succeeded', words: 'Succeeded', mark: 'succeeded' },
  { event: 'idempotency_replay', words: 'Replayed', mark: 'replay' },
  { event: 'request_rejected', words: 'Refused', mark: 'rejected' },
  { event: 'idempotency_conflict', words: 'Conflict', mark: 'conflict' },
  { event: 'rate_limit_rejected', words: 'Rate limited', mark: 'rate' },
  { event: 'quota_rejected', words: 'Quota used up', mark: 'quota' },
];

/** The outcomes in charts. Simulated requests are one of their own. */
export const CHARTED: readonly Outcome[] = [...OUTCOMES, { event: 'simulated', words: 'Simulated', mark: 'simulated' }];

const OF_NAME = new Map(CHARTED.map((outcome) => [outcome.event, outcome]));

/** The outcome of this name. Throws for a name that the contract does not know. */
export function outcomeNamed(name: OutcomeName): Outcome {
  const outcome = OF_NAME.get(name);
  if (!outcome) throw new Error(`${name} is no event of the contract.`);
  return outcome;
}

/** The outcome of a request. Throws for a kind of event that the contract does not know. */
export const outcomeOf = ({ event, simulated }: Pick<UsageEvent, 'event' | 'simulated'>): Outcome =>
  outcomeNamed(simulated ? 'simulated' : event);

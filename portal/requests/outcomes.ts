import type { UsageEvent } from '../api/schemas.ts';

/** A kind of event, or `simulated` for any simulated answer. */
export type OutcomeName = UsageEvent['event'] | 'simulated';

interface Outcome<Name extends OutcomeName = OutcomeName> {
  readonly event: Name;
  readonly words: string;
  /** Name of its colour: the same in page, chart and documentation. */
  readonly mark: 'succeeded' | 'replay' | 'rejected' | 'conflict' | 'rate' | 'quota' | 'simulated';
  readonly meaning: string;
}

/** Every outcome of a request that the ledger records, in the order of display. */
export const OUTCOMES: readonly Outcome<UsageEvent['event']>[] = [
  {
    event: 'request_succeeded',
    words: 'Succeeded',
    mark: 'succeeded',
    meaning: 'It was answered, and its units were charged.',
  },
  {
    event: 'idempotency_replay',
    words: 'Replayed',
    mark: 'replay',
    meaning:
      'It repeated a request that had succeeded, by its Idempotency-Key, and got the same answer. Nothing was charged.',
  },
  {
    event: 'request_rejected',
    words: 'Refused',
    mark: 'rejected',
    meaning: 'It was refused for what it was. Nothing was charged.',
  },
  {
    event: 'idempotency_conflict',
    words: 'Conflict',
    mark: 'conflict',
    meaning: 'It had the Idempotency-Key of another request. Nothing was charged.',
  },
  {
    event: 'rate_limit_rejected',
    words: 'Rate limited',
    mark: 'rate',
    meaning: 'It was refused by the rate limit of its key. Nothing was charged.',
  },
  {
    event: 'quota_rejected',
    words: 'Quota used up',
    mark: 'quota',
    meaning: 'It was refused by the quota of its project. Nothing was charged.',
  },
];

/** The outcomes in charts. Simulated requests are one of their own. */
export const CHARTED: readonly Outcome[] = [
  ...OUTCOMES,
  {
    event: 'simulated',
    words: 'Simulated',
    mark: 'simulated',
    meaning: 'It asked for this answer with simulate.',
  },
];

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

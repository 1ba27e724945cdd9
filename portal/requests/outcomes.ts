import type { UsageEvent } from '../api/schemas.ts';

interface Outcome {
  readonly event: UsageEvent['event'];
  readonly words: string;
  /** Name of its colour: the same in page, chart and documentation. */
  readonly mark: 'succeeded' | 'replay' | 'rejected' | 'conflict' | 'rate' | 'quota';
  readonly meaning: string;
}

/** Every way in which a request can end that the ledger notes, in the order in which they are stacked and listed. */
export const OUTCOMES: readonly Outcome[] = [
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

const OF_EVENT = new Map(OUTCOMES.map((outcome) => [outcome.event, outcome]));

/** How a request of this kind of event ended. Throws for a kind that the contract does not know. */
export function outcomeOf(event: UsageEvent['event']): Outcome {
  const outcome = OF_EVENT.get(event);
  if (!outcome) throw new Error(`${event} is no event of the contract.`);
  return outcome;
}

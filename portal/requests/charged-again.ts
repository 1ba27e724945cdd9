import type { UsageEvent } from '../api/schemas.ts';

/** For how long a success is stored: a repeat under its Idempotency-Key is free. */
const STORED_MS = 86_400_000;

/** Why several requests of one name were charged, as far as the ledger shows it. Events hold no Idempotency-Key. */
export function whyChargedAgain(events: readonly Pick<UsageEvent, 'occurredAt' | 'units'>[]): string {
  const times = events.filter(({ units }) => units > 0).map(({ occurredAt }) => Date.parse(occurredAt));
  if (times.length < 2 || Math.max(...times) - Math.min(...times) >= STORED_MS) return '';
  return ' Those charged had different Idempotency-Keys, or none: a repeat under the same one is free for 24 hours.';
}

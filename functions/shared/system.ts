import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Clock } from './clock.ts';
import type { Deadline } from './deadline.ts';

/** The longest time for one request, from receipt to response; after it a 503 (docs/architecture.md, "One ledger"). */
const REQUEST_DEADLINE_MS = 4_000;

/** The only access to the machine's clock and randomness; it also makes sleeps and deadlines. */
export const system = {
  clock: { now: () => Date.now() } satisfies Clock,
  newId: (): string => randomUUID(),
  randomBytes: (size: number): Uint8Array => randomBytes(size),
  /** Uniform in [0, 1); for jitter, not for secrets. */
  random: (): number => Math.random(),
  sleep: async (ms: number, signal: AbortSignal): Promise<void> => {
    await setTimeout(ms, undefined, { signal });
  },
  startDeadline: (): Deadline => {
    const endsAtMs = performance.now() + REQUEST_DEADLINE_MS;
    return Object.assign(AbortSignal.timeout(REQUEST_DEADLINE_MS), { leftMs: () => endsAtMs - performance.now() });
  },
};

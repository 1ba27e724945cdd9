import { among, type Invariant } from './invariant.ts';

/** What a simulation is held to: it is the real thing to see, and nothing to pay. */
export const SIMULATIONS: readonly Invariant[] = among('test/handlers/simulation.test.ts', [
  [
    'a simulated limit says that nothing is left of it',
    'rate: { ...rate, remaining: 0 }',
    'rate',
    'a simulated refusal RATE_LIMIT_EXCEEDED is the real one, member by member and header by header',
  ],
  [
    'only the request that was charged loses its answer',
    'if (state.beforeCharge === undefined || state.duplicate !== undefined) return;',
    'if (state.beforeCharge === undefined) return;',
    'a request whose answer is to be lost of fifty at once under one Idempotency-Key is charged once: 1 shards',
  ],
  [
    'a lost answer tells the limits from before the charge',
    'state.admitted = state.beforeCharge;',
    '',
    'a request whose answer is to be lost is charged, stored and answered as the store had been lost, with the limits from before',
  ],
  [
    'a simulation has an event of its own',
    'if (state.admitted || simulated) await',
    'if (state.admitted) await',
    'a simulated refusal API_KEY_REVOKED leaves one event of 0 units that says so, and nothing else',
  ],
  [
    'a simulated failure is no failure in the log',
    '>= FIRST_FAILURE_STATUS && !state.simulated',
    '>= FIRST_FAILURE_STATUS',
    'a simulated refusal is no failure in the log and the metrics: its outcome is simulated, and a 5xx is counted apart',
  ],
]);

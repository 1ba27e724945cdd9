import type { BrokenBy } from './invariant.ts';

/** What a simulation is held to: it is the real thing to see, and nothing to pay. */
export const SIMULATIONS: BrokenBy = {
  'test/handlers/simulation.test.ts': {
    'a simulated refusal RATE_LIMIT_EXCEEDED is the real one, member by member and header by header': [
      ['rate: { ...rate, remaining: 0 }', 'rate'],
    ],
    'a request whose answer is to be lost of fifty at once under one Idempotency-Key is charged once: 1 shards': [
      [
        'if (state.beforeCharge === undefined || state.duplicate !== undefined) return;',
        'if (state.beforeCharge === undefined) return;',
      ],
    ],
    'a request whose answer is to be lost is charged, stored and answered as the store had been lost, with the limits from before':
      [['state.admitted = state.beforeCharge;', '']],
    'a simulated refusal API_KEY_REVOKED leaves one event of 0 units that says so, and nothing else': [
      ['if (state.admitted || simulated) await', 'if (state.admitted) await'],
    ],
    'a simulated refusal is no failure in the log and the metrics: its outcome is simulated, and a 5xx is counted apart':
      [['>= FIRST_FAILURE_STATUS && !state.simulated', '>= FIRST_FAILURE_STATUS']],
  },
};

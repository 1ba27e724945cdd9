import { expect, test } from '@jest/globals';
import { verifyLedger } from '../../functions/usage/checks/verification.ts';
import { periodAt } from '../../functions/shared/time.ts';
import { budget, storedCaps } from '../support/caps.ts';
import { crowd, tally } from '../support/crowd.ts';
import { availableEngines } from '../support/engine.ts';
import { startFleet } from '../support/fleet.ts';
import { tenant } from '../support/gateway.ts';
import { operatorOf } from '../support/operator.ts';
import { shared } from '../support/shared/client.ts';
import type { SharedEngine } from '../support/shared/things.ts';
import { NOW_MS } from '../support/times.ts';

/** Two processes are started. */
const TIMEOUT_MS = 60_000;
/** 24 at once over three keys. */
const IN_FLIGHT = Array.from({ length: 24 }, (_, n) => n);

test(
  'two processes together give three keys of a budget of 7 exactly 7, in one counter and in shards',
  async () => {
    const [engine] = availableEngines();
    if (engine === undefined) throw new Error('no engine is installed');
    const { endpoint } = await shared<SharedEngine>(engine);
    const operator = operatorOf(endpoint, 'test');
    const fleet = await startFleet({ endpoint, timesMs: [NOW_MS, NOW_MS + 10_000] });
    const everyone = crowd(fleet.urls);
    try {
      for (const shards of [1, 3]) {
        const { projectId } = await tenant(operator, { shards });
        const { capId, keys } = await budget(operator.store, projectId, 3, 7);
        const sent = await Promise.all(
          // Each key on both processes.
          IN_FLIGHT.map((n) => everyone.send({ key: keys[Math.floor(n / 2) % 3] ?? '', label: `${shards}-${n}` })),
        );
        expect(tally(sent)).toEqual({ executed: 7, KEY_QUOTA_EXCEEDED: 17 });
        expect(await storedCaps(operator.store, projectId)).toEqual({
          [`once#${capId}`]: { units: 7, limit: 7, 'm2030-01': 7 },
        });
        const books = await verifyLedger(operator.store, projectId, periodAt(NOW_MS, 'month'));
        expect(books).toEqual({ consistent: true, quotaUsed: 7, ledgerUnits: 7 });
      }
    } finally {
      everyone.close();
      await fleet.stop();
      operator.close();
    }
  },
  TIMEOUT_MS,
);

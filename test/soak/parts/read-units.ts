import assert from 'node:assert/strict';
import { trustingProvider } from '../../support/changes/provider.ts';
import { availableEngines } from '../../support/engine.ts';
import { testPortal } from '../../support/portal.ts';
import { inShort, largeWorld, measureRoutes, ONE_A_MINUTE } from '../../support/read-units.ts';
import { onFreshEngine } from '../engine.ts';
import type { SoakPart } from '../part.ts';

/** The number of ended keys for 30,000 events. It grows with the events. */
const EVENTS_PER_ENDED_KEY = 12;
const INVITATIONS = 60;

/** What each route of the portal makes the database read in a large world, as the table of docs/cost-and-limits.md. */
export const readUnits: SoakPart = {
  promise: 'who may not read, or has read enough, makes the database read next to nothing',
  unit: 'events',
  defaultAmount: 30_000,
  run: async ({ amount, progress }) => {
    const [engine] = availableEngines();
    if (engine === undefined) throw new Error('No local database runs on this machine.');
    return onFreshEngine(engine, async () => {
      const portal = testPortal(trustingProvider, { limits: ONE_A_MINUTE });
      const endedKeys = Math.round(amount / EVENTS_PER_ENDED_KEY);
      const world = await largeWorld(portal, { events: amount, endedKeys, invitations: INVITATIONS });
      progress(amount);
      const routes = await measureRoutes(portal, world);
      const isCheap = ({ route, madeUp, stranger = 0, beyond = 0 }: (typeof routes)[number]): boolean =>
        madeUp === 0 && stranger <= (route.endsWith('/accept') ? 5 : 3) && (!route.startsWith('GET ') || beyond <= 12);
      assert.deepEqual(
        routes.filter((route) => !isCheap(route)),
        [],
      );
      const units = { readUnits: 'made-up session | stranger | member | member beyond the limit' };
      const measured = Object.fromEntries(routes.map(inShort));
      return { events: amount, endedKeys, invitations: INVITATIONS, ...units, ...measured };
    });
  },
};

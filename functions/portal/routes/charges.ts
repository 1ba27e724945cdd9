import type { Hono } from 'hono';
import * as v from 'valibot';
import { countRead } from '../../accounts/request-rate.ts';
import { readProject } from '../../accounts/projects/stored-projects.ts';
import { isoTime } from '../../shared/rules/clock.ts';
import { allFulfilled } from '../../shared/rules/fulfilled.ts';
import { findCharged, OPERATION_NAMES } from '../../usage/charged-request.ts';
import { authorizeChange } from '../changes.ts';
import { chargeLookup } from '../contract/requests/events.ts';
import { ROUTES } from '../contract/requests/routes.ts';
import { COUNTED_READ } from '../writes.ts';
import type { PortalEnvironment } from '../hono-context.ts';
import { addRoute } from '../known-routes.ts';
import { pathId } from '../paths.ts';
import type { AuthorityDependencies } from '../session/authority.ts';

const Lookup = chargeLookup(v.picklist(OPERATION_NAMES, `Give one of ${OPERATION_NAMES.join(', ')}.`));

/**
 * Whether a request under an Idempotency-Key was charged. It is a POST, so the value, which may hold anything, is in no
 * address and no log.
 */
export function chargeRoutes(app: Hono<PortalEnvironment>, dependencies: AuthorityDependencies): void {
  addRoute(app, ROUTES.lookUpCharge, COUNTED_READ, async (c) => {
    const projectId = pathId(c, 'projectId');
    const { store, input } = await authorizeChange(c, dependencies, Lookup);
    await allFulfilled([countRead(store), readProject(store, projectId)]);
    const charged = await findCharged(store, projectId, input);
    if (!charged) return c.json({ state: 'none', asOf: isoTime(store.clock.now()) });
    const { event = null, storedUntilMs } = charged;
    return c.json({ state: 'charged', original: event, storedUntil: isoTime(storedUntilMs) });
  });
}

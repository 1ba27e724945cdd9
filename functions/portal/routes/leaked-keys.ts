import type { Hono } from 'hono';
import { reportLeakedKeys, type LeakedKeys as WhatEnds } from '../../accounts/keys/leaked-keys.ts';
import { LeakedKeys } from '../contract/requests/leaked-keys.ts';
import { ROUTES } from '../contract/requests/routes.ts';
import type { PortalEnvironment } from '../hono-context.ts';
import { addRoute } from '../known-routes.ts';
import { readInput } from '../input.ts';
import type { AuthorityDependencies } from '../session/authority.ts';
import { KEY_ITEMS } from '../writes.ts';

/** What a report writes. */
const WRITES = ['ACCOUNT/AUDIT', 'ACCOUNT/REPORTED', 'NOTICES/LEFT-KEYS', ...KEY_ITEMS] as const;
/** A list of a scanner is larger than other bodies. */
const MAX_REPORT_BYTES = 512 * 1024;

export interface LeakedKeyDependencies extends AuthorityDependencies {
  /** Absent: `revoke`. */
  readonly leakedKeys?: WhatEnds;
}

/**
 * Takes keys that were found in public, as `{keys: […]}` or as the list that GitHub's secret scanning sends. The answer
 * is the same for every key, so that nobody learns which ones exist.
 */
export function leakedKeyRoutes(app: Hono<PortalEnvironment>, dependencies: LeakedKeyDependencies): void {
  // Anybody may: no person is asked for.
  addRoute(app, ROUTES.reportLeakedKeys, WRITES, async (c) => {
    const { keys } = await readInput(c, LeakedKeys, { listAs: 'keys', maxBytes: MAX_REPORT_BYTES });
    const store = { ...dependencies.store, deadline: c.get('state').deadline };
    await reportLeakedKeys(store, keys, dependencies.leakedKeys ?? 'revoke');
    return c.body(null, 204);
  });
}

import type { Hono } from 'hono';
import { reportLeakedKeys, type LeakedKeys as WhatEnds } from '../../accounts/keys/leaked-keys.ts';
import { containsApiKey } from '../../shared/rules/credentials/credential-text.ts';
import { LeakedKeys } from '../contract/requests/leaked-keys.ts';
import { ROUTES } from '../contract/requests/routes.ts';
import type { PortalEnvironment } from '../hono-context.ts';
import { addRoute } from '../known-routes.ts';
import { readInput } from '../input.ts';
import type { AuthorityDependencies } from '../session/authority.ts';
import { KEY_ITEMS } from '../writes.ts';

/** What a report writes. */
const WRITES = ['ACCOUNT/AUDIT', ...KEY_ITEMS] as const;
/** It is stored, with the key and in the audit. A longer one is left out. */
const MAX_URL_CHARACTERS = 300;

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
    const { keys } = await readInput(c, LeakedKeys, 'keys');
    const store = { ...dependencies.store, deadline: c.get('state').deadline };
    const found = keys.map(({ token, url }) => ({ token, url: storable(url) }));
    await reportLeakedKeys(store, found, dependencies.leakedKeys ?? 'revoke');
    return c.body(null, 204);
  });
}

/** An https address without a key in it; else undefined. */
function storable(url: string | undefined): string | undefined {
  if (url === undefined || url.length > MAX_URL_CHARACTERS || !url.startsWith('https://')) return undefined;
  if (!URL.canParse(url)) return undefined;
  // Without tabs and line ends, which may have stood within a key.
  const { href } = new URL(url);
  const decoded = href.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return containsApiKey(href) || containsApiKey(decoded) ? undefined : href.slice(0, MAX_URL_CHARACTERS);
}

import type { Hono } from 'hono';
import * as v from 'valibot';
import { MAX_REPORTED, reportLeakedKeys, type LeakedKeys } from '../accounts/keys/leaked-keys.ts';
import { containsApiKey } from '../shared/rules/api-key.ts';
import { declares } from './declares.ts';
import type { PortalEnvironment } from './environment.ts';
import { readInput } from './input.ts';
import type { AuthorityDependencies } from './session/authority.ts';

/** Scanners send it from anywhere: the keys in its body are the authority. */
export const LEAKED_KEYS_PATH = '/api/leaked-keys';
/** It is stored, with the key and in the audit. A longer one is left out. */
const MAX_URL_CHARACTERS = 300;

const RULE = `Give 1 to ${MAX_REPORTED} keys: each a text, or an object with token and url.`;
const Found = v.object({ token: v.string(), url: v.optional(v.string()) });
const Report = v.object({
  keys: v.pipe(
    v.array(
      v.union([
        v.pipe(
          v.string(),
          v.transform((token) => ({ token, url: undefined })),
        ),
        Found,
      ]),
      RULE,
    ),
    v.check(({ length }) => length >= 1 && length <= MAX_REPORTED, RULE),
  ),
});

export interface LeakedKeyDependencies extends AuthorityDependencies {
  /** Absent: `revoke`. */
  readonly leakedKeys?: LeakedKeys;
}

/**
 * Takes keys that were found in public, as `{keys: […]}` or as the list that GitHub's secret scanning sends. The answer
 * is the same for every key, so that nobody learns which ones exist.
 */
export function leakedKeyRoutes(app: Hono<PortalEnvironment>, dependencies: LeakedKeyDependencies): void {
  app.post(
    LEAKED_KEYS_PATH,
    declares({
      writes: ['ACCOUNT/AUDIT', 'KEY/KEY', 'ACCOUNT/KEY', 'PROJECT/KEYREF', 'PROJECT/KEYS'],
      // Anybody may: no person is asked for.
      sets: { keys: 'person' },
    }),
    async (c) => {
      const { keys } = await readInput(c, Report, 'keys');
      const store = { ...dependencies.store, deadline: c.get('state').deadline };
      const found = keys.map(({ token, url }) => ({ token, url: storable(url) }));
      await reportLeakedKeys(store, found, dependencies.leakedKeys ?? 'revoke');
      return c.body(null, 204);
    },
  );
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

import type { Hono } from 'hono';
import { createToken, listTokens, revokeToken, tokenView } from '../../accounts/tokens/tokens.ts';
import { MS_PER_DAY } from '../../shared/rules/clock.ts';
import { authorizeChange } from '../changes.ts';
import { ROUTES } from '../contract/requests/routes.ts';
import { NewToken } from '../contract/requests/tokens.ts';
import { CHANGE, COUNTED_READ } from '../writes.ts';
import type { PortalEnvironment } from '../hono-context.ts';
import { addRoute } from '../known-routes.ts';
import { pathId } from '../paths.ts';
import { authorizeOwner } from '../reads.ts';
import type { AuthorityDependencies } from '../session/authority.ts';

/** What a revocation writes, and a creation in addition. */
const REVOCATION = [...CHANGE, 'TOKEN/TOKEN', 'ACCOUNT/TOKEN', 'ACCOUNT/TOKENS'] as const;
const CREATION = [...REVOCATION, 'USED/TOKENS', 'EXPIRING/'] as const;

/** The management tokens of an account, for its owners. Only the answer that makes a token contains it. */
export function tokenRoutes(app: Hono<PortalEnvironment>, dependencies: AuthorityDependencies): void {
  addRoute(app, ROUTES.listTokens, COUNTED_READ, async (c) => {
    const { store, membership } = await authorizeOwner(c, dependencies);
    const nowMs = c.get('state').receivedAtMs;
    const tokens = await listTokens(store, membership.accountId);
    return c.json({ tokens: tokens.map((token) => tokenView(token, nowMs)) });
  });

  addRoute(app, ROUTES.createToken, CREATION, async (c) => {
    const { store, accountId, input, idempotencyKey } = await authorizeChange(c, dependencies, NewToken);
    const { expiresInDays, ...details } = input;
    const made = createToken(store, accountId, { ...details, lifetimeMs: expiresInDays * MS_PER_DAY }, idempotencyKey);
    return c.json(await made, 201);
  });

  addRoute(app, ROUTES.revokeToken, REVOCATION, async (c) => {
    const { store, accountId } = await authorizeChange(c, dependencies);
    const token = await revokeToken(store, accountId, pathId(c, 'tokenId'));
    return c.json(tokenView(token, c.get('state').receivedAtMs));
  });
}

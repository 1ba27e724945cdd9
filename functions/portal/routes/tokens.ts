import type { Hono } from 'hono';
import { createToken, listTokens, revokeToken, tokenView } from '../../accounts/tokens/tokens.ts';
import { MS_PER_DAY } from '../../shared/rules/clock.ts';
import { authorizeChange } from '../changes.ts';
import { Nothing } from '../contract/requests/fields.ts';
import { ROUTES } from '../contract/requests/routes.ts';
import { NewToken } from '../contract/requests/tokens.ts';
import { CHANGE, COUNTED_READ, declares } from '../declares.ts';
import type { PortalEnvironment } from '../hono-context.ts';
import { addRoute } from '../known-routes.ts';
import { pathId } from '../paths.ts';
import { authorizeOwner } from '../reads.ts';
import type { AuthorityDependencies } from '../session/authority.ts';

const ITEMS = [...CHANGE, 'TOKEN/TOKEN', 'ACCOUNT/TOKEN', 'ACCOUNT/TOKENS'] as const;

/** What each route writes, and who may set which member of its body. */
const MAY = {
  create: declares({
    writes: ITEMS,
    sets: { name: 'owner', scopes: 'owner', expiresInDays: 'owner', projectId: 'owner' },
  }),
  revoke: declares({ writes: ITEMS }),
};

/** The management tokens of an account, for its owners. Only the answer that makes a token contains it. */
export function tokenRoutes(app: Hono<PortalEnvironment>, dependencies: AuthorityDependencies): void {
  addRoute(app, ROUTES.listTokens, COUNTED_READ, async (c) => {
    const { store, membership } = await authorizeOwner(c, dependencies);
    const nowMs = c.get('state').receivedAtMs;
    const tokens = await listTokens(store, membership.accountId);
    return c.json({ tokens: tokens.map((token) => tokenView(token, nowMs)) });
  });

  addRoute(app, ROUTES.createToken, MAY.create, async (c) => {
    const accountId = pathId(c, 'accountId');
    const { store, input, idempotencyKey } = await authorizeChange(c, dependencies, accountId, NewToken);
    const { expiresInDays, ...details } = input;
    const made = createToken(store, accountId, { ...details, lifetimeMs: expiresInDays * MS_PER_DAY }, idempotencyKey);
    return c.json(await made, 201);
  });

  addRoute(app, ROUTES.revokeToken, MAY.revoke, async (c) => {
    const accountId = pathId(c, 'accountId');
    const { store } = await authorizeChange(c, dependencies, accountId, Nothing);
    const token = await revokeToken(store, accountId, pathId(c, 'tokenId'));
    return c.json(tokenView(token, c.get('state').receivedAtMs));
  });
}

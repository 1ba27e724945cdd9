import type { Hono } from 'hono';
import * as v from 'valibot';
import { createToken, listTokens, revokeToken, tokenView } from '../accounts/tokens/tokens.ts';
import { MS_PER_DAY } from '../shared/rules/clock.ts';
import { TOKEN_SCOPES } from '../shared/rules/management-token.ts';
import { askedByMember } from './changes.ts';
import { CHANGE, declares } from './declares.ts';
import type { PortalEnvironment } from './environment.ts';
import { integer, Name, Nothing } from './fields.ts';
import { pathId } from './paths.ts';
import { askedByOwner } from './reads.ts';
import type { AuthorityDependencies } from './session/authority.ts';

const MAX_LIFETIME_DAYS = 90;
const SCOPES_RULE = `Give one or more of ${TOKEN_SCOPES.join(', ')}, each once.`;
const PROJECT_RULE = 'Give the id of a project, or nothing for all.';
/** In the order of `TOKEN_SCOPES`, whatever the order of the input. */
const Scopes = v.pipe(
  v.array(v.picklist(TOKEN_SCOPES, SCOPES_RULE), SCOPES_RULE),
  v.minLength(1, SCOPES_RULE),
  v.check((scopes) => new Set(scopes).size === scopes.length, SCOPES_RULE),
  v.transform((scopes) => TOKEN_SCOPES.filter((scope) => scopes.includes(scope))),
);
const NewToken = v.object({
  name: Name,
  scopes: Scopes,
  expiresInDays: integer(1, MAX_LIFETIME_DAYS),
  projectId: v.optional(v.pipe(v.string(PROJECT_RULE), v.regex(/^[0-9A-Za-z]{12}$/, PROJECT_RULE))),
});

const TOKENS = '/api/accounts/:accountId/tokens';
const ITEMS = [...CHANGE, 'TOKEN/TOKEN', 'ACCOUNT/TOKEN', 'ACCOUNT/TOKENS'] as const;

/** What each route writes, and who may set which member of its body. */
const MAY = {
  list: declares({ writes: ['USED/READS'] }),
  create: declares({
    writes: ITEMS,
    sets: { name: 'owner', scopes: 'owner', expiresInDays: 'owner', projectId: 'owner' },
  }),
  revoke: declares({ writes: ITEMS }),
};

/** The management tokens of an account, for its owners. Only the answer that makes a token contains it. */
export function tokenRoutes(app: Hono<PortalEnvironment>, dependencies: AuthorityDependencies): void {
  app.get(TOKENS, MAY.list, async (c) => {
    const { store, membership } = await askedByOwner(c, dependencies);
    const nowMs = c.get('state').receivedAtMs;
    const tokens = await listTokens(store, membership.accountId);
    return c.json({ tokens: tokens.map((token) => tokenView(token, nowMs)) });
  });

  app.post(TOKENS, MAY.create, async (c) => {
    const accountId = pathId(c, 'accountId');
    const { store, input, idempotencyKey } = await askedByMember(c, dependencies, accountId, NewToken);
    const { expiresInDays, ...details } = input;
    const made = createToken(store, accountId, { ...details, lifetimeMs: expiresInDays * MS_PER_DAY }, idempotencyKey);
    return c.json(await made, 201);
  });

  app.post(`${TOKENS}/:tokenId/revoke`, MAY.revoke, async (c) => {
    const accountId = pathId(c, 'accountId');
    const { store } = await askedByMember(c, dependencies, accountId, Nothing);
    const token = await revokeToken(store, accountId, pathId(c, 'tokenId'));
    return c.json(tokenView(token, c.get('state').receivedAtMs));
  });
}

import { createToken, listTokens, revokeToken, tokenView } from '../../accounts/tokens/tokens.ts';
import { MS_PER_DAY } from '../../shared/time.ts';
import { MANAGE_CONTRACT } from '../contract/manage.ts';
import { tokenContract } from '../contract/tokens.ts';
import { serveToken } from '../serve/token-authority.ts';
import { serve } from '../serve/serve.ts';

/** The management tokens of an account, for its owners. Only the answer that makes a token contains it. */
export const tokenRoutes = [
  serve(tokenContract.listTokens, async ({ store, accountId, nowMs }) => ({
    tokens: (await listTokens(store, accountId)).map((token) => tokenView(token, nowMs)),
  })),

  serve(tokenContract.createToken, ({ store, accountId, input, idempotencyKey }) => {
    const { expiresInDays, ...details } = input;
    return createToken(store, accountId, { ...details, lifetimeMs: expiresInDays * MS_PER_DAY }, idempotencyKey);
  }),

  serve(tokenContract.revokeToken, async ({ store, accountId, id, nowMs }) =>
    tokenView(await revokeToken(store, accountId, id('tokenId')), nowMs),
  ),
];

/** The token, told to itself. */
export const manageTokenRoutes = [
  serveToken(MANAGE_CONTRACT.readToken, ({ token, accountId, nowMs }) => {
    const { createdBy: _, ...view } = tokenView(token, nowMs);
    return { accountId, ...view };
  }),
];

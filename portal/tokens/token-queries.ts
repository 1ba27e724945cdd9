import { queryOptions } from '@tanstack/react-query';
import type {
  NewToken as TokenDetails,
  Token,
  TokenCreated,
  TokenScope,
} from '../../functions/portal/contract/tokens.ts';
import { answer, api } from '../api/client.ts';

export type { Token, TokenCreated as NewToken, TokenDetails, TokenScope };

/** Each read counts. */
const STALE_MS = 15_000;

/** The management tokens of an account, for its owners. */
export const tokensQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['account', accountId, 'tokens'],
    queryFn: async ({ signal }): Promise<Token[]> =>
      (await answer(api.GET('/api/accounts/{accountId}/tokens', { params: { path: { accountId } }, signal }))).tokens,
    staleTime: STALE_MS,
  });

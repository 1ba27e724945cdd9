import { queryOptions } from '@tanstack/react-query';
import { answer, api } from '../api/client.ts';
import type { components } from '../api/types.ts';

type Schemas = components['schemas'];
export type Token = Schemas['Token'];
export type NewToken = Schemas['TokenCreated'];
export type TokenScope = Schemas['TokenScope'];
export type TokenDetails = Schemas['NewToken'];

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

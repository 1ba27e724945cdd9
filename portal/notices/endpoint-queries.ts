import { queryOptions } from '@tanstack/react-query';
import type { Delivery, Endpoint, NoticeKind } from '../../functions/portal/contract/endpoints.ts';
import { answer, api } from '../api/client.ts';

export type { Delivery, Endpoint, NoticeKind };

/** How often deliveries are read again while a requested one is in progress. Each read counts. */
const SOON_MS = 2_000;
const DELIVERIES_MS = 15_000;

/** The webhook endpoints of an account, for its owners. */
export const endpointsQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['account', accountId, 'endpoints'],
    queryFn: async ({ signal }): Promise<Endpoint[]> => {
      const params = { path: { accountId } };
      return (await answer(api.GET('/api/accounts/{accountId}/endpoints', { params, signal }))).endpoints;
    },
    staleTime: DELIVERIES_MS,
  });

/** The newest deliveries to an endpoint, for its owners. */
export const deliveriesQuery = (accountId: string, endpointId: string) =>
  queryOptions({
    queryKey: ['account', accountId, 'endpoints', endpointId, 'deliveries'],
    queryFn: async ({ signal }): Promise<Delivery[]> => {
      const params = { path: { accountId, endpointId } };
      const path = '/api/accounts/{accountId}/endpoints/{endpointId}/deliveries';
      return (await answer(api.GET(path, { params, signal }))).deliveries;
    },
    refetchInterval: ({ state: { data = [] } }) =>
      data.some(({ asked, state }) => asked && state === 'waiting') ? SOON_MS : DELIVERIES_MS,
  });

import { portalApp } from '../../functions/portal/app.ts';
import { CONTRACT } from '../../functions/portal/contract/index.ts';
import { OPEN_ROUTES } from '../../functions/portal/contract/requests/routes.ts';
import type { Route } from '../../functions/portal/contract/route.ts';
import { routesOf } from '../../functions/portal/known-routes.ts';

/** Every operation of the contract between the portal's page and its function. */
export const portalOperations = Object.entries<Route>(CONTRACT).map(([operationId, route]) => ({
  operationId,
  ...route,
  isOpen: OPEN_ROUTES.includes(`${route.method} ${route.path}`),
}));

/** The routes of the code. */
export const portalRoutes = routesOf(portalApp({} as never));

/** A path of the contract with these ids; a name without one is left out. */
export const filledPath = (path: string, ids: Readonly<Record<string, string | undefined>>): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? '');

/** Ids of nothing, each in its form. */
export const NOBODYS_IDS = {
  accountId: 'acc_4fS0pQ2mXz81LkWd',
  projectId: 'L3F3EM36hg2T',
  keyId: 'key_9aBcD3fGhJ5kLmN7',
  endpointId: 'ept_Hn5jR2wK8cY1vQ6s',
  deliveryId: 'dlv_0UzL8kQ2Rm4tXc7b',
  tokenId: 'tok_Yt7bN2wK8cQ1vH5s',
  memberId: 'mem_Zx8cV6bN4mQ2wE0r',
  requestId: '01b92504-8230-7a78-958c-786de2921d1b',
  sessionId: 'ses_Zx8cV6bN4mQ2wE0r',
} as const;

import { portalApp } from '../../functions/portal/app.ts';
import { CONTRACT } from '../../functions/portal/contract/index.ts';
import { codesOf, partsOf, type PortalOperation } from '../../functions/portal/contract/operation.ts';
import { operationsOf } from '../../functions/portal/request/known-routes.ts';

/** Every operation of the contract between the portal's page and its function. */
export const portalOperations = Object.entries<PortalOperation>(CONTRACT).map(([operationId, operation]) => {
  const [method, path] = partsOf(operation);
  const isOpen = operation.by === 'anyone';
  return { operationId, ...operation, method, path, isOpen, refuses: codesOf(operation) };
});

/** The routes of the code. */
export const portalRoutes = operationsOf(portalApp({} as never)).map(({ route }) => route);

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

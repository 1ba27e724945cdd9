import { Hono } from 'hono';
import { PORTAL_PREFIXES } from '../shared/names.ts';
import type { PortalDependencies } from './request/dependencies.ts';
import type { PortalEnvironment } from './request/hono-context.ts';
import { knownRoutes } from './request/known-routes.ts';
import { noTokens } from './request/no-tokens.ts';
import { renderProblem } from './request/problems.ts';
import { requestContext } from './request/request-context.ts';
import { accountRoutes } from './routes/accounts.ts';
import { attentionRoutes } from './routes/attention.ts';
import { auditRoutes } from './routes/audit.ts';
import { chargeRoutes } from './routes/charges.ts';
import { endpointRoutes } from './routes/endpoints.ts';
import { eventRoutes, manageEventRoutes } from './routes/events.ts';
import { invitationRoutes } from './routes/invitations.ts';
import { keyRoutes, manageKeyRoutes } from './routes/keys.ts';
import { leakedKeyRoutes } from './routes/leaked-keys.ts';
import { ledgerRoutes } from './routes/ledger.ts';
import { mailRoutes } from './routes/mails.ts';
import { memberRoutes } from './routes/members.ts';
import { projectRoutes, manageProjectRoutes } from './routes/projects.ts';
import { requestRoutes, manageRequestRoutes } from './routes/request-search.ts';
import { sessionRoutes } from './routes/session.ts';
import { tokenRoutes, manageTokenRoutes } from './routes/tokens.ts';
import { usageRoutes, manageUsageRoutes } from './routes/usage.ts';
import { ownRequests } from './request/same-origin.ts';
import { addAll } from './serve/serve.ts';
import { signInRoutes } from './routes/sign-in.ts';
import { renderManageProblem } from './request/manage-problems.ts';

const ROUTES = [
  ...signInRoutes,
  ...sessionRoutes,
  ...accountRoutes,
  ...invitationRoutes,
  ...memberRoutes,
  ...mailRoutes,
  ...auditRoutes,
  ...endpointRoutes,
  ...tokenRoutes,
  ...attentionRoutes,
  ...projectRoutes,
  ...keyRoutes,
  ...eventRoutes,
  ...requestRoutes,
  ...chargeRoutes,
  ...leakedKeyRoutes,
  ...usageRoutes,
  ...ledgerRoutes,
];

/**
 * The portal's API (`contract/`). It refuses in this order: an unknown path or method, a request that is not
 * from the portal's own page, then what each route requires.
 */
export function portalApp(dependencies: PortalDependencies): Hono<PortalEnvironment> {
  const app = new Hono<PortalEnvironment>();
  app.onError(renderProblem);
  const { gatewayUrl, portalOrigin } = dependencies;
  app.use(requestContext(dependencies), knownRoutes(app, gatewayUrl), noTokens(gatewayUrl), ownRequests(portalOrigin));
  addAll(app, ROUTES, dependencies);
  return app;
}

const MANAGE_ROUTES = [
  ...manageTokenRoutes,
  ...manageProjectRoutes,
  ...manageKeyRoutes,
  ...manageEventRoutes,
  ...manageRequestRoutes,
  ...manageUsageRoutes,
];

/**
 * The management API (`contract/manage.ts`), for programs with a token. It refuses in this order: an unknown path or
 * method, the token, its scope, the input, what is of others, and the rate.
 */
export function manageApp(dependencies: PortalDependencies): Hono<PortalEnvironment> {
  const app = new Hono<PortalEnvironment>();
  app.onError(renderManageProblem);
  app.use(requestContext(dependencies), knownRoutes(app));
  addAll(app, MANAGE_ROUTES, dependencies);
  return app;
}

/** The portal's function: the API of its page, and the one for programs, which share no authentication. */
export const portalFunction = (dependencies: PortalDependencies): Fetching =>
  byPath(portalApp(dependencies), manageApp(dependencies));

type Fetching = Pick<Hono<PortalEnvironment>, 'fetch'>;

/** The two as one. */
export const byPath = (page: Fetching, manage: Fetching): Fetching => ({
  fetch: (request, ...rest) =>
    (new URL(request.url).pathname.startsWith(PORTAL_PREFIXES.manage) ? manage : page).fetch(request, ...rest),
});

import { Hono } from 'hono';
import { PORTAL_PREFIXES } from '../shared/names.ts';
import { accountRoutes } from './routes/accounts.ts';
import { attentionRoutes } from './routes/attention.ts';
import { auditRoutes } from './routes/audit.ts';
import { chargeRoutes } from './routes/charges.ts';
import { endpointRoutes, type EndpointDependencies } from './routes/endpoints.ts';
import type { PortalEnvironment } from './hono-context.ts';
import { eventRoutes } from './routes/events.ts';
import { invitationRoutes } from './routes/invitations.ts';
import { keyRoutes } from './routes/keys.ts';
import { knownRoutes } from './known-routes.ts';
import { manageApp } from './manage/app.ts';
import { leakedKeyRoutes, type LeakedKeyDependencies } from './routes/leaked-keys.ts';
import { ledgerRoutes, type LedgerDependencies } from './routes/ledger.ts';
import { mailRoutes } from './routes/mails.ts';
import { memberRoutes } from './routes/members.ts';
import { noTokens } from './no-tokens.ts';
import { renderProblem } from './problems.ts';
import { profileRoutes } from './routes/profile.ts';
import { projectRoutes, type ProjectDependencies } from './routes/projects.ts';
import { requestContext, type RequestContextDependencies } from './request-context.ts';
import { requestRoutes } from './routes/request-search.ts';
import { ownRequests } from './same-origin.ts';
import { sessionRoutes, type SessionDependencies } from './session/routes.ts';
import { tokenRoutes } from './routes/tokens.ts';
import { usageRoutes } from './routes/usage.ts';
import { signInRoutes, type SignInDependencies } from './sign-in/routes.ts';

export type PortalDependencies = RequestContextDependencies &
  SignInDependencies &
  SessionDependencies &
  ProjectDependencies &
  EndpointDependencies &
  LeakedKeyDependencies &
  LedgerDependencies;

/**
 * The portal's API (`contract/`). It refuses in this order: an unknown path or method, a request that is not
 * from the portal's own page, then what each route requires.
 */
export function portalApp(dependencies: PortalDependencies): Hono<PortalEnvironment> {
  const app = new Hono<PortalEnvironment>();
  app.onError(renderProblem);
  const { gatewayUrl, portalOrigin } = dependencies;
  app.use(requestContext(dependencies), knownRoutes(app, gatewayUrl), noTokens(gatewayUrl), ownRequests(portalOrigin));
  signInRoutes(app, dependencies);
  sessionRoutes(app, dependencies);
  profileRoutes(app, dependencies);
  accountRoutes(app, dependencies);
  invitationRoutes(app, dependencies);
  memberRoutes(app, dependencies);
  mailRoutes(app, dependencies);
  auditRoutes(app, dependencies);
  endpointRoutes(app, dependencies);
  tokenRoutes(app, dependencies);
  attentionRoutes(app, dependencies);
  projectRoutes(app, dependencies);
  keyRoutes(app, dependencies);
  leakedKeyRoutes(app, dependencies);
  eventRoutes(app, dependencies);
  requestRoutes(app, dependencies);
  chargeRoutes(app, dependencies);
  usageRoutes(app, dependencies);
  ledgerRoutes(app, dependencies);
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

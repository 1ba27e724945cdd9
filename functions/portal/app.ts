import { Hono, type MiddlewareHandler } from 'hono';
import { accountRoutes } from './accounts.ts';
import { attentionRoutes } from './attention.ts';
import { auditRoutes } from './audit.ts';
import { chargeRoutes } from './charges.ts';
import { declares, declarationOf, type Declaration } from './declares.ts';
import { endpointRoutes, type EndpointDependencies } from './endpoints.ts';
import type { PortalEnvironment } from './environment.ts';
import { eventRoutes } from './events.ts';
import { invitationRoutes } from './invitations.ts';
import { keyRoutes } from './keys.ts';
import { leakedKeyRoutes, type LeakedKeyDependencies } from './leaked-keys.ts';
import { ledgerRoutes, type LedgerDependencies } from './ledger.ts';
import { mailRoutes } from './mails.ts';
import { memberRoutes } from './members.ts';
import { renderProblem } from './problems.ts';
import { profileRoutes } from './profile.ts';
import { projectRoutes, type ProjectDependencies } from './projects.ts';
import { requestContext, type RequestContextDependencies } from './request-context.ts';
import { requestRoutes } from './requests.ts';
import { ownRequests } from './same-origin.ts';
import { sessionRoutes, type SessionDependencies } from './session/routes.ts';
import { usageRoutes } from './usage.ts';
import { signInRoutes, type SignInDependencies } from './sign-in/routes.ts';
import { PortalError } from './errors.ts';

export type PortalDependencies = RequestContextDependencies &
  SignInDependencies &
  SessionDependencies &
  ProjectDependencies &
  EndpointDependencies &
  LeakedKeyDependencies &
  LedgerDependencies;

/**
 * The portal's API (portal/openapi.yaml). It refuses in this order: an unknown path or method, a request that is not
 * from the portal's own page, then what each route requires.
 */
export function portalApp(dependencies: PortalDependencies): Hono<PortalEnvironment> {
  const app = new Hono<PortalEnvironment>();
  app.onError(renderProblem);
  app.use(requestContext(dependencies), knownRoutes(app), ownRequests(dependencies.portalOrigin));
  app.get('/api/sign-in', declares({ writes: [] }));
  app.get(
    '/api/sign-in/callback',
    declares({ writes: ['IDENTITY/IDENTITY', 'USER/SESSION', 'USER/USER', 'USED/REMAINDER', 'USED/SIGN-INS'] }),
  );
  signInRoutes(app, dependencies);
  sessionRoutes(app, dependencies);
  profileRoutes(app, dependencies);
  accountRoutes(app, dependencies);
  invitationRoutes(app, dependencies);
  memberRoutes(app, dependencies);
  mailRoutes(app, dependencies);
  auditRoutes(app, dependencies);
  endpointRoutes(app, dependencies);
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

/** A route of the portal, with its path as in the contract: `/api/accounts/{accountId}`. */
export interface PortalRoute {
  readonly method: string;
  readonly path: string;
  readonly declaration: Declaration;
}

/** The declared routes of an app, in order. */
export const routesOf = ({ routes }: Hono<PortalEnvironment>): PortalRoute[] =>
  routes.flatMap(({ method, path, handler }) => {
    const declaration = declarationOf(handler);
    return declaration ? [{ method, path: path.replaceAll(/:(\w+)/g, '{$1}'), declaration }] : [];
  });

/**
 * Refuses unknown requests before anything else: 404 for an unknown path, 405 with `Allow` for a known one. HEAD is a
 * 405 too: Hono would treat it as a GET, and a GET to the sign-in has effects.
 */
function knownRoutes(app: Hono<PortalEnvironment>): MiddlewareHandler<PortalEnvironment> {
  const patternOf = (path: string) => new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`);
  let known: { method: string; path: string; pattern: RegExp }[] | undefined;
  return async (c, next) => {
    known ??= routesOf(app).map(({ method, path }) => ({ method, path, pattern: patternOf(path) }));
    const matching = known.filter(({ pattern }) => pattern.test(c.req.path));
    if (matching.length === 0) throw new PortalError('NOT_FOUND');
    const route = matching.find(({ method }) => method === c.req.method);
    if (!route) {
      const methods = matching.map(({ method }) => method);
      throw new PortalError('METHOD_NOT_ALLOWED', { headers: { Allow: methods.join(', ') } });
    }
    c.get('state').route = `${route.method} ${route.path}`;
    await next();
  };
}

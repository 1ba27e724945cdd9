import { Hono } from 'hono';
import { accountRoutes } from './accounts.ts';
import { auditRoutes } from './audit.ts';
import { declares } from './declares.ts';
import type { PortalEnvironment } from './environment.ts';
import { eventRoutes } from './events.ts';
import { keyRoutes } from './keys.ts';
import { knownRoutes } from './known-routes.ts';
import { memberRoutes } from './members.ts';
import { renderProblem } from './problems.ts';
import { profileRoutes } from './profile.ts';
import { projectRoutes, type ProjectDependencies } from './projects.ts';
import { requestContext, type RequestContextDependencies } from './request-context.ts';
import { ownRequests } from './same-origin.ts';
import { sessionRoutes, type SessionDependencies } from './session/routes.ts';
import { usageRoutes, type UsageDependencies } from './usage.ts';
import { signInRoutes, type SignInDependencies } from './sign-in/routes.ts';

export type PortalDependencies = RequestContextDependencies &
  SignInDependencies &
  SessionDependencies &
  ProjectDependencies &
  UsageDependencies;

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
  memberRoutes(app, dependencies);
  auditRoutes(app, dependencies);
  projectRoutes(app, dependencies);
  keyRoutes(app, dependencies);
  eventRoutes(app, dependencies);
  usageRoutes(app, dependencies);
  return app;
}

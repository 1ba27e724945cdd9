import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { buildApp } from '../lib/portal-app/app-build.ts';
import { ENVIRONMENT, PORTAL_ENVIRONMENT, PORTAL_PREFIXES } from '../functions/shared/names.ts';
import { API_HEADERS } from '../lib/portal/page-headers.ts';
import { functionServer, type FunctionServer, type Handler } from './http-server.ts';
import { identityProvider } from './identity/provider.ts';
import { LOCAL_ISSUER } from './identity/people.ts';
import { close, listen, listenOnBoth } from './listening.ts';
import type { Pages } from './docs.ts';
import { readApp } from '../lib/portal-app/app-files.ts';
import { portalPages } from './portal-pages.ts';
import { withSafariCookies } from './safari.ts';
import { portError, type Environment, type LocalSettings } from './settings.ts';

const CLIENT_ID = 'portal';
const CALLBACK_PATH = '/api/sign-in/callback';
/** The routes of the HTTP API of the portal, by the beginning of the path. */
const routeKeyOf = (path = ''): string | undefined => {
  const prefix = Object.values(PORTAL_PREFIXES).find((one) => path.startsWith(one));
  return prefix && `ANY ${prefix}{proxy+}`;
};

/** The portal and its OpenID provider, listening. */
export interface LocalPortal {
  /** Always with the name `localhost`: the provider's `127.0.0.1` is another site. */
  readonly origin: string;
  /** The variables of the portal's function. */
  readonly functionEnvironment: Environment;
  /** Resolves when the provider serves, and the app is built. */
  readonly ready: Promise<unknown>;
  /** Finishes the requests in flight; those to the provider last, because the portal calls it. */
  drain(timeoutMs: number): Promise<void>;
}

/**
 * Starts the portal, its pages and its function instead of API Gateway, and the provider. Throws `SettingsError` when a
 * port is taken.
 */
export async function startPortal(
  { port, identityPort }: NonNullable<LocalSettings['portal']>,
  handler: Promise<Handler>,
  { dataDirectory, gatewayUrl }: { readonly dataDirectory: string | undefined; readonly gatewayUrl: string },
): Promise<LocalPortal> {
  let servePages: Pages = () => undefined;
  const servers = [0, 1].map(() =>
    functionServer(
      (_method, path) => ({
        routeKey: routeKeyOf(path) ?? '$default',
        handler: handler.then(behindCloudFront).then(withSafariCookies),
      }),
      (request) => (routeKeyOf(request.url) === undefined ? servePages(request) : undefined),
    ),
  ) as [FunctionServer, FunctionServer];
  const found = await listenOnBoth(servers[0].server, servers[1].server, port).catch((error: unknown) => {
    throw portError('PORTAL_PORT', port, error);
  });
  const origin = `http://localhost:${found}`;
  const app = buildApp().then(readApp);
  servePages = portalPages(app, origin, gatewayUrl);

  const identity = createServer();
  const issuer = `http://127.0.0.1:${await listen(identity, identityPort).catch((error: unknown) => {
    throw portError('IDENTITY_PORT', identityPort, error);
  })}`;
  const clientSecret = randomBytes(32).toString('base64url');
  const client = { clientId: CLIENT_ID, clientSecret, portalOrigin: origin, redirectUri: origin + CALLBACK_PATH };
  const provider = identityProvider(issuer, client, dataDirectory);
  identity.on('request', (request, response) => {
    void provider.then((serve) => serve(request, response));
  });

  return {
    origin,
    functionEnvironment: {
      [ENVIRONMENT.portalOrigin]: origin,
      [PORTAL_ENVIRONMENT.gatewayUrl]: gatewayUrl,
      [PORTAL_ENVIRONMENT.oidcIssuer]: issuer,
      [PORTAL_ENVIRONMENT.oidcIssuerLabel]: LOCAL_ISSUER,
      [PORTAL_ENVIRONMENT.oidcClientId]: CLIENT_ID,
      [PORTAL_ENVIRONMENT.oidcClientSecret]: clientSecret,
    },
    ready: Promise.all([provider, app]),
    drain: async (timeoutMs) => {
      await Promise.all(servers.filter(({ server }) => server.listening).map((server) => server.drain(timeoutMs)));
      await close(identity);
    },
  };
}

/** The function behind CloudFront, which adds headers to all answers. */
const behindCloudFront =
  (handler: Handler): Handler =>
  async (...request) => {
    const answer = await handler(...request);
    return { ...answer, headers: { ...answer.headers, ...API_HEADERS } };
  };

import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { KeyPrefixes } from '../functions/shared/settings/key-prefixes.ts';
import { buildApp } from '../portal/build/app-build.ts';
import {
  ENVIRONMENT,
  LIMITED_ROUTES,
  PORTAL_ENVIRONMENT,
  PORTAL_PREFIXES,
  routeKeyOf,
  SIGN_IN_CALLBACK,
} from '../functions/shared/names.ts';
import { API_HEADERS, CACHING, pageHeaders } from '../lib/portal/page-headers.ts';
import { functionServer, type Dispatch, type FunctionServer, type Handler, type Pages } from './http-server.ts';
import { identityProvider } from './identity/provider.ts';
import { LOCAL_ISSUER } from './identity/people.ts';
import { close, listen, listenOnBoth } from './listening.ts';
import { SECURITY_PATH, securityText } from '../lib/portal/security-text.ts';
import { readApp, isFile, PAGE, servedAs, type AppFiles } from '../lib/portal/app-files.ts';
import { rateLimit, THROTTLED } from './rate-limit.ts';
import { portError, type Environment, type LocalSettings } from './settings.ts';
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';

const CLIENT_ID = 'portal';
const LIMITED: ReadonlySet<string> = new Set(LIMITED_ROUTES.map(routeKeyOf));
/** The routes of the HTTP API of the portal. */
const portalRouteOf = (method = '', path = ''): string | undefined => {
  const limited = routeKeyOf({ method, path });
  if (LIMITED.has(limited)) return limited;
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

interface PortalOptions {
  readonly dataDirectory: string | undefined;
  readonly gatewayUrl: string;
  /** Whom people may ask. Empty: nobody. */
  readonly supportUrl: string | undefined;
  readonly keyPrefixes: KeyPrefixes;
}

/**
 * Starts the portal, its pages and its function instead of API Gateway, and the provider. Throws `SettingsError` when a
 * port is taken.
 */
export async function startPortal(
  { port, identityPort }: NonNullable<LocalSettings['portal']>,
  handler: Promise<Handler>,
  { dataDirectory, gatewayUrl, supportUrl = '', keyPrefixes }: PortalOptions,
): Promise<LocalPortal> {
  let servePages: Pages = () => undefined;
  const passes = new Map(LIMITED_ROUTES.map((route) => [routeKeyOf(route), rateLimit(route.limit)]));
  const dispatch: Dispatch = (method, path) => {
    const routeKey = portalRouteOf(method, path) ?? '$default';
    const isThrottled = passes.get(routeKey)?.() === false;
    const answering = isThrottled ? Promise.resolve(THROTTLED) : handler;
    return { routeKey, handler: answering.then(behindCloudFront).then(withSafariCookies) };
  };
  const servers = [0, 1].map(() =>
    functionServer(dispatch, (request) =>
      portalRouteOf(request.method, request.url) === undefined ? servePages(request) : undefined,
    ),
  ) as [FunctionServer, FunctionServer];
  const found = await listenOnBoth(servers[0].server, servers[1].server, port).catch((error: unknown) => {
    throw portError('PORTAL_PORT', port, error);
  });
  const origin = `http://localhost:${found}`;
  const app = buildApp()
    .then(readApp)
    .then((files) =>
      supportUrl === ''
        ? files
        : new Map([
            ...files,
            [SECURITY_PATH, Buffer.from(securityText(supportUrl, keyPrefixes.join(','), Date.now()))],
          ]),
    );
  servePages = portalPages(app, origin, gatewayUrl);

  const identity = createServer();
  const issuer = `http://127.0.0.1:${await listen(identity, identityPort).catch((error: unknown) => {
    throw portError('IDENTITY_PORT', identityPort, error);
  })}`;
  const clientSecret = randomBytes(32).toString('base64url');
  const client = {
    clientId: CLIENT_ID,
    clientSecret,
    portalOrigin: origin,
    redirectUri: origin + SIGN_IN_CALLBACK.path,
  };
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

const METHODS = ['GET', 'HEAD'];
const TEXT = 'text/plain; charset=utf-8';

/**
 * The portal's app as CloudFront serves it: its files, 404 for a missing file, and the page for every
 * other path, so that each view has its own address.
 */
function portalPages(app: Promise<AppFiles>, portalOrigin: string, gatewayOrigin: string): Pages {
  const { host, port } = new URL(portalOrigin);
  const otherNames = [`127.0.0.1:${port}`, `[::1]:${port}`];
  const common = pageHeaders(gatewayOrigin);

  const text = (statusCode: number, body: string, headers: Readonly<Record<string, string>> = {}) => ({
    statusCode,
    headers: { ...common, 'Content-Type': TEXT, 'Cache-Control': CACHING.page, ...headers },
    body,
  });

  const answer = async ({
    url = '/',
    method = '',
    headers,
  }: IncomingMessage): Promise<APIGatewayProxyStructuredResultV2> => {
    // Cookies belong to one name of this machine: a sign-in under another name would fail.
    if (otherNames.includes(headers.host ?? '')) return text(307, '', { Location: portalOrigin + url });
    // A page under a name that another person's DNS points to this machine could read this page (DNS rebinding).
    if (headers.host !== host) return text(403, `The portal is at ${portalOrigin} only.\n`);
    if (!METHODS.includes(method)) return text(405, 'This page can only be read.\n', { Allow: METHODS.join(', ') });
    const files = await app;
    const [path = '/'] = url.split('?', 1);
    const found = files.has(path) ? path : PAGE;
    if (isFile(path) && found !== path) return text(404, 'There is no such file.\n');
    const { type, caching } = servedAs(found);
    return {
      statusCode: 200,
      headers: { ...common, 'Content-Type': type, 'Cache-Control': caching },
      body: (files.get(found) ?? Buffer.alloc(0)).toString('base64'),
      isBase64Encoded: true,
    };
  };
  return answer;
}

/** The prefix of the portal's cookies, which asks for a secure connection (functions/portal/request/cookies.ts). */
const PREFIX = '__Host-Http-';
const SAFARI_PREFIX = 'safari-';
/** Safari and other WebKit browsers name no Chrome. */
const SAFARI = /^(?!.*(?:Chrome|Chromium)\/).*Safari\//;

/**
 * Safari takes no secure cookie from http://localhost, so it gets the portal's cookies under names without the prefix,
 * and without `Secure`. This is for `npm start` alone: other browsers, and every deployed stage, keep both.
 */
const withSafariCookies =
  (handler: Handler): Handler =>
  async (event, context) => {
    if (!SAFARI.test(event.requestContext.http.userAgent)) return handler(event, context);
    const sent = event.cookies?.map((cookie) =>
      cookie.startsWith(SAFARI_PREFIX) ? PREFIX + cookie.slice(SAFARI_PREFIX.length) : cookie,
    );
    const answer = await handler({ ...event, ...(sent && { cookies: sent }) }, context);
    const cookies = answer.cookies?.map((cookie) => cookie.replace(PREFIX, SAFARI_PREFIX).replace('; Secure', ''));
    return { ...answer, ...(cookies && { cookies }) };
  };

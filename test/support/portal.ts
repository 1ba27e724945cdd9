import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes, randomUUID } from 'node:crypto';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { AccountStore } from '../../functions/accounts/store/account-store.ts';
import { DEFAULT_LIMITS, type Limits } from '../../functions/accounts/store/limits.ts';
import type { SessionLimits } from '../../functions/accounts/people/sessions.ts';
import { byPath, portalApp, manageApp } from '../../functions/portal/app.ts';
import { lambdaHandler } from '../../functions/portal/request/lambda.ts';
import { fixedSecret, type ClientSecret } from '../../functions/portal/provider/client-secret.ts';
import { openIdProvider, type OpenIdProvider } from '../../functions/portal/provider/provider.ts';
import { personOf } from '../../local/identity/people.ts';
import { ledBack, TRUSTING } from './changes/provider.ts';
import { localKeyTagSecrets } from './keys.ts';
import { testDatabase } from './database.ts';
import type { Deadline } from '../../functions/shared/deadline.ts';
import { testDeadline } from './deadline.ts';
import { httpEvent } from './http.ts';
import { CookieJar, signInAtProvider, type TestProvider } from './identity.ts';
import type { ReceivedResponse } from '../../local/openapi/validation.ts';
import { assertPortalDocumented } from './openapi-validation.ts';
import { noteKeys, noteSecret } from './secrets/journal.ts';
import { noteAttempt, noteSignIn } from './secrets/sign-in.ts';
import { onWrites } from './written-items.ts';
import { testClock, testPortalTelemetry, type TestClock } from './reports.ts';
import type { QuotaPeriod } from '../../functions/shared/time.ts';
import { MINUTE_MS } from './times.ts';

/** A response of the portal that a test has read. */
export interface PortalAnswer extends ReceivedResponse {
  readonly cookies: readonly string[];
}

/** The address of the portal in these tests. */
export const PORTAL = 'https://portal.example.com';
export const GATEWAY = 'https://gateway.example.com';

export interface PortalRequest {
  readonly method?: string;
  readonly path: string;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** A text is sent unchanged, anything else as JSON; undefined: no body. */
  readonly body?: unknown;
  readonly cookies?: readonly string[];
}

export interface PortalOptions {
  readonly clock?: TestClock;
  readonly limits?: Limits;
  readonly sessionLimits?: SessionLimits;
  /** Default: the provider's. */
  readonly clientSecret?: ClientSecret;
  /** Starts the deadline of each request; default: none. */
  readonly startDeadline?: () => Deadline;
  /** Waits between attempts; default: not at all. */
  readonly sleep?: AccountStore['sleep'];
  /** The secrets of key tags and of sign-in attempts; default: those of `npm start`. */
  readonly keyTagSecrets?: AccountStore['keyTagSecrets'];
  /** Default: the stage sends mail. */
  readonly hasMail?: boolean;
  readonly quotaPeriod?: QuotaPeriod;
}

/** The portal's function on the real engine, with its own clock and a real provider, or a substitute. */
export function testPortal(
  provider: TestProvider | OpenIdProvider,
  {
    clock = testClock(),
    // With a fixed clock all sign-ins of a test are in one minute.
    limits = { ...DEFAULT_LIMITS, signInsPerMinute: 1_000 },
    sessionLimits = { idleMs: 120 * MINUTE_MS, absoluteMs: 720 * MINUTE_MS },
    clientSecret,
    startDeadline = () => testDeadline(),
    sleep = () => Promise.resolve(),
    keyTagSecrets = localKeyTagSecrets,
    hasMail = true,
    quotaPeriod = 'month',
  }: PortalOptions = {},
) {
  // The function has the permissions of its policy, and the tests may do anything.
  const { client, documents, tables } = testDatabase('portal');
  const operator = testDatabase();
  const telemetry = testPortalTelemetry();
  const store: AccountStore = {
    client: documents,
    tables,
    clock,
    randomBytes,
    newId: randomUUID,
    random: () => 0,
    sleep,
    actor: () => Promise.reject(new Error('a change in nobody’s name')),
    keyTagSecrets,
    quotaPeriod: () => quotaPeriod,
  };
  const writing = new AsyncLocalStorage<Set<string>>();
  onWrites(client, ({ pk, sk }, operation) => {
    const kind = `${pk.split('#')[0]}/${sk.split('#')[0]}`;
    // An update of only the session or token records its last use, which any request with it may do.
    if ((kind !== 'USER/SESSION' && kind !== 'TOKEN/TOKEN') || operation !== 'UpdateItem')
      writing.getStore()?.add(kind);
  });
  const dependencies = {
    clock,
    randomBytes,
    telemetry,
    store,
    limits,
    startDeadline,
    sessionLimits,
    portalOrigin: PORTAL,
    gatewayUrl: GATEWAY,
    stage: 'dev',
    hasMail,
    quotaPeriod,
    usageRetentionDays: 400,
    defaults: { rpm: 60, quotaUnits: 10_000 },
    provider: 'authenticate' in provider ? provider : providerOf(provider, clientSecret),
  };
  const [app, manage] = [portalApp(dependencies), manageApp(dependencies)];
  const handler = lambdaHandler(byPath(app, manage));
  const call = async (event: APIGatewayProxyEventV2): Promise<PortalAnswer> => {
    const result = await handler(event);
    const text = result.body ?? '';
    const isJson = String(result.headers?.['content-type']).endsWith('json');
    noteKeys(text);
    return {
      status: result.statusCode ?? 0,
      headers: Object.fromEntries(
        Object.entries(result.headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)]),
      ),
      cookies: result.cookies ?? [],
      body: text === '' ? undefined : isJson ? (JSON.parse(text) as unknown) : text,
      text,
    };
  };
  const eventOf = ({ method = 'GET', path, query = '', headers = {}, body = null, cookies = [] }: PortalRequest) =>
    httpEvent({ method, path, query, headers, body, cookies: [...cookies] });
  const send = async (request: PortalRequest): Promise<PortalAnswer> => {
    const written = new Set<string>();
    const answer = await writing.run(written, () => call(eventOf(request)));
    assertWritesOfRead(request, written);
    const cookies = answer.cookies.length > 0 && { 'set-cookie': answer.cookies.join(', ') };
    assertPortalDocumented(request, { ...answer, headers: { ...answer.headers, ...cookies } });
    return answer;
  };
  /** Sends an event with parts that differ from API Gateway's; undefined: no event at all. */
  const sendEvent = (changed: object | undefined): Promise<PortalAnswer> =>
    call((changed && { ...eventOf({ path: '/api/session' }), ...changed }) as APIGatewayProxyEventV2);
  return {
    sendEvent,
    app,
    manage,
    client,
    store: { ...store, client: operator.documents },
    /** The store in the hands of the platform team. */
    operator: { ...store, client: operator.documents, actor: () => Promise.resolve('operator') },
    /** The store of the function itself, for tests that interfere. */
    own: { store },
    clock,
    telemetry,
    send,
    /** A browser that has these cookies, such as that of a session. */
    browser: (cookies: readonly string[] = []) => testBrowser(send, cookies),
  };
}
export type TestPortal = ReturnType<typeof testPortal>;

/** A read writes its count, and sums of usage; the callback of a sign-in makes a session. */
const WRITTEN_BY_READS = /^(USED\/READS|ROLLUP\/(DAY|HOUR|PART))$/;
function assertWritesOfRead({ method = 'GET', path }: PortalRequest, kinds: ReadonlySet<string>): void {
  const isRead = method === 'GET' ? path !== '/api/sign-in/callback' : path.endsWith('/charges/lookup');
  const wrong = [...kinds].filter((kind) => isRead && !WRITTEN_BY_READS.test(kind));
  if (wrong.length > 0) throw new Error(`is written by a read, ${method} ${path}: ${wrong.join(', ')}`);
}

/**
 * Different for each run of a test file: the same address is then another person, though several runs share an engine.
 */
const issuerLabel = `tests ${randomUUID()}`;
const providerOf = (provider: TestProvider, clientSecret = fixedSecret(provider.clientSecret)): OpenIdProvider =>
  openIdProvider({ ...provider, clientSecret, issuerLabel, trustEmail: false });

/** A browser at the portal's own page: it stores cookies and sends the headers of that origin. */
function testBrowser(send: (request: PortalRequest) => Promise<PortalAnswer>, cookies: readonly string[]) {
  const jar = new CookieJar();
  jar.take(cookies);
  const atProvider = new CookieJar();
  const request = async (
    method: string,
    path: string,
    options: Omit<PortalRequest, 'method' | 'path'> = {},
  ): Promise<PortalAnswer> => {
    const isChange = method !== 'GET';
    const headers = {
      'sec-fetch-site': 'same-origin',
      ...(isChange && { 'content-type': 'application/json', origin: PORTAL }),
      ...options.headers,
    };
    const answer = await send({ cookies: jar.list(), ...options, method, path, headers });
    jar.take(answer.cookies);
    noteSecret('secret of a session', jar.cookies.get('__Host-Http-session')?.split('.')[1] ?? '');
    return answer;
  };
  const navigate = (url: URL): Promise<PortalAnswer> => {
    noteSignIn(url);
    return request('GET', url.pathname, { query: url.search.slice(1), headers: { 'sec-fetch-site': 'cross-site' } });
  };
  const begin = async (returnTo?: string): Promise<string> => {
    const query = returnTo === undefined ? '' : new URLSearchParams({ returnTo }).toString();
    const { headers } = await request('GET', '/api/sign-in', { query });
    noteSignIn(headers.location);
    for (const cookie of jar.list()) noteAttempt(cookie);
    return headers.location ?? '';
  };
  const atTheProvider = (location: string, email: string): Promise<URL> => {
    noteSecret('e-mail address', email);
    const person = personOf(email);
    if (!person || !location.startsWith(TRUSTING)) return signInAtProvider(location, PORTAL, email, atProvider);
    const { subject, name } = person;
    const profile = { email, emailVerified: true, name };
    return Promise.resolve(ledBack(location, { subject: `${issuerLabel} ${subject}`, profile }));
  };
  return {
    jar,
    get: (path: string, query = '') => request('GET', path, { query }),
    post: (path: string, body?: unknown) => request('POST', path, { body }),
    patch: (path: string, body?: unknown) => request('PATCH', path, { body }),
    delete: (path: string, body?: unknown) => request('DELETE', path, { body }),
    request,
    navigate,
    begin,
    atTheProvider,
    /** Does the whole sign-in; the response is the one of the callback. */
    signIn: async (email: string, returnTo?: string) => navigate(await atTheProvider(await begin(returnTo), email)),
  };
}
export type TestBrowser = ReturnType<typeof testBrowser>;

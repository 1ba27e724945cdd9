import { signIn } from '../../accounts/people/identities.ts';
import { RefusedError, TooManyRequestsError } from '../../accounts/store/refusals.ts';
import type { RandomBytes } from '../../shared/ids.ts';
import { before } from '../../shared/deadline.ts';
import { StoreBusyError } from '../../shared/http/errors.ts';
import { sendCookie } from '../request/cookies.ts';
import { sessionContract } from '../contract/session.ts';
import type { PortalDependencies } from '../request/dependencies.ts';
import type { PortalContext } from '../request/hono-context.ts';
import { isFromElsewhere } from '../request/same-origin.ts';
import type { Served } from '../serve/serve.ts';
import { SESSION_COOKIE, sessionOf } from '../request/session-cookie.ts';
import { PORTAL_METRICS, SIGN_IN_CALLBACK } from '../../shared/names.ts';
import { forgetAttempt, isFirstAnswer, readAttempt, rememberAttempt } from './sign-in-attempt.ts';
import { SignInRefusedError } from '../provider/failures.ts';

/** The page that says that the sign-in failed, and offers another attempt. */
const FAILED = '/?signIn=failed';
/** The page that says that the person has signed in too often in this minute. */
const TOO_OFTEN = `${FAILED}&reason=tooOften`;
/** For state, nonce and verifier: 256 bits each (RFC 7636, section 7.1). */
const RANDOM_BYTES = 32;
/**
 * The longest ID token that is stored as the hint for the provider's sign-out. It is then part of an address. With it a
 * session stays below 4 kB, which each request reads as one unit.
 */
const MAX_ID_TOKEN_CHARACTERS = 3_700;

/** The sign-in at the OpenID provider: for everybody, with a session or without. */
export const signInRoutes: readonly Served[] = [
  { operation: sessionContract.startSignIn, handle: start },
  { operation: sessionContract.finishSignIn, handle: finish },
];

async function start(c: PortalContext, dependencies: PortalDependencies): Promise<Response> {
  const { portalOrigin, provider, store } = dependencies;
  const returnTo = readReturnTo(c.req.query('returnTo'), portalOrigin);
  // If another site's page began a sign-in, the `Strict` cookie would not be sent: there would be a second session,
  // or a new one after a sign-out. The portal's page offers the sign-in to a person who is not signed in.
  if (isFromElsewhere(c)) return c.redirect(returnTo, 303);
  const [state, nonce, codeVerifier] = [
    random(store.randomBytes),
    random(store.randomBytes),
    random(store.randomBytes),
  ];
  try {
    const url = await provider.authorizationUrl(portalOrigin + SIGN_IN_CALLBACK.path, { state, nonce, codeVerifier });
    rememberAttempt(c, state, { nonce, codeVerifier, returnTo, earlier: sessionOf(c) }, await held(c, dependencies));
    return c.redirect(url.href, 302);
  } catch (error) {
    return failed(c, dependencies, error);
  }
}

async function finish(c: PortalContext, dependencies: PortalDependencies): Promise<Response> {
  const { portalOrigin, provider, telemetry, store, sessionLimits, limits, startDeadline } = dependencies;
  const state = c.req.query('state') ?? '';
  try {
    const attempt = readAttempt(c, state, await held(c, dependencies));
    if (!attempt) throw new SignInRefusedError('this browser has not begun this sign-in');
    if (!isFirstAnswer(store, state)) throw new SignInRefusedError('this sign-in was answered before');
    const callbackUrl = new URL(SIGN_IN_CALLBACK.path + new URL(c.req.url).search, portalOrigin);
    const asked = provider.authenticate(callbackUrl, { state, ...attempt });
    const { identity, idToken } = await before(c.get('state').deadline, asked);
    // The provider may have used nearly all of the request's time, and the code is used up. So the store has its own
    // deadline.
    const { token, userId } = await signIn({ ...store, deadline: startDeadline() }, identity, {
      limits: sessionLimits,
      perMinute: limits.signInsPerMinute,
      earlier: attempt.earlier,
      browser: browserKind(c.req.header('user-agent')),
      idToken: idToken !== undefined && idToken.length <= MAX_ID_TOKEN_CHARACTERS ? idToken : undefined,
    });
    c.get('state').userId = userId;
    forgetAttempt(c, state);
    sendCookie(c, SESSION_COOKIE, token);
    telemetry.count(PORTAL_METRICS.signIns);
    return c.redirect(attempt.returnTo, 303);
  } catch (error) {
    return failed(c, dependencies, error);
  }
}

function failed(c: PortalContext, { telemetry }: PortalDependencies, cause: unknown): Response {
  const isTooOften = cause instanceof TooManyRequestsError;
  const isRefused = cause instanceof SignInRefusedError || isOfThePerson(cause);
  telemetry.count(isRefused ? PORTAL_METRICS.signInsRefused : PORTAL_METRICS.signInsFailed);
  const { requestId } = c.get('state');
  // Anybody can bring about refusals, so each is one short line.
  if (isRefused) telemetry.refused('A sign-in was refused.', requestId, cause);
  else telemetry.warn('A sign-in failed.', requestId, cause);
  return c.redirect(isTooOften ? TOO_OFTEN : FAILED, 303);
}

/** The values to check attempts with: the time of the request, and the secrets of the stage. */
const held = async (c: PortalContext, { store }: PortalDependencies) => ({
  nowMs: c.get('state').receivedAtMs,
  secrets: await store.keyTagSecrets(),
});

/**
 * Whether the person was refused, or the sign-in had a conflict with another write. Its items belong to the person
 * alone, so the other writers are mostly the person's other sign-ins.
 */
const isOfThePerson = (cause: unknown): boolean =>
  cause instanceof RefusedError || (cause instanceof StoreBusyError && cause.met === 'conflict');

const random = (randomBytes: RandomBytes): string => Buffer.from(randomBytes(RANDOM_BYTES)).toString('base64url');

/**
 * The longest path that is stored, as in a URL. It is in a cookie, and browsers keep cookies of 4,096 bytes (RFC
 * 6265bis).
 */
const MAX_CHARACTERS = 1_000;
const HOME = '/';

/**
 * The portal's path to return to after the sign-in. It is the home page for anything else, including what a browser
 * would read as another site's address.
 */
export function readReturnTo(text: string | undefined, portalOrigin: string): string {
  if (!text?.startsWith('/')) return HOME;
  // Parsed as by a browser: backslashes are slashes; tabs and line ends are removed.
  const url = URL.canParse(text, portalOrigin) ? new URL(text, portalOrigin) : undefined;
  if (url?.origin !== portalOrigin) return HOME;
  const { pathname, search, hash } = url;
  // `/.//elsewhere` has the right origin, but is another site's address once its dots are resolved. The APIs have
  // no pages.
  if (pathname.startsWith('//') || /^\/(api|manage)(\/|$)/.test(pathname)) return HOME;
  // Checked here, because a non-ASCII character is up to six times as long in a URL.
  const path = pathname + search + hash;
  return path.length > MAX_CHARACTERS ? HOME : path;
}

/** The order matters: later browsers contain the names of earlier ones. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg/, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/(Chrome|Chromium|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\b(iPhone|iPad)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

/**
 * The kind of browser in a `User-Agent`, such as `Firefox on Linux`: enough for people to recognise their own sessions.
 * It contains no text of the header, which a caller can choose.
 */
export function browserKind(userAgent: string | undefined): string {
  const find = (kinds: typeof BROWSERS) => kinds.find(([pattern]) => pattern.test(userAgent ?? ''))?.[1];
  const [browser, system] = [find(BROWSERS), find(SYSTEMS)];
  return [browser ?? 'Another browser', ...(system === undefined ? [] : [system])].join(' on ');
}

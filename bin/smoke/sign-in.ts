import { isLoopbackHost } from '../../local/settings.ts';
import { deviation, expectHeader, expectValue, header, type Answer } from './expectations.ts';
import type { Run } from './run.ts';

const CALLBACK = '/api/sign-in/callback';
const FAILED = '/?signIn=failed';
/** 256 bits as base64url. */
const RANDOM = /^[\w-]{43}$/;
const ATTRIBUTES = ['HttpOnly', 'Max-Age=3600', 'Path=/', 'SameSite=Lax', 'Secure'];

/** Checks the way to the provider without a sign-in: its bindings, and that no other callback counts. */
export async function checkSignIn({ check, send }: Run, portalUrl: string): Promise<void> {
  await check('sign-in', async () => {
    const answer = await send({ method: 'GET', path: '/api/sign-in?returnTo=/team' });
    const { provider, state } = readRedirect(answer, portalUrl);
    expectCookie(answer, state);
    return `with PKCE, at ${provider}`;
  });
  await check('sign-in of another state', async () => {
    const states = [];
    for (let i = 0; i < 2; i++) {
      states.push(readRedirect(await send({ method: 'GET', path: '/api/sign-in' }), portalUrl).state);
    }
    if (states[0] === states[1]) throw deviation('state', 'a new one', states[1]);
    return 'each has its own';
  });
  await check('foreign callback', async () => {
    const answer = await send({ method: 'GET', path: `${CALLBACK}?code=never&state=${'0'.repeat(43)}` });
    expectValue('status', 303, answer.status);
    expectHeader(answer, 'Location', FAILED);
    expectHeader(answer, 'Set-Cookie', undefined);
    return 'sets nothing';
  });
}

/** The redirect's target and cookie. */
function readRedirect(answer: Answer, portalUrl: string): { provider: string; state: string } {
  expectValue('status', 302, answer.status);
  const url = URL.parse(header(answer, 'Location') ?? '');
  if (url === null) throw deviation('Location', "the provider's address", header(answer, 'Location'));
  const isSafe = url.protocol === 'https:' || isLoopbackHost(url.hostname);
  if (!isSafe || url.origin === portalUrl) throw deviation('Location', 'https at the provider', url.origin);
  const query = Object.fromEntries(url.searchParams);
  const expected = { response_type: 'code', code_challenge_method: 'S256', redirect_uri: portalUrl + CALLBACK };
  for (const [name, value] of Object.entries(expected)) expectValue(name, value, query[name]);
  for (const name of ['state', 'nonce', 'code_challenge']) {
    if (!RANDOM.test(query[name] ?? '')) throw deviation(name, '256 bits', query[name]);
  }
  if (!/(^| )openid( |$)/.test(query.scope ?? '')) throw deviation('scope', 'openid among others', query.scope);
  return { provider: url.origin, state: query.state ?? '' };
}

/** A cookie of this attempt, which no script can read and no neighbouring host can set. */
function expectCookie(answer: Answer, state: string): void {
  const [pair = '', ...attributes] = (header(answer, 'Set-Cookie') ?? '').split(/; */);
  expectValue('cookie', `__Host-Http-sign-in-${state}`, pair.split('=', 1)[0]);
  expectValue('cookie attributes', ATTRIBUTES.join('; '), attributes.sort().join('; '));
}

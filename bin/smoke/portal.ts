import { PACKAGES, servedAs } from '../../lib/portal/app-files.ts';
import { API_HEADERS, CACHING, CATALOG_PATH, pageHeaders } from '../../lib/portal/page-headers.ts';
import { deviation, expectAll, startRun } from './run.ts';

const FOREIGN = { Origin: 'https://foreign.invalid' };
const INDEX = `${PACKAGES}index.json`;
const CALLBACK = '/api/sign-in/callback';
/** A stage may also speak for the hosts below its domain. */
const TRANSPORT = new RegExp(`^${API_HEADERS['Strict-Transport-Security']}(; includeSubDomains)?$`);
const PAGE = { 'Content-Type': 'text/html', 'Cache-Control': CACHING.page, 'Strict-Transport-Security': TRANSPORT };
const OF_API = {
  ...{ ...API_HEADERS, 'Strict-Transport-Security': TRANSPORT, 'Access-Control-Allow-Origin': undefined },
  ...{ 'Content-Type': 'application/problem+json', 'Cache-Control': 'no-store' },
};
/** 256 bits as base64url. */
const RANDOM = /^[\w-]{43}$/;

/** Runs every check of a portal, in which nobody signs in. Throws an error of one line when there is no answer. */
export async function runPortalSmoke(url: string) {
  const { answers, answered, check, expectAnswer, report, send } = startRun(url);
  for (const [name, path] of [['page', '/'] as const, ['deep link', '/accounts/acc_0000000000000000/usage'] as const]) {
    await check(name, async () => {
      const answer = await send({ path });
      const [, gateway = ''] = /connect-src 'self' (\S+);/.exec(answer.headers['content-security-policy'] ?? '') ?? [];
      expectAll({ body: answer.text }, { body: answers[0]?.text });
      return expectAnswer(answer, '200', { ...pageHeaders(gateway), ...PAGE });
    });
  }
  const assets = answers[0]?.text.match(/\/assets\/[\w.-]+/g) ?? [];
  await check('files', () => {
    expectAll({ files: assets[0] }, { files: /./ });
    return `${assets.length} that the page names`;
  });
  for (const path of new Set([...assets, CATALOG_PATH, '/openapi.yaml', '/llms.txt', '/docs/errors.md'])) {
    const { type, caching } = servedAs(path);
    const headers = { 'Content-Type': type.replace(/;.*/, ''), 'Cache-Control': caching };
    await answered(path, { path }, '200', { ...headers, 'X-Content-Type-Options': 'nosniff' });
  }
  await answered(INDEX, { path: INDEX }, '200', { 'Content-Type': 'application/json', 'Cache-Control': CACHING.page });
  await check('packages', async () => {
    const { packages } = answers.at(-1)?.body as { packages: readonly { readonly file: string }[] };
    for (const { file } of packages) {
      const path = PACKAGES + file;
      const { type, caching } = servedAs(path);
      expectAnswer(await send({ path }), '200', { 'Content-Type': type, 'Cache-Control': caching });
      // Without its sum the address would get another content.
      expectAnswer(await send({ path: path.replace(/[^/]+\/(?=[^/]+$)/, '') }), '404', {});
    }
    return `${packages.length}, under addresses with their sums`;
  });
  await answered('missing file', { path: '/assets/never-00000000.js' }, '404', { 'Content-Type': /^(?!text\/html)/ });

  const [type, body, outside] = [{ 'Content-Type': 'application/json' }, '{}', { 'Sec-Fetch-Site': 'cross-site' }];
  const change = { method: 'POST', path: '/api/sign-out', body };
  for (const [name, outcome, request] of [
    ['nobody signed in', '401 NOT_SIGNED_IN', { path: '/api/session', headers: FOREIGN }],
    ['unknown path', '404 NOT_FOUND', { path: '/api/nowhere' }],
    ['wrong method', '405 METHOD_NOT_ALLOWED', { ...change, path: '/api/session', headers: type }],
    ['foreign origin', '403 CROSS_SITE_REQUEST', { ...change, headers: { ...type, ...FOREIGN } }],
    ['another site', '403 CROSS_SITE_REQUEST', { ...change, headers: { ...type, ...outside } }],
  ] as const) {
    await answered(name, request, outcome, OF_API);
  }

  await check('sign-in', async () => {
    const answer = await send({ path: '/api/sign-in?returnTo=/team' });
    const { location, 'set-cookie': cookie = '' } = answer.headers;
    expectAnswer(answer, '302', { Location: /^https:|^http:\/\/(127\.0\.0\.1|localhost|\[::1\])[:/]/ });
    const { searchParams, origin } = new URL(location ?? '');
    if (origin === url) throw deviation('Location', "the provider's", origin);
    const query = Object.fromEntries(searchParams);
    expectAll(query, { response_type: 'code', code_challenge_method: 'S256', redirect_uri: url + CALLBACK });
    expectAll(query, { state: RANDOM, nonce: RANDOM, code_challenge: RANDOM, scope: /(^| )openid( |$)/ });
    // Of this attempt: no script can read it, and no neighbouring host can set it.
    const [pair = '', ...attributes] = cookie.split(/; */);
    const wanted = 'HttpOnly; Max-Age=3600; Path=/; SameSite=Lax; Secure';
    expectAll({ name: pair.replace(/=.*/, '') }, { name: `__Host-Http-sign-in-${query.state}` });
    expectAll({ cookie: attributes.sort().join('; ') }, { cookie: wanted });
    return `with PKCE, at ${origin}`;
  });
  const path = `${CALLBACK}?code=never&state=${'0'.repeat(43)}`;
  await answered('foreign callback', { path }, '303', { Location: '/?signIn=failed', 'Set-Cookie': undefined });
  return report();
}

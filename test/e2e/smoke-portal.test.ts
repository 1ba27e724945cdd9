import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { runPortalSmoke } from '../../bin/smoke/portal.ts';
import { answered, deviatingGateway, drop, replace, set, where, type Deviate } from '../support/deviating-gateway.ts';
import { startPortalSite, type PortalSite } from '../support/portal-site.ts';
import { end, smoke } from '../support/processes.ts';

let portal: PortalSite;
beforeAll(async () => {
  portal = await startPortalSite();
});
afterAll(() => end(portal));

/** The names of the checks that fail if one thing of the portal is changed. */
async function failingWith(change: Deviate): Promise<string[]> {
  let url = '';
  const between = await deviatingGateway(portal.portalUrl, (answer, request) => {
    const { location } = answer.headers;
    // The provider redirects to the portal under the requested address.
    const [own, asked] = [portal.portalUrl, url].map(encodeURIComponent) as [string, string];
    if (location !== undefined) answer.headers.location = location.replaceAll(own, asked);
    change(answer, request);
  });
  ({ url } = between);
  const { checks } = await runPortalSmoke(url).finally(() => between.close());
  return checks.filter(({ status }) => status === 'fail').map(({ name }) => name);
}

test('a portal that keeps its contract passes, also where its stage speaks for hosts below its domain', async () => {
  const result = await smoke([`--portal=${portal.portalUrl}`]);
  expect([result.status, result.stderr]).toEqual([0, '']);
  expect(result.stdout).toMatch(/^ok {4}sign-in +with PKCE, at http:\/\/127\.0\.0\.1:\d+$/m);
  expect(result.stdout).toMatch(/\nPASSED: 2\d ok, 0 notes, 0 failed, 0 skipped\.\n$/);
  const wider: Deviate = ({ headers }) => {
    if ('strict-transport-security' in headers) headers['strict-transport-security'] += '; includeSubDomains';
  };
  expect(await failingWith(wider)).toEqual([]);
});

const on = (pattern: RegExp, change: Deviate): Deviate => where((_, { url = '' }) => pattern.test(url), change);
const API = ['nobody signed in', 'unknown path', 'wrong method', 'foreign origin', 'another site'];
const location = (pattern: RegExp, replacement: string): Deviate =>
  where(
    ({ headers }) => headers.location?.includes('code_challenge') === true,
    ({ headers }) => (headers.location &&= headers.location.replace(pattern, replacement)),
  );
const cookie =
  (pattern: RegExp, replacement: string): Deviate =>
  ({ headers }) =>
    (headers['set-cookie'] &&= headers['set-cookie'].replace(pattern, replacement));

test.each<[kind: string, change: Deviate, failing: string[]]>([
  ['a header of the pages', on(/^\/$/, drop('content-security-policy')), ['page']],
  ['a deep link with another page', on(/^\/accounts/, replace(/$/, ' ')), ['deep link']],
  ['the caching of a file', on(/^\/llms.txt/, set('cache-control', 'max-age=60')), ['/llms.txt']],
  ['the type of a file', on(/api-catalog/, set('content-type', 'text/html')), ['/.well-known/api-catalog']],
  ['a file that is gone', on(/errors\.md/, answered({ status: 404 })), ['/docs/errors.md']],
  ['a package under an address without its sum', on(/^\/clients\/[^/]+z$/, answered({ status: 200 })), ['packages']],
  ['the page in place of a missing file', on(/never-/, answered({ status: 200 })), ['missing file']],
  [
    'errors of the API that are made pages',
    on(
      /^\/api\/[^?]*$/,
      where(({ status }) => status >= 400, set('content-type', 'text/html')),
    ),
    API,
  ],
  ['answers of the API that may be framed', on(/^\/api\/[^?]*$/, drop('content-security-policy')), API],
  [
    'a change from another site',
    where(({ text }) => text.includes('CROSS_SITE_REQUEST'), answered({ status: 200, text: '{}' })),
    API.slice(3),
  ],
  [
    'another origin that may read',
    on(/^\/api\/session/, set('access-control-allow-origin', '*')),
    ['nobody signed in', 'wrong method'],
  ],
  ['a sign-in without PKCE', location(/code_challenge=[^&]*&?/, ''), ['sign-in']],
  ['a provider over plain http', location(/^http:\/\/127\.0\.0\.1:\d+/, 'http://login.example.com'), ['sign-in']],
  [
    'a sign-in that leads back elsewhere',
    location(/redirect_uri=[^&]*/, 'redirect_uri=https%3A%2F%2Fforeign.invalid'),
    ['sign-in'],
  ],
  ['a cookie that scripts can read', cookie(/; HttpOnly/, ''), ['sign-in']],
  ['a cookie that a neighbour can make', cookie(/^__Host-Http-/, ''), ['sign-in']],
  [
    'a callback that nobody began, and sets a session',
    on(/code=never/, set('set-cookie', '__Host-Http-session=x')),
    ['foreign callback'],
  ],
])('a deviation is noticed: %s', async (_kind, change, failing) => {
  expect(await failingWith(change)).toEqual(failing);
});

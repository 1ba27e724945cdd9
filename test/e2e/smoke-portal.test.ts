import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { runProgram } from '../../bin/cli/command-line.ts';
import { portalProgram, runPortalSmoke } from '../../bin/smoke/portal.ts';
import { unusedPort } from '../../local/database.ts';
import { inShell } from '../support/admin.ts';
import { answered, deviatingGateway, drop, replace, set, where, type Deviate } from '../support/deviating-gateway.ts';
import { startPortalSite, type PortalSite } from '../support/portal-site.ts';
import { end, smoke } from '../support/processes.ts';

const CHECKS = [
  ...['page', 'deep link', 'files', 'for programs', 'missing file', 'nobody signed in', 'unknown path', 'wrong method'],
  ...['change from another site', 'foreign origin', 'types', 'sign-in', 'sign-in of another state', 'foreign callback'],
];

let portal: PortalSite;
beforeAll(async () => {
  portal = await startPortalSite();
});
afterAll(() => end(portal));

const inProcess = (args: readonly string[]) =>
  inShell('bin/smoke.ts', (given, shell) => runProgram(portalProgram(), given, shell), args, {});

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
  try {
    const { checks } = await runPortalSmoke(url);
    return checks.filter(({ status }) => status === 'fail').map(({ name }) => name);
  } finally {
    between.close();
  }
}

describe('a portal that keeps its contract', () => {
  test('passes, as people read it', async () => {
    const result = await smoke(['--portal', portal.portalUrl]);
    expect([result.status, result.stderr]).toEqual([0, '']);
    expect(result.stdout).toMatch(/^ok {4}sign-in +with PKCE, at http:\/\/127\.0\.0\.1:\d+$/m);
    expect(result.stdout).toMatch(/\nPASSED: 14 ok, 0 notes, 0 failed, 0 skipped\.\n$/);
  });

  test('passes, as programs read it', async () => {
    const result = await smoke([`--portal=${portal.portalUrl}`, '--json']);
    const checks = result.json.checks as { name: string; status: string }[];
    expect(result.json).toMatchObject({ ok: true, url: portal.portalUrl });
    expect(checks.map(({ name, status }) => `${name} ${status}`)).toEqual(CHECKS.map((name) => `${name} ok`));
  });

  test('passes through what stands between without a deviation', async () => {
    expect(await failingWith(() => undefined)).toEqual([]);
  });

  test('passes where the stage speaks for the transport of all hosts below its domain', async () => {
    const change: Deviate = ({ headers }) => {
      if ('strict-transport-security' in headers) headers['strict-transport-security'] += '; includeSubDomains';
    };
    expect(await failingWith(change)).toEqual([]);
  });
});

describe('each deviation is noticed:', () => {
  const on = (applies: (path: string) => boolean, change: Deviate): Deviate =>
    where((_, { url = '' }) => applies(url), change);
  const isApi = (path: string) => path.startsWith('/api/');
  const isAsset = (path: string) => path.startsWith('/assets/');
  const isDeep = (path: string) => path.startsWith('/accounts/');
  const isPlain = (path: string) => /^\/(docs\/.+\.md|llms\.txt|openapi\.yaml|\.well-known\/.+)$/.test(path);
  const isPage = (path: string) => !isApi(path) && !isAsset(path) && !isPlain(path);
  const location = (pattern: RegExp, replacement: string): Deviate =>
    where(
      ({ headers }) => headers.location?.includes('code_challenge') === true,
      ({ headers }) => (headers.location &&= headers.location.replace(pattern, replacement)),
    );
  const cookie =
    (pattern: RegExp, replacement: string): Deviate =>
    ({ headers }) =>
      (headers['set-cookie'] &&= headers['set-cookie'].replace(pattern, replacement));
  const asPage: Deviate = (answer) => {
    Object.assign(answer, { status: 200, text: '<!doctype html><html></html>' });
    set('content-type', 'text/html')(answer);
  };
  const KEPT = set('cache-control', 'max-age=60');
  const GUESSED = drop('x-content-type-options');
  const OF_SIGN_IN = ['sign-in', 'sign-in of another state'];
  const OF_API = ['nobody signed in', 'unknown path', 'wrong method', 'change from another site'];

  test.each<[string, Deviate, string[]]>([
    [
      'a policy that lets scripts run',
      on(isPage, set('content-security-policy', "script-src 'unsafe-inline'")),
      ['page'],
    ],
    ...[
      'content-security-policy',
      'strict-transport-security',
      'referrer-policy',
      'cross-origin-opener-policy',
      'x-content-type-options',
    ].map((name): [string, Deviate, string[]] => [`pages without ${name}`, on(isPage, drop(name)), ['page']]),
    ['a page that is kept', on(isPage, KEPT), ['page']],
    ['deep links that are not found', on(isDeep, answered({ status: 404 })), ['deep link']],
    ['a deep link with another page', on(isDeep, replace(/$/, ' ')), ['deep link']],
    ['files that are not kept', on(isAsset, set('cache-control', 'no-cache')), ['files']],
    ['files whose type may be guessed', on(isAsset, GUESSED), ['files']],
    ['a file that is gone', on((path) => isAsset(path) && path.endsWith('.css'), answered({ status: 404 })), ['files']],
    ['texts whose type may be guessed', on(isPlain, GUESSED), ['for programs']],
    [
      'the page in place of the catalog',
      on((path) => path.startsWith('/.well-known/'), set('content-type', 'text/html')),
      ['for programs'],
    ],
    [
      'documentation without its codes',
      on((path) => path === '/docs/errors.md', replace(/QUOTA_EXCEEDED/g, '')),
      ['for programs'],
    ],
    [
      'the page in place of a missing file',
      on((path) => path.includes('never-'), answered({ status: 200, text: '<html>' })),
      ['missing file'],
    ],
    [
      'errors of the API that are made pages',
      where(({ status }, { url = '' }) => isApi(url) && status >= 400, asPage),
      OF_API,
    ],
    ['answers of the API whose type may be guessed', on(isApi, GUESSED), ['types']],
    ['answers of the API that may be framed', on(isApi, drop('content-security-policy')), ['types']],
    ['answers of the API that others may show', on(isApi, drop('cross-origin-resource-policy')), ['types']],
    ['answers of the API that may be kept', on(isApi, KEPT), OF_API],
    [
      'a change from another site that is made',
      where(({ text }) => text.includes('CROSS_SITE_REQUEST'), answered({ status: 200, text: '{}' })),
      ['change from another site'],
    ],
    ['another origin that may read', on(isApi, set('access-control-allow-origin', '*')), ['foreign origin']],
    ['a sign-in without PKCE', location(/code_challenge=[^&]*&?/, ''), OF_SIGN_IN],
    ['a plain code challenge', location(/S256/, 'plain'), OF_SIGN_IN],
    ['a sign-in without nonce', location(/nonce=[^&]*&?/, ''), OF_SIGN_IN],
    ['one state for all', location(/([?&])state=[^&]*/, `$1state=${'s'.repeat(43)}`), OF_SIGN_IN],
    ['a provider over plain http', location(/^http:\/\/127\.0\.0\.1:\d+/, 'http://login.example.com'), OF_SIGN_IN],
    [
      'a sign-in that leads back elsewhere',
      location(/redirect_uri=[^&]*/, 'redirect_uri=https%3A%2F%2Fforeign.invalid'),
      OF_SIGN_IN,
    ],
    ...['; HttpOnly', '; Secure', '; SameSite=Lax', '; Max-Age=3600'].map((attribute): [string, Deviate, string[]] => [
      `a cookie without ${attribute.slice(2)}`,
      cookie(new RegExp(attribute), ''),
      ['sign-in'],
    ]),
    ['a cookie for a whole domain', cookie(/$/, '; Domain=example.com'), ['sign-in']],
    ['a cookie that a neighbour can make', cookie(/^__Host-Http-/, ''), ['sign-in']],
    [
      'a callback that nobody began, and sets a session',
      on((path) => path.includes('code=never'), set('set-cookie', '__Host-Http-session=x')),
      ['foreign callback'],
    ],
  ])('%s', async (_what, change, failing) => {
    expect(await failingWith(change)).toEqual(failing);
  });

  test('nothing at all, in one line', async () => {
    const result = await inProcess(['--portal', `http://127.0.0.1:${await unusedPort()}`]);
    expect(result).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(/^error: The service cannot be reached .*\n$/),
    });
  });

  test('an address that is none', async () => {
    const result = await inProcess(['--portal', 'http://portal.example.com']);
    expect(result).toMatchObject({ status: 1, stdout: '' });
    expect(result.stderr).toContain('must be https, except on this machine');
  });
});

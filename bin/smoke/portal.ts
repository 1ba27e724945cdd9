import { Command } from 'commander';
import { portalMismatches } from '../../local/openapi/portal.ts';
import { servedAs } from '../../lib/portal-app/app-files.ts';
import { API_HEADERS, CACHING, CATALOG_PATH, pageHeaders } from '../../lib/portal/page-headers.ts';
import { json } from '../cli/text.ts';
import { codeOf, deviation, expectDocumented, expectHeader, expectValue, header, type Answer } from './expectations.ts';
import { readBaseUrl } from './program.ts';
import { reportText } from './report.ts';
import { startRun, type Run } from './run.ts';
import { isLoopbackHost } from '../../local/settings.ts';

/** A view of the app that nobody has, and a file that never existed. */
const DEEP_LINK = '/accounts/acc_0000000000000000/projects/000000000000/usage?since=1';
const MISSING_FILE = '/assets/never-00000000.js';
/** The files for programs, each with a text that it must contain. */
const PLAIN = [
  [CATALOG_PATH, '/openapi.yaml'],
  ['/openapi.yaml', 'openapi: 3.1'],
  ['/llms.txt', '/docs/errors.md'],
  ['/docs/errors.md', 'QUOTA_EXCEEDED'],
] as const;
/** An origin that cannot exist (RFC 6761, section 6.4). */
const FOREIGN = 'https://foreign.invalid';
/** The origin, besides its own, to which the page may send requests. */
const GATEWAY = /connect-src 'self' (https?:\/\/[^\s;/]+);/;

/** The command line of `npm run smoke -- --portal <url>`. */
export const portalProgram = (): Command =>
  new Command('smoke')
    .description('Checks the portal of a deployed stage, or that of a running npm start, over HTTP; nobody signs in')
    .requiredOption('--portal <url>', "the portal's origin, https or on this machine", readBaseUrl)
    .option('--json', 'print one JSON object')
    .action(async (options: { portal: string; json?: true }) => {
      const report = await runPortalSmoke(options.portal);
      process.stdout.write(options.json ? `${json(report)}\n` : reportText(report));
      if (!report.ok) process.exitCode = 1;
    });

/** Runs every check of a portal. Throws an error of one line when there is no answer. */
export async function runPortalSmoke(url: string) {
  const run = startRun(url, portalMismatches);
  await checkPages(run);
  await checkApi(run);
  await checkSignIn(run, url);
  const ok = run.results.every(({ status }) => status !== 'fail');
  return { ok, url, checks: run.results, authenticatedRequests: 0, unitsCharged: 0 };
}

/** The app: its policy, its addresses and its caching. */
async function checkPages({ check, send }: Run): Promise<void> {
  let page = '';
  await check('page', async () => {
    const answer = await send({ method: 'GET', path: '/' });
    expectPage(answer);
    page = answer.text;
    return 'not kept, with its policy';
  });
  await check('deep link', async () => {
    const answer = await send({ method: 'GET', path: DEEP_LINK });
    expectPage(answer);
    if (answer.text !== page) throw deviation('body', 'the same page', answer.text);
    return 'the same page';
  });
  await check('files', async () => {
    const files = [...new Set(page.match(/\/assets\/[\w.-]+/g))];
    if (files.length === 0) throw deviation('page', 'files below /assets/', page);
    for (const path of files) {
      const answer = await send({ method: 'GET', path });
      expectValue(`${path}: status`, 200, answer.status);
      expectHeader(answer, 'Cache-Control', CACHING.hashed);
      expectHeader(answer, 'X-Content-Type-Options', 'nosniff');
    }
    return `${files.length}, kept for a year`;
  });
  await check('for programs', async () => {
    for (const [path, mark] of PLAIN) {
      const answer = await send({ method: 'GET', path });
      expectValue(`${path}: status`, 200, answer.status);
      expectHeader(answer, 'Content-Type', servedAs(path).type.split(';', 1)[0]);
      expectHeader(answer, 'Cache-Control', CACHING.page);
      expectHeader(answer, 'X-Content-Type-Options', 'nosniff');
      if (!answer.text.includes(mark)) throw deviation(path, mark, answer.text);
    }
    return `${PLAIN.length} files, as their types say`;
  });
  await check('missing file', async () => {
    const answer = await send({ method: 'GET', path: MISSING_FILE });
    expectValue('status', 404, answer.status);
    if (/<html/i.test(answer.text)) throw deviation('body', 'no page', answer.text);
    return '404';
  });
}

function expectPage(answer: Answer): void {
  expectValue('status', 200, answer.status);
  expectHeader(answer, 'Content-Type', 'text/html');
  expectHeader(answer, 'Cache-Control', CACHING.page);
  const policy = header(answer, 'Content-Security-Policy');
  const [, gateway = 'one gateway'] = GATEWAY.exec(policy ?? '') ?? [];
  expectHeaders(answer, pageHeaders(gateway));
}

/** Expects the default headers; a stage may also set the transport of hosts below its domain. */
function expectHeaders(answer: Answer, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    const wider = `${value}; includeSubDomains`;
    const isWider = name === 'Strict-Transport-Security' && header(answer, name) === wider;
    expectHeader(answer, name, isWider ? wider : value);
  }
}

/** The API: its errors are its own, and it refuses other sites. */
async function checkApi({ check, send, relied }: Run): Promise<void> {
  const refused = async (request: Parameters<Run['send']>[0], status: number, code: string): Promise<string> => {
    const answer = await send(request);
    expectValue('status', `${status} ${code}`, `${answer.status} ${codeOf(answer) ?? ''}`.trim());
    expectHeader(answer, 'Content-Type', 'application/problem+json');
    expectDocumented(answer, 'body', 'Cache-Control', 'X-Service-Request-Id', 'Allow');
    return `${status} ${code}`;
  };
  await check('nobody signed in', () => refused({ method: 'GET', path: '/api/session' }, 401, 'NOT_SIGNED_IN'));
  await check('unknown path', () => refused({ method: 'GET', path: '/api/nowhere' }, 404, 'NOT_FOUND'));
  await check('wrong method', () => refused({ method: 'POST', path: '/api/session' }, 405, 'METHOD_NOT_ALLOWED'));
  const change = (headers: Readonly<Record<string, string>>) => ({
    ...({ method: 'POST', path: '/api/sign-out', body: '{}' } as const),
    headers: { 'Content-Type': 'application/json', ...headers },
  });
  await check('change from another site', async () => {
    await refused(change({ Origin: FOREIGN }), 403, 'CROSS_SITE_REQUEST');
    return refused(change({ 'Sec-Fetch-Site': 'cross-site' }), 403, 'CROSS_SITE_REQUEST');
  });
  await check('foreign origin', async () => {
    const answer = await send({ method: 'GET', path: '/api/session', headers: { Origin: FOREIGN } });
    expectHeader(answer, 'Access-Control-Allow-Origin', undefined);
    return 'may read nothing';
  });
  await check('types', () => {
    const answers = relied().filter((answer) => header(answer, 'X-Service-Request-Id') !== undefined);
    for (const answer of answers) expectHeaders(answer, API_HEADERS);
    return `neither guessed nor shown elsewhere, on ${answers.length} answers`;
  });
}

const CALLBACK = '/api/sign-in/callback';
const FAILED = '/?signIn=failed';
/** 256 bits as base64url. */
const RANDOM = /^[\w-]{43}$/;
const ATTRIBUTES = ['HttpOnly', 'Max-Age=3600', 'Path=/', 'SameSite=Lax', 'Secure'];

/** Checks the way to the provider without a sign-in: its bindings, and that no other callback counts. */
async function checkSignIn({ check, send }: Run, portalUrl: string): Promise<void> {
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

import { Command } from 'commander';
import { portalMismatches } from '../../local/openapi/portal.ts';
import { servedAs } from '../../lib/portal-app/app-files.ts';
import { API_HEADERS, CACHING, CATALOG_PATH, pageHeaders } from '../../lib/portal/page-headers.ts';
import { json } from '../cli/text.ts';
import { codeOf, deviation, expectDocumented, expectHeader, expectValue, header, type Answer } from './expectations.ts';
import { readBaseUrl } from './program.ts';
import { reportText } from './report.ts';
import { startRun, type Run } from './run.ts';
import { checkSignIn } from './sign-in.ts';

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

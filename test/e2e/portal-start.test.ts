import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PING_PATH } from '../../functions/gateway/operations/ping.ts';
import { CookieJar, signInAtProvider } from '../support/identity.ts';
import { ping, signedIn, startPortalSite, type PortalSite } from '../support/portal-site.ts';
import { end, onOwnDatabase, portOf, ROOT } from '../support/processes.ts';
import { PYTHON_PROGRAM, testInPython, WITH_LIBRARY } from '../support/python.ts';

/** A request to one of the addresses of `localhost`. */
async function ask(portal: PortalSite, path: string, host = '127.0.0.1', headers: Record<string, string> = {}) {
  const port = portOf(portal.portalUrl);
  const request = httpRequest({ host, port, path, headers: { host: `localhost:${port}`, ...headers } });
  request.end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const body = Buffer.concat(await Array.fromAsync(response as AsyncIterable<Buffer>)).toString();
  return { status: response.statusCode, headers: response.headers, body };
}

describe('npm start with the portal', () => {
  let portal: PortalSite;
  beforeAll(async () => {
    portal = await startPortalSite({ SUPPORT_URL: 'mailto:help@example.com' }, onOwnDatabase);
  });
  afterAll(async () => {
    await end(portal);
  });

  test('names it, and whom to sign in as', () => {
    expect(portal.stdout).toMatch(
      /^ {2}Portal {4}http:\/\/localhost:\d+ {3}sign in with any address; demo@example\.com has data$/m,
    );
  });

  test('/docs of the gateway leads to the documentation in it, which the banner names', async () => {
    const address = `${portal.portalUrl}/docs`;
    const { status, headers } = await fetch(`${portal.url}/docs`, { redirect: 'manual' });
    expect([status, headers.get('location')]).toEqual([302, address]);
    expect(portal.stdout).toMatch(new RegExp(`^ *Docs +${address}$`, 'm'));
    expect((await fetch(address)).status).toBe(200);
  });

  test('is the same on both addresses of localhost', async () => {
    const answers = [await ask(portal, '/'), await ask(portal, '/', '::1')];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers[0]?.body).toBe(answers[1]?.body);
  });

  test('answers each address of a page with the page, and no cache shows it without asking', async () => {
    const pages = await Promise.all(['/', '/projects/x?y=1', '/api', '/assetsx'].map((path) => ask(portal, path)));
    for (const { status, headers, body } of pages) {
      expect([status, headers['content-type'], headers['cache-control']]).toEqual([
        ...[200, 'text/html; charset=utf-8', 'no-cache'],
      ]);
      expect(body).toBe(pages[0]?.body);
    }
  });

  test('lets files be kept for long, and knows which there are', async () => {
    const { body } = await ask(portal, '/');
    const files = [...new Set(body.match(/\/assets\/[\w.-]+/g))];
    expect(files.map((file) => file.split('.').at(-1))).toEqual(expect.arrayContaining(['js', 'css', 'svg']));
    for (const file of files) {
      const { status, headers } = await ask(portal, file);
      expect([status, headers['cache-control']]).toEqual([200, 'public, max-age=31536000, immutable']);
      expect(headers['content-type']).toMatch(/^(text\/(javascript|css); charset=utf-8|image\/svg\+xml|font\/woff2)$/);
    }
    for (const missing of ['/assets/', '/assets/x.js', '/assets/../index.html', '/assets/%2e%2e/index.html']) {
      expect((await ask(portal, missing)).status).toBe(404);
    }
  });

  test('serves what programs read: the documentation, the contract and the catalog, each as its type', async () => {
    const read = async (path: string) => {
      const { status, headers, body } = await ask(portal, path);
      expect([path, status, headers['x-content-type-options']]).toEqual([path, 200, 'nosniff']);
      return { type: headers['content-type'], catalog: headers.link, body };
    };
    expect(await read('/llms.txt')).toMatchObject({ type: 'text/plain; charset=utf-8' });
    for (const name of ['quick-start', 'keys', 'idempotency', 'limits', 'testing', 'errors', 'changes', 'reference']) {
      const { type, body } = await read(`/docs/${name}.md`);
      expect([type, body.startsWith('# ')]).toEqual(['text/markdown; charset=utf-8', true]);
    }
    expect((await read('/.well-known/security.txt')).body).toContain('\nContact: mailto:help@example.com\n');
    const { type, body, catalog } = await read('/.well-known/api-catalog');
    expect(type).toBe('application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"');
    expect(catalog).toBe('</.well-known/api-catalog>; rel="api-catalog"');
    const { linkset } = JSON.parse(body) as { linkset: { 'service-desc'?: { href: string }[] }[] };
    const named = linkset.flatMap((each) => each['service-desc'] ?? []).map(({ href }) => href);
    expect(named).toEqual(['/openapi.yaml', '/manage.yaml']);
    expect((await read('/openapi.yaml')).body).toBe(await readFile('openapi.yaml', 'utf8'));
    const { packages } = JSON.parse((await read('/clients/index.json')).body) as { packages: { file: string }[] };
    for (const { file } of packages) {
      await read(`/clients/${file}`);
      // Without its sum the address would get another content with the next version of the package.
      expect((await ask(portal, `/clients/${file.replace(/.*\//, '')}`)).status).toBe(404);
    }
    expect((await ask(portal, '/docs/nothing.md')).status).toBe(404);
  });

  test('has the policy on everything that it serves of the app', async () => {
    const { body } = await ask(portal, '/');
    for (const path of ['/', /\/assets\/[\w.-]+\.js/.exec(body)?.[0] ?? '', '/assets/missing']) {
      expect((await ask(portal, path)).headers).toMatchObject({
        'content-security-policy': [
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'",
          `connect-src 'self' ${portal.url}; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
        ].join('; '),
        'cross-origin-opener-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
        'strict-transport-security': 'max-age=31536000',
        'x-content-type-options': 'nosniff',
      });
    }
  });

  test('leads from other names of this machine to its own, and is at no other name', async () => {
    const port = portOf(portal.portalUrl);
    for (const host of [`127.0.0.1:${port}`, `[::1]:${port}`]) {
      const { status, headers } = await ask(portal, '/x?y', '127.0.0.1', { host });
      expect([status, headers.location]).toEqual([307, `${portal.portalUrl}/x?y`]);
    }
    for (const host of ['evil.example', `localhost.evil.example:${port}`]) {
      expect((await ask(portal, '/', '127.0.0.1', { host })).status).toBe(403);
    }
  });

  test('signs the demo person in, whose project is the banner’s', async () => {
    const { read } = await signedIn(portal, 'demo@example.com');
    const session = await read('/api/session');
    expect(session).toMatchObject({ accounts: [{}], gatewayUrl: portal.url });
    const [account] = session.accounts as { accountId: string }[];
    const { projects } = await read(`/api/accounts/${account?.accountId}/projects`);
    expect(projects).toEqual([expect.objectContaining({ projectId: portal.projectId })]);
  });

  test('sends each cookie on its own', async () => {
    const response = await fetch(`${portal.portalUrl}/api/sign-in`, { redirect: 'manual' });
    expect(response.headers.getSetCookie()).toEqual([expect.stringMatching(/^__Host-Http-sign-in-.*; Secure/)]);
  });

  test('sends Safari cookies that it takes from http, and reads them', async () => {
    const safari = (cookies: readonly string[], path: string) =>
      fetch(portal.portalUrl + path, {
        redirect: 'manual',
        headers: {
          cookie: cookies.map((cookie) => cookie.split(';', 1)[0]).join('; '),
          'user-agent': 'Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.3 Safari/605.1.15',
        },
      });
    const begun = await safari([], '/api/sign-in');
    const planted = begun.headers.getSetCookie();
    expect(planted).toEqual([expect.stringMatching(/^safari-sign-in-.*HttpOnly/)]);
    const callback = await signInAtProvider(
      begun.headers.get('location') ?? '',
      portal.portalUrl,
      'safari@example.com',
    );
    const followed = await safari(planted, callback.pathname + callback.search);
    const session = followed.headers.getSetCookie().filter((cookie) => cookie.startsWith('safari-session=usr_'));
    expect(followed.headers.getSetCookie().join()).not.toMatch(/Secure|__Host-/);
    expect(await (await safari(session, '/api/session')).json()).toMatchObject({
      user: { email: 'safari@example.com' },
    });
  });

  test('is let in by the gateway, whatever its port, as is one under development, and no other origin', async () => {
    for (const origin of [portal.portalUrl, 'http://localhost:5173', 'http://localhost:5174']) {
      const headers = { origin, 'access-control-request-method': 'POST' };
      const preflight = await fetch(portal.url + PING_PATH, { method: 'OPTIONS', headers });
      const allowed = origin.endsWith(':5174') ? null : origin;
      expect([origin, preflight.headers.get('access-control-allow-origin')]).toEqual([origin, allowed]);
    }
  });

  test('makes a key that the gateway takes, and shows the request', async () => {
    const { read, create, newProject } = await signedIn(portal, 'newcomer@example.com');
    const { project } = await newProject();
    const { key = '' } = await create(`${project}/keys`, {});
    const { status, headers } = await ping(portal, key);
    expect(status).toBe(200);
    const { events } = await read(`${project}/events`);
    expect(events).toEqual([expect.objectContaining({ requestId: headers.get('x-service-request-id') })]);
    const printed = portal.stdout.slice(portal.stdout.indexOf(portal.curl) + portal.curl.length);
    expect(printed).not.toMatch(/svc_|newcomer/);
    expect(portal.stderr).toBe('');
  });

  describe.each([
    [process.execPath, 'examples/typescript/manage.ts', test],
    [PYTHON_PROGRAM, 'examples/python/manage.py', testInPython],
  ])('%s %s', (command, file, testHere) => {
    testHere('makes a key and ends it', async () => {
      const { read, create, newProject } = await signedIn(portal, `${file.length}@example.com`);
      const { account, project } = await newProject();
      const scopes = ['keys:read', 'keys:write', 'usage:read'];
      const { token = '' } = await create(`${account}/tokens`, { name: 'CI', scopes, expiresInDays: 1 });
      const variables = {
        SANDBOX_MANAGEMENT_TOKEN: token,
        SANDBOX_MANAGEMENT_BASE_URL: `${portal.portalUrl}/manage/v1`,
      };
      const { stdout } = await promisify(execFile)(command, [file], {
        cwd: ROOT,
        env: { ...process.env, ...WITH_LIBRARY, ...variables },
      });
      expect(stdout).toMatch(/^(key_\w+) is made: .*\n(.*\n)*\1 is revoked\.\n$/);
      expect(stdout).not.toContain('svc_');
      const { keys } = await read(`${project}/keys?state=ended`);
      expect(keys).toEqual([expect.objectContaining({ name: 'CI' })]);
    });
  });

  test('says of the provider’s page that it is on this machine only, and refuses what is no address', async () => {
    const { headers } = await fetch(`${portal.portalUrl}/api/sign-in`, { redirect: 'manual' });
    const jar = new CookieJar();
    const follow = async (url: URL, form?: URLSearchParams): Promise<Response> => {
      const response = await fetch(url, {
        ...(form && { method: 'POST', body: form }),
        redirect: 'manual',
        headers: { cookie: jar.list().join('; ') },
      });
      jar.take(response.headers.getSetCookie());
      return response;
    };
    const begun = await follow(new URL(headers.get('location') ?? ''));
    const page = new URL(begun.headers.get('location') ?? '', headers.get('location') ?? '');
    const form = await follow(page);
    const text = await form.text();
    expect(text).toContain('This page exists on this machine only.');
    expect(text).toMatch(/<input id="email" name="email" type="email"[^>]*value=""/);
    expect(form.headers.get('content-security-policy')).toContain("default-src 'none'");
    const refused = await follow(page, new URLSearchParams({ email: '"><script>' }));
    expect([refused.status, await refused.text()]).toEqual([
      400,
      expect.stringContaining('value="&quot;&gt;&lt;script&gt;"'),
    ]);
    expect((await fetch(page)).status).toBe(400);
    const elsewhere = httpRequest(page, { headers: { host: 'evil.example' } });
    elsewhere.end();
    const [foreign] = (await once(elsewhere, 'response')) as [IncomingMessage];
    expect(foreign.resume().statusCode).toBe(403);
  });

  test('limits the callback of the sign-in as API Gateway does: 20 at once', async () => {
    const callback = () => fetch(`${portal.portalUrl}/api/sign-in/callback?code=invented`, { redirect: 'manual' });
    const statuses = (await Promise.all(Array.from({ length: 60 }, callback))).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([303, 429]));
    expect(statuses.filter((status) => status === 303).length).toBeGreaterThanOrEqual(18);
  });
});

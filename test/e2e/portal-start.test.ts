import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { localSettings } from '../../local/settings.ts';
import { CookieJar, signInAtProvider } from '../support/identity.ts';
import { startPortalSite, type PortalSite } from '../support/portal-site.ts';
import {
  end,
  FREE_PORTS,
  listens,
  onOwnDatabase,
  portOf,
  ROOT,
  run,
  until,
  type RunningProcess,
} from '../support/processes.ts';

const PING = '/api/v1/sandbox/ping';
const started: RunningProcess[] = [];
const portalWith = async (environment: Record<string, string> = {}): Promise<PortalSite> => {
  const portal = await startPortalSite(environment, onOwnDatabase);
  started.push(portal);
  return portal;
};
afterEach(async () => {
  for (const running of started.splice(0)) await end(running, 'SIGKILL');
});

/** A request to one of the addresses of `localhost`. */
async function ask(portal: PortalSite, path: string, host = '127.0.0.1', headers: Record<string, string> = {}) {
  const port = portOf(portal.portalUrl);
  const request = httpRequest({ host, port, path, headers: { host: `localhost:${port}`, ...headers } });
  request.end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const body = Buffer.concat(await Array.fromAsync(response as AsyncIterable<Buffer>)).toString();
  return { status: response.statusCode, headers: response.headers, body };
}

/** Signs in over HTTP, as a browser does, and stores the session. */
async function signedIn({ portalUrl }: PortalSite, email = 'demo@example.com') {
  const jar = new CookieJar();
  const call = async (path: string, options: RequestInit = {}): Promise<Response> => {
    const headers = { cookie: jar.list().join('; '), origin: portalUrl, 'content-type': 'application/json' };
    const response = await fetch(portalUrl + path, { redirect: 'manual', ...options, headers });
    jar.take(response.headers.getSetCookie());
    return response;
  };
  const begun = await call('/api/sign-in');
  const callback = await signInAtProvider(begun.headers.get('location') ?? '', portalUrl, email);
  const ended = await call(callback.pathname + callback.search);
  expect([ended.status, ended.headers.get('location')]).toEqual([303, '/']);
  const session = async () => (await (await call('/api/session')).json()) as Session;
  return { call, jar, session };
}
interface Session {
  readonly user: { readonly userId: string };
  readonly accounts: readonly { readonly accountId: string }[];
  readonly gatewayUrl: string;
}

describe('npm start with the portal', () => {
  let portal: PortalSite;
  beforeAll(async () => {
    portal = await startPortalSite({}, onOwnDatabase);
  });
  afterAll(async () => {
    await end(portal);
  });

  test('names it, and whom to sign in as', () => {
    expect(portal.stdout).toMatch(
      /^ {2}Portal {4}http:\/\/localhost:\d+ {3}sign in with any address; demo@example\.com has data$/m,
    );
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
    for (const name of ['quick-start', 'idempotency', 'limits', 'errors', 'reference']) {
      const { type, body } = await read(`/docs/${name}.md`);
      expect([type, body.startsWith('# ')]).toEqual(['text/markdown; charset=utf-8', true]);
    }
    const { type, body, catalog } = await read('/.well-known/api-catalog');
    expect(type).toBe('application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"');
    expect(catalog).toBe('</.well-known/api-catalog>; rel="api-catalog"');
    const { linkset } = JSON.parse(body) as { linkset: { 'service-desc'?: { href: string }[] }[] };
    const named = linkset.flatMap((each) => each['service-desc'] ?? []).map(({ href }) => href);
    expect(named).toEqual(['/openapi.yaml', '/manage.yaml']);
    expect((await read('/openapi.yaml')).body).toBe(await readFile('openapi.yaml', 'utf8'));
    expect((await ask(portal, '/docs/nothing.md')).status).toBe(404);
  });

  test('is where a problem of the gateway leads to', async () => {
    const { headers } = await fetch(`${portal.url}/nowhere`);
    expect(headers.get('link')).toBe(`<${portal.portalUrl}/docs/errors#NOT_FOUND>; rel="help"`);
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
    const { call, session } = await signedIn(portal);
    const { accounts, gatewayUrl } = await session();
    expect([accounts.length, gatewayUrl]).toEqual([1, portal.url]);
    const { projects } = (await (await call(`/api/accounts/${accounts[0]?.accountId}/projects`)).json()) as {
      projects: { projectId: string }[];
    };
    expect(projects.map(({ projectId }) => projectId)).toEqual([portal.projectId]);
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

  test('is let in by the gateway, whatever its port', async () => {
    const preflight = await fetch(portal.url + PING, {
      method: 'OPTIONS',
      headers: { origin: portal.portalUrl, 'access-control-request-method': 'POST' },
    });
    expect(preflight.headers.get('access-control-allow-origin')).toBe(portal.portalUrl);
  });

  test('makes a key that the gateway takes, and shows the request', async () => {
    const { call, session } = await signedIn(portal, 'newcomer@example.com');
    const create = async (path: string, body: object) => {
      const response = await call(path, { method: 'POST', body: JSON.stringify(body) });
      expect(response.status).toBe(201);
      return (await response.json()) as Record<string, string>;
    };
    const { accountId } = await create('/api/accounts', { name: 'Team' });
    const projects = `/api/accounts/${accountId}/projects`;
    const { projectId } = await create(projects, { name: 'Trips' });
    const { key } = await create(`${projects}/${projectId}/keys`, {});
    const ping = await fetch(portal.url + PING, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: '{}',
    });
    expect(ping.status).toBe(200);
    const { events } = (await (await call(`${projects}/${projectId}/events`)).json()) as { events: object[] };
    expect(events).toEqual([expect.objectContaining({ requestId: ping.headers.get('x-service-request-id') })]);
    expect((await session()).accounts).toHaveLength(1);
    const printed = portal.stdout.slice(portal.stdout.indexOf(portal.curl) + portal.curl.length);
    expect(printed).not.toMatch(/svc_|newcomer/);
    expect(portal.stderr).toBe('');
  });

  test.each([
    [process.execPath, 'examples/typescript/manage.ts'],
    ['python3', 'examples/python/manage.py'],
  ])('lets a program make a key and end it: %s %s', async (command, file) => {
    const { call } = await signedIn(portal, `${file.length}@example.com`);
    const create = async (path: string, body: object) => {
      const response = await call(path, { method: 'POST', body: JSON.stringify(body) });
      expect(response.status).toBe(201);
      return (await response.json()) as Record<string, string>;
    };
    const { accountId = '' } = await create('/api/accounts', { name: 'Team' });
    const { projectId } = await create(`/api/accounts/${accountId}/projects`, { name: 'Trips' });
    const scopes = ['keys:read', 'keys:write', 'usage:read'];
    const { token = '' } = await create(`/api/accounts/${accountId}/tokens`, { name: 'CI', scopes, expiresInDays: 1 });
    const variables = { MANAGEMENT_TOKEN: token, PORTAL_URL: portal.portalUrl };
    const { stdout } = await promisify(execFile)(command, [file], { cwd: ROOT, env: { ...process.env, ...variables } });
    expect(stdout).toMatch(/^(key_\w+) is made: .*\n(.*\n)*\1 is revoked\.\n$/);
    expect(stdout).not.toContain('svc_');
    const { keys } = (await (
      await call(`/api/accounts/${accountId}/projects/${projectId ?? ''}/keys?state=ended`)
    ).json()) as { keys: { name: string }[] };
    expect(keys.map(({ name }) => name)).toEqual(['CI']);
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
});

describe('a stop', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)(
    'by %s answers the request in flight, then ends all parts',
    async (signal) => {
      const portal = await portalWith();
      const identityUrl = (await fetch(`${portal.portalUrl}/api/sign-in`, { redirect: 'manual' })).headers.get(
        'location',
      );
      const request = httpRequest(`${portal.portalUrl}/api/sign-out`, {
        method: 'POST',
        headers: { origin: portal.portalUrl, 'content-type': 'application/json', 'content-length': 2 },
      });
      request.write('{');
      // In flight: it was connected and sent before another request that was answered.
      const [socket] = (await once(request, 'socket')) as [Socket];
      if (socket.connecting) await once(socket, 'connect');
      await until(async () => (await fetch(`${portal.portalUrl}/`)).ok);
      const ended = end(portal, signal, 'group');
      await until(async () => !(await listens(portal.portalUrl)));
      request.end('}');
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      expect([response.statusCode, response.headers.connection]).toEqual([401, 'close']);
      response.resume();
      expect(await ended).toBe(0);
      for (const url of [portal.url, identityUrl ?? '', portal.databaseUrl]) expect(await listens(url)).toBe(false);
    },
  );
});

describe('a port in use', () => {
  test.each([
    ['PORTAL_PORT', '127.0.0.1'],
    ['PORTAL_PORT', '::1'],
    ['IDENTITY_PORT', '127.0.0.1'],
  ])('(%s, on %s) gets one clear line and a non-zero exit', async (name, host) => {
    const occupant = createServer().listen(0, host);
    await once(occupant, 'listening');
    const { port } = occupant.address() as AddressInfo;
    const running = run('local.ts', [], { ...FREE_PORTS, [name]: String(port) });
    expect(await running.exited).toBe(1);
    expect(running.stderr).toBe(`Port ${port} is in use. Set ${name} to a free one.\n`);
    expect(running.stdout).toBe('');
    occupant.close();
  });
});

describe('a setting that cannot be used', () => {
  test.each([
    [{ PORTAL: 'yes' }, 'PORTAL must be on or off.'],
    [{ PORTAL_PORT: '65536' }, 'PORTAL_PORT must be a port number from 0 to 65535.'],
    [{ IDENTITY_PORT: 'x' }, 'IDENTITY_PORT must be a port number from 0 to 65535.'],
  ])('%j is told in one line', (setting, message) => {
    expect(() => localSettings({ ...FREE_PORTS, ...setting })).toThrow(new Error(message));
  });
});

describe('a restart', () => {
  test('with DATA_DIR finds accounts, sessions and the provider’s keys again', async () => {
    const DATA_DIR = await mkdtemp(join(tmpdir(), 'portal-'));
    try {
      // The session belongs to one address of the portal, with its port.
      const first = await portalWith({ DATA_DIR });
      const { jar, session } = await signedIn(first);
      const before = await session();
      const keys = await readFile(join(DATA_DIR, 'identity.json'), 'utf8');
      expect((await stat(join(DATA_DIR, 'identity.json'))).mode & 0o777).toBe(0o600);
      await end(first);
      const second = await portalWith({ DATA_DIR });
      const headers = { cookie: jar.list().join('; ') };
      const after = (await (await fetch(`${second.portalUrl}/api/session`, { headers })).json()) as Session;
      expect([after.user, after.accounts]).toEqual([before.user, before.accounts]);
      expect((await (await signedIn(second)).session()).user).toEqual(before.user);
      expect(await readFile(join(DATA_DIR, 'identity.json'), 'utf8')).toBe(keys);
      expect([second.projectId, second.key]).toEqual([first.projectId, first.key]);
    } finally {
      await rm(DATA_DIR, { recursive: true });
    }
  });
});

test('several on one database have the same people, and the demo is in one account', async () => {
  const owner = await portalWith();
  const guest = await portalWith({ AWS_ENDPOINT_URL_DYNAMODB: owner.databaseUrl });
  const sessions = [await (await signedIn(owner)).session(), await (await signedIn(guest)).session()];
  expect(sessions[1]?.user).toEqual(sessions[0]?.user);
  expect(sessions[1]?.accounts).toEqual(sessions[0]?.accounts);
  expect(guest.projectId).toBe(owner.projectId);
  expect(guest.key).not.toBe(owner.key);
});

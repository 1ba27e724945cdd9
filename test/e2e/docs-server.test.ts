import { once } from 'node:events';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ROUTES } from '../../functions/routes.ts';
import { DEFAULT_LOCAL_DEV_ORIGIN } from '../../functions/wiring.ts';
import { docs, type Pages } from '../../local/docs.ts';
import { gatewayServer } from '../../local/http-server.ts';
import { end, startGateway, type RunningGateway } from '../support/processes.ts';

let gateway: RunningGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(async () => {
  await end(gateway);
});

describe('the pages of the development server', () => {
  test('hold the contract as JSON, with this gateway as its server', async () => {
    const contract = (await (await fetch(`${gateway.url}/openapi.json`)).json()) as { servers: unknown; paths: object };
    expect(contract.servers).toEqual([{ url: gateway.url, description: 'npm start' }]);
    expect(new Set(Object.keys(contract.paths))).toEqual(new Set(ROUTES.map(({ path }) => path)));
  });

  test('are closed to other origins and to caches; only /docs holds the key', async () => {
    const html = await (await fetch(`${gateway.url}/docs`)).text();
    const parts = [...html.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path = '']) => path);
    expect(parts).toHaveLength(5);
    for (const path of ['/docs', ...parts]) {
      const response = await fetch(gateway.url + path, { headers: { Origin: DEFAULT_LOCAL_DEV_ORIGIN } });
      expect([path, response.status]).toEqual([path, 200]);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'cache-control': 'no-store',
        'content-security-policy': expect.stringMatching(/script-src 'self';.*frame-ancestors 'none'/),
        'cross-origin-resource-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
      });
      expect(response.headers.has('access-control-allow-origin')).toBe(false);
      expect((await response.text()).includes(gateway.key)).toBe(path === '/docs');
    }
  });

  test('are refused under a name that is not this machine’s, which DNS may point here, and to other methods', async () => {
    const { hostname, port } = new URL(gateway.url);
    const answerTo = async (host: string) => {
      const request = httpRequest({ hostname, port, path: '/docs', headers: { Host: host } }).end();
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      return [response.statusCode, await text(response)];
    };
    expect(await answerTo(`localhost:${port}`)).toEqual([200, expect.stringContaining(gateway.key)]);
    const refusal = `This page is for this machine only. Open ${gateway.url}/docs\n`;
    for (const host of [`rebound.example:${port}`, `localhost.example:${port}`, 'localhost']) {
      expect([host, ...(await answerTo(host))]).toEqual([host, 403, refusal]);
    }
    for (const method of ['POST', 'OPTIONS', 'DELETE']) {
      const { status, headers } = await fetch(`${gateway.url}/docs`, { method });
      expect([method, status, headers.get('allow')]).toEqual([method, 405, 'GET, HEAD']);
    }
    const head = await fetch(`${gateway.url}/docs`, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  test('work without a demo key, as while the database is away', async () => {
    const { url, stop } = await serve(docs(() => undefined));
    try {
      const response = await fetch(`${url}/docs`);
      expect([response.status, await response.text()]).toEqual([200, expect.stringMatching(/json">\s*\{\}\s*</)]);
    } finally {
      await stop();
    }
  });

  test('say what to install where their packages are missing', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'gateway-'));
    // The same file where no package is installed above it.
    await cp('local', join(directory, 'local'), { recursive: true });
    const alone = (await import(join(directory, 'local/docs.ts'))) as { docs: typeof docs };
    const { url, stop } = await serve(alone.docs(() => undefined));
    try {
      for (const path of ['/docs', '/openapi.json']) {
        const response = await fetch(url + path);
        expect([response.status, await response.text()]).toEqual([503, expect.stringContaining('Run `npm ci`')]);
      }
    } finally {
      await stop();
      await rm(directory, { recursive: true });
    }
  });
});

/** A server of these pages and nothing else. */
async function serve(pages: Pages): Promise<{ url: string; stop: () => Promise<void> }> {
  const gateway = gatewayServer(new Promise(() => undefined), pages);
  gateway.server.listen(0, '127.0.0.1');
  await once(gateway.server, 'listening');
  const { port } = gateway.server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, stop: () => gateway.drain(0) };
}

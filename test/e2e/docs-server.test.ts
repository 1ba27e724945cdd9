import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ROUTES } from '../../functions/gateway/routes.ts';
import { startPortalSite, type PortalSite } from '../support/portal-site.ts';
import { end, startGateway, type RunningGateway } from '../support/processes.ts';

const leadsTo = async (url: string): Promise<[number, string | null]> => {
  const { status, headers } = await fetch(url, { redirect: 'manual' });
  return [status, headers.get('location')];
};

describe('what the development server has beside the gateway', () => {
  let gateway: RunningGateway;
  let site: PortalSite;
  beforeAll(async () => {
    [gateway, site] = await Promise.all([startGateway(), startPortalSite()]);
  });
  afterAll(() => Promise.all([end(gateway), end(site)]));

  test('/docs leads to the documentation in the portal, which the banner names', async () => {
    const address = `${site.portalUrl}/docs`;
    expect(await leadsTo(`${site.url}/docs`)).toEqual([302, address]);
    expect(site.stdout).toMatch(new RegExp(`^ *Docs +${address}$`, 'm'));
    expect((await fetch(address)).status).toBe(200);
  });

  test('without a portal it leads to the contract', async () => {
    const address = `${gateway.url}/openapi.json`;
    expect(await leadsTo(`${gateway.url}/docs`)).toEqual([302, address]);
    expect(gateway.stdout).toMatch(new RegExp(`^ *Docs +${address}$`, 'm'));
  });

  test('the contract is there as JSON, with this gateway as its server, by whatever name it is asked', async () => {
    const { hostname, port } = new URL(gateway.url);
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `rebound.example:${port}`]) {
      const request = httpRequest({ hostname, port, path: '/openapi.json', headers: { Host: host } }).end();
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      const contract = (await json(response)) as { servers: unknown; paths: object };
      expect([host, contract.servers]).toEqual([host, [{ url: gateway.url, description: 'npm start' }]]);
      expect(new Set(Object.keys(contract.paths))).toEqual(new Set(ROUTES.map(({ path }) => path)));
    }
  });

  test.each(['/docs', '/openapi.json'])(
    '%s can only be read, by no other origin and no cache, and holds no key',
    async (path) => {
      for (const method of ['POST', 'OPTIONS', 'DELETE']) {
        const { status, headers } = await fetch(gateway.url + path, { method });
        expect([method, status, headers.get('allow')]).toEqual([method, 405, 'GET, HEAD']);
      }
      const head = await fetch(gateway.url + path, { method: 'HEAD' });
      expect([head.status, await head.text()]).toEqual([200, '']);
      const response = await fetch(gateway.url + path, { headers: { Origin: site.portalUrl } });
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'cache-control': 'no-store',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        'cross-origin-resource-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
      });
      expect(response.headers.has('access-control-allow-origin')).toBe(false);
      expect(await response.text()).not.toContain(gateway.key);
    },
  );
});

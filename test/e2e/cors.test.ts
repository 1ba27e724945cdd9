import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { PING_PATH } from '../../functions/gateway/operations/ping.ts';
import { HEADERS, HEALTH_PATH } from '../../functions/shared/names.ts';
import { describeInBrowser } from '../support/browser.ts';
import { launch } from '../support/chromium.ts';
import { end, startGateway, type RunningGateway } from '../support/processes.ts';

/** Shorter than the timeout of a test, so that a failure names the step. */
const PAGE_TIMEOUT_MS = 15_000;

/** A separate origin: an empty page on a free port. */
async function startSite(): Promise<Server> {
  const site = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/html');
    response.end('<!doctype html><link rel="icon" href="data:,">');
  });
  site.listen(0, '127.0.0.1');
  await once(site, 'listening');
  return site;
}
const originOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

describeInBrowser('in a browser', (executable) => {
  let allowedSite: Server;
  let otherSite: Server;
  let gateway: RunningGateway;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    [allowedSite, otherSite] = await Promise.all([startSite(), startSite()]);
    gateway = await startGateway({ LOCAL_DEV_ORIGIN: originOf(allowedSite) });
    browser = await launch(executable);
  });
  afterAll(async () => {
    await browser.close();
    await end(gateway);
    for (const site of [allowedSite, otherSite]) site.close();
  });
  beforeEach(async () => {
    page = await browser.newPage();
    page.setDefaultTimeout(PAGE_TIMEOUT_MS);
  });
  afterEach(async () => {
    await page.close();
  });

  /** A ping from a page, as its script sees the answer; undefined if the browser blocked it. */
  const pingFromPage = (headers: Record<string, string>, body = '{}') =>
    page.evaluate(
      async ([url, init]) => {
        try {
          const response = await fetch(url, init);
          return {
            status: response.status,
            body: await response.json(),
            headers: Object.fromEntries(response.headers),
          };
        } catch {
          return undefined;
        }
      },
      [gateway.url + PING_PATH, { method: 'POST', headers, body }] as const,
    );

  test('a page of the allowed origin sends key and Idempotency-Key, and reads every answer and every header', async () => {
    await page.goto(originOf(allowedSite));
    const authorization = { Authorization: `Bearer ${gateway.key}`, 'Content-Type': 'application/json' };
    const withKey = { ...authorization, 'Idempotency-Key': 'from-a-browser' };
    expect(await pingFromPage(withKey)).toMatchObject({ status: 200, body: { ok: true, mode: 'sandbox' } });
    const replay = await pingFromPage(withKey);
    expect(replay?.status).toBe(200);
    const simulated = await pingFromPage(authorization, '{"simulate":"INTERNAL_ERROR"}');
    expect(simulated?.status).toBe(500);
    expect(Object.keys({ ...replay?.headers, ...simulated?.headers })).toEqual(
      expect.arrayContaining(Object.values(HEADERS).map((name) => name.toLowerCase())),
    );
    const keyless = await pingFromPage({ 'Content-Type': 'application/json' });
    expect(keyless).toMatchObject({ status: 401, headers: { 'www-authenticate': expect.stringMatching(/^Bearer /) } });
    expect(await page.evaluate(reads, `${gateway.url}/openapi.json`)).toBe(false);
    // A new minute may begin in between: then the limit is reached in the next one.
    let limited: Awaited<ReturnType<typeof pingFromPage>>;
    do limited = await pingFromPage(authorization);
    while (limited?.status === 200);
    expect(limited).toMatchObject({ status: 429, headers: { 'retry-after': expect.stringMatching(/^\d+$/) } });
  });

  test('a page of another origin is refused by the browser, also the contract', async () => {
    await page.goto(originOf(otherSite));
    const refused = () => page.waitForEvent('console', (message) => message.text().includes('blocked by CORS policy'));
    const [answer] = await Promise.all([pingFromPage({ Authorization: `Bearer ${gateway.key}` }), refused()]);
    expect(answer).toBeUndefined();
    for (const path of [HEALTH_PATH, '/openapi.json']) {
      const [isReadable] = await Promise.all([page.evaluate(reads, gateway.url + path), refused()]);
      expect([path, isReadable]).toEqual([path, false]);
    }
  });
});

/** Whether the script of a page can read a URL. */
const reads = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => true,
    () => false,
  );

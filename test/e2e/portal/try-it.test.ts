import { expect, test } from '@jest/globals';
import { describeInPortal, page, site, visited } from '../../support/portal-browser.ts';
import { ping } from '../../support/portal-site.ts';
import { change, holdClock, read, settle, type Settled, withoutTime } from '../../support/portal-visit.ts';
import { noteKeys } from '../../support/secrets/journal.ts';
import { look } from './look.ts';

interface ListedKey {
  readonly keyId: string;
  readonly name: string | null;
  readonly status: string;
  readonly expiresAt: string;
}

describeInPortal('Try it, in the documentation', () => {
  let settled: Settled;

  const open = async (path = '/docs/idempotency'): Promise<void> => {
    settled = await settle(visited);
    await page.goto(site.portalUrl + path);
    await button('Send').waitFor();
  };
  const button = (name: string) => page.getByRole('button', { name: name === 'Send' ? /^Send(?! again)/ : name });
  const shows = (text: string | RegExp) => page.getByText(text).first().waitFor();
  /** Notes each key that is made, in the order of their making. */
  const notingKeys = (): string[] => {
    const made: string[] = [];
    page.on('response', (response) => {
      if (!response.url().endsWith('/keys') || response.request().method() !== 'POST') return;
      void response.json().then(({ key }: { key: string }) => {
        noteKeys(key);
        made.push(key);
      });
    });
    return made;
  };
  const keysOf = async (projectId = settled.projectId): Promise<readonly ListedKey[]> => {
    const response = await read(visited, `/api/accounts/${settled.accountId}/projects/${projectId}/keys`);
    return ((await response.json()) as { keys: ListedKey[] }).keys;
  };
  const unitsUsed = async (): Promise<number> => {
    const response = await read(visited, `/api/accounts/${settled.accountId}/projects/${settled.projectId}`);
    return ((await response.json()) as { quotaUsed: number }).quotaUsed;
  };

  test('sends a ping with a key for an hour, and the same again, which is replayed and costs nothing', async () => {
    const made = notingKeys();
    await open();
    expect(await keysOf()).toEqual([]);
    await button('Send').click();
    await shows('Charged, 1 unit');
    const [key] = await keysOf();
    expect(key).toMatchObject({ name: 'Try it, in the documentation', status: 'active' });
    expect(Date.parse(key?.expiresAt ?? '') - Date.now()).toBeLessThanOrEqual(3_600_000);
    await button('Send again').click();
    await shows('Replayed, 0 units');
    const answer = await page.getByRole('group', { name: 'the answer' }).innerText();
    expect(answer).toMatch(/X-Service-Idempotency-Replayed: true[^]*X-RateLimit-Remaining: 58[^]*"ok": true/);
    await page.getByText('The request', { exact: true }).click();
    const request = await page.getByRole('group', { name: 'the request' }).innerText();
    expect(request).toMatch(/^POST http.*\nAuthorization: Bearer svc_test_….{4}\n[^]*Idempotency-Key: order-/);
    expect([await unitsUsed(), made.length]).toEqual([1, 1]);
    await look(page, 'try it');
    // Nothing but the gateway was given the key, and the page does not hold it as text.
    expect(await page.content()).not.toContain(made[0] ?? '-');
    const kept = await page.evaluate(() =>
      JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage), location.href]),
    );
    expect(kept).not.toContain('svc_test_');
    // The request can be looked at.
    const address = await page.getByRole('link', { name: 'This request in Usage' }).getAttribute('href');
    await page.goto(site.portalUrl + (address ?? ''));
    await page.getByRole('dialog', { name: 'Request' }).getByText('Replayed').first().waitFor();
  });

  test.each(['another page of the portal', 'another site', 'another project'])(
    'its key is refused once the page was left for %s',
    async (where) => {
      const made = notingKeys();
      await open();
      const projects = `/api/accounts/${settled.accountId}/projects`;
      if (where === 'another project') {
        await change(visited, 'POST', projects, { name: 'Maps' });
        await page.reload();
      }
      await button('Send').click();
      await shows('Charged, 1 unit');
      if (where === 'another project') {
        const project = page.getByLabel('Project');
        await project.selectOption((await project.inputValue()) === settled.projectId ? 'Maps' : settled.projectId);
      }
      if (where === 'another site') await page.goto(`${site.url}/docs`);
      if (where === 'another page of the portal') await page.getByRole('link', { name: 'Open the portal' }).click();
      await expectRefused(made[0] ?? '');
      visited.forgive('/docs');
      visited.forgive('Failed to load resource');
    },
  );

  const expectRefused = async (key: string): Promise<void> => {
    for (let tries = 0; tries < 50; tries++) {
      if ((await ping(site, key)).status === 401) return;
      await page.waitForTimeout(100);
    }
    throw new Error('The key still works.');
  };

  test('an error is met from its card, whatever was sent before; a lost answer was charged, and its repeat is free', async () => {
    await open('/docs/errors');
    await page.getByLabel('simulate').selectOption('ANSWER_LOST');
    await button('Send').click();
    await shows('Simulated, 1 unit');
    await button('Send again').click();
    await shows('Replayed, 0 units');
    const card = page
      .locator('section')
      .filter({ has: page.getByRole('heading', { name: /^QUOTA_EXCEEDED/ }) })
      .last();
    await card.getByText('Make this happen').click();
    await card.getByRole('button', { name: 'Send it now: QUOTA_EXCEEDED' }).click();
    await card.getByText('Simulated, 0 units').waitFor();
    await card.getByText('429', { exact: true }).last().waitFor();
    expect(await unitsUsed()).toBe(1);
    for (const text of ['429', '503']) visited.forgive(text);
  });

  test('what cannot be sent is said in plain words, and what was typed stays', async () => {
    await open();
    const body = '{"clientRequestId":"mine"}';
    await page.getByLabel('Body').fill(body);
    const stays = async (): Promise<void> => expect(await page.getByLabel('Body').inputValue()).toBe(body);
    await page.getByLabel('Idempotency-Key', { exact: true }).fill('次');
    await button('Send').click();
    await shows('A browser does not send such characters in a header.');
    await page.getByLabel('Idempotency-Key', { exact: true }).fill('order-1');
    const keys = `/api/accounts/${settled.accountId}/projects/${settled.projectId}/keys`;
    const made: string[] = [];
    for (let i = 0; i < 20; i++) made.push((await change<{ keyId: string }>(visited, 'POST', keys)).keyId);
    await button('Send').click();
    await shows('a key of the project');
    await stays();
    await change(visited, 'POST', `${keys}/${made[0] ?? ''}/revoke`);
    await page.route(`${site.url}/**`, (route) => route.abort());
    await button('Send').click();
    await shows(/did not answer in time, and may have charged/);
    await shows('Under its Idempotency-Key the same request is charged once');
    await stays();
    // Without one it is not said to be charged once.
    await page.getByLabel('Idempotency-Key', { exact: true }).fill('');
    await button('Send').click();
    await shows('Without an Idempotency-Key the same request is executed and charged again.');
    expect(await page.getByText('Under its Idempotency-Key the same request').count()).toBe(0);
    await page.getByLabel('Idempotency-Key', { exact: true }).fill('order-1');
    await button('Send').click();
    await shows('Under its Idempotency-Key the same request is charged once');
    await page.unroute(`${site.url}/**`);
    await button('Send again').click();
    await shows('Charged, 1 unit');
    // Somebody revokes the key meanwhile: the next request says so, the one after has another.
    const [own] = (await keysOf()).filter(({ name }) => name?.startsWith('Try it'));
    await change(visited, 'POST', `${keys}/${own?.keyId ?? ''}/revoke`);
    await button('Send again').click();
    await shows('Refused, 0 units');
    await button('Send again').click();
    await shows('Replayed, 0 units');
    await stays();
    for (const text of ['409', '401', 'net::ERR_FAILED']) visited.forgive(text);
  });

  test('without a network, and where the gateway lets the page read nothing, says so and continues', async () => {
    await open();
    await button('Send').click();
    await shows('Charged, 1 unit');
    await page.context().setOffline(true);
    await button('Send again').click();
    await shows('This browser is offline.');
    await shows('Not known whether it was charged');
    await look(page, 'try it, offline');
    await page.context().setOffline(false);
    const headers = { 'Access-Control-Allow-Origin': 'https://portal.example.com' };
    await page.route(`${site.url}/**`, (route) => route.fulfill({ status: 200, headers, body: '{}' }));
    await button('Send again').click();
    await shows(`its CORS settings do not name ${new URL(site.portalUrl).origin}`);
    await look(page, 'try it, blocked');
    await page.unroute(`${site.url}/**`);
    await button('Send again').click();
    await shows('Replayed, 0 units');
    expect(await unitsUsed()).toBe(1);
    for (const text of ['net::ERR', 'CORS policy']) visited.forgive(text);
  });

  test('its key is another one when its hour is over', async () => {
    await withoutTime(page);
    await holdClock(visited);
    const made = notingKeys();
    await open();
    await button('Send').click();
    await shows('Charged, 1 unit');
    await page.clock.fastForward('59:45');
    await button('Send again').click();
    await shows('Replayed, 0 units');
    expect(made).toHaveLength(1);
    await page.clock.fastForward('00:10');
    await button('Another Idempotency-Key').click();
    await button('Send').click();
    await shows('Charged, 1 unit');
    expect(made).toHaveLength(2);
    await expectRefused(made[0] ?? '');
    expect(await unitsUsed()).toBe(2);
  });
});

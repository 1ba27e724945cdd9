import { describe, expect, test } from '@jest/globals';
import { CURL_PING, UNKNOWN_GATEWAY } from '../../../portal/docs/samples.ts';
import { describeInPortal, page, site, visited } from '../../support/portal-browser.ts';
import { enter, settle, settleAtKeys, signIn } from '../../support/portal-visit.ts';
import { look } from './look.ts';

const PAGES = [
  ['/docs', 'Quick start'],
  ['/docs/keys', 'Keys and leaks'],
  ['/docs/testing', 'Testing'],
  ['/docs/changes', 'Changes'],
  ['/docs/errors', 'Errors'],
  ['/docs/limits', 'Limits'],
  ['/docs/idempotency', 'Idempotency'],
  ['/docs/webhooks', 'Webhooks'],
  ['/docs/automation', 'Automation'],
  ['/docs/reference', 'API reference'],
] as const;

describeInPortal('the documentation', () => {
  const open = async (path: string, heading: string): Promise<void> => {
    await page.goto(site.portalUrl + path);
    await shows(heading);
  };
  const shows = (heading: string): Promise<void> =>
    page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();

  test.each(PAGES)(
    '%s has nothing that axe finds, fits a narrow screen, and names this gateway to who is signed in',
    async (path, heading) => {
      await settle(visited);
      await open(path, heading);
      if (path === '/docs/limits') await page.getByRole('row', { name: 'Active keys in a project 20' }).waitFor();
      await page.getByRole('link', { name: 'Open the portal' }).waitFor();
      expect(await page.getByText('gateway.example').count()).toBe(0);
      await look(page, path);
    },
  );

  test('code is copied as it stands, with the address of this gateway and no key', async () => {
    await enter(visited);
    await open('/docs', 'Quick start');
    await page.getByRole('button', { name: 'Copy the curl command' }).click();
    await page.getByRole('button', { name: 'Copied the curl command' }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      CURL_PING.replace(UNKNOWN_GATEWAY, site.url),
    );
    expect(await page.locator('body').innerText()).not.toMatch(/svc_test_\w/);
  });

  test('who is not signed in reads it with this gateway’s address, as on the first page, and may sign in to the same page', async () => {
    await open('/', 'The gateway that counts exactly');
    await page
      .locator('pre', { hasText: `${site.url}/api/v1/sandbox/ping` })
      .first()
      .waitFor();
    await open('/docs/idempotency', 'Idempotency');
    await page
      .locator('pre', { hasText: `${site.url}/api/v1/sandbox/ping` })
      .first()
      .waitFor();
    expect(await page.getByText('gateway.example').count()).toBe(0);
    await look(page, 'documentation without a session');
    const addresses = await page
      .getByRole('link', { name: 'Sign in' })
      .evaluateAll((links) => links.map((link) => link.getAttribute('href')));
    expect(new Set(addresses)).toEqual(new Set(['/api/sign-in?returnTo=%2Fdocs%2Fidempotency']));
    await signIn(visited, '/docs/idempotency');
    expect(new URL(page.url()).pathname).toBe('/docs/idempotency');
  });

  describe('an address leads to a code', () => {
    const isAt = async (code: string): Promise<void> => {
      const heading = page.getByRole('heading', { name: code });
      await heading.waitFor();
      await page.waitForFunction((id) => document.activeElement?.id === id, code);
      const top = await heading.evaluate((element) => element.getBoundingClientRect().top);
      expect(top).toBeGreaterThanOrEqual(0);
      expect(top).toBeLessThan(await page.evaluate(() => innerHeight));
    };

    test('from outside, from another part of the page, and back', async () => {
      await page.goto(`${site.portalUrl}/docs/errors#RATE_LIMIT_EXCEEDED`);
      await isAt('RATE_LIMIT_EXCEEDED');
      await page.getByRole('radiogroup', { name: 'Language for RATE_LIMIT_EXCEEDED' }).waitFor();
      await page.getByRole('main').getByRole('link', { name: 'INVALID_API_KEY' }).click();
      await isAt('INVALID_API_KEY');
      await page.goBack();
      await isAt('RATE_LIMIT_EXCEEDED');
    });

    test('from the reference', async () => {
      await open('/docs/reference', 'API reference');
      // Each operation has this problem.
      await page.getByRole('link', { name: 'IDEMPOTENCY_CONFLICT' }).first().click();
      await isAt('IDEMPOTENCY_CONFLICT');
    });
  });

  test('the errors: whoever hears a control knows of which error it is, and Back returns to where one was', async () => {
    await open('/docs/errors', 'Errors');
    const sampleOf = (code: string) => page.getByRole('radiogroup', { name: `Language for ${code}` });
    expect(await page.getByRole('radiogroup').count()).toBe(0);
    // The sample of one error is open: that of the address, or the one that was chosen last.
    for (const code of ['QUOTA_EXCEEDED', 'API_KEY_PAUSED']) {
      await page
        .locator('section', { has: page.locator(`#${code}`) })
        .getByText('Make this happen')
        .click();
      await sampleOf(code).waitFor();
    }
    expect(await page.getByRole('radiogroup').count()).toBe(1);
    expect(await page.getByRole('button', { name: 'Copy the curl command for API_KEY_PAUSED' }).count()).toBe(1);

    await page.locator('#QUOTA_EXCEEDED').scrollIntoViewIfNeeded();
    const place = await page.evaluate(() => scrollY);
    expect(place).toBeGreaterThan(500);
    await page.getByRole('link', { name: 'Idempotency', exact: true }).first().click();
    await shows('Idempotency');
    expect(await page.evaluate(() => scrollY)).toBe(0);
    await page.goBack();
    await page.waitForFunction((y) => scrollY === y, place);
  });

  test('is there while the portal cannot say who is signed in', async () => {
    await page.route('**/api/session', (route) => route.abort());
    await open('/docs/errors', 'Errors');
    await page.getByRole('heading', { name: 'SERVICE_UNAVAILABLE' }).waitFor();
    visited.forgive('net::ERR_FAILED');
  });

  test('is fetched with its pages only, and from this origin alone', async () => {
    const isDocs = (url: string): boolean => url.includes('/assets/docs-');
    await settleAtKeys(visited);
    await page.getByLabel('Name of the key').waitFor();
    expect(visited.requests.map((request) => request.url()).filter(isDocs)).toEqual([]);
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Docs' }).click();
    await page.getByRole('heading', { name: 'Python' }).waitFor();
    const asked = visited.requests.map((request) => request.url());
    expect(asked.filter(isDocs)).toHaveLength(1);
    const sinceDocs = asked.slice(asked.findIndex(isDocs));
    expect(sinceDocs.filter((url) => new URL(url).origin !== site.portalUrl)).toEqual([]);
  });
});

import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { describeInPortal } from '../../support/portal-browser.ts';
import type { Site } from '../../support/portal-site.ts';
import { putUsage } from '../../support/portal-usage.ts';
import { downloaded, settle, type Visit } from '../../support/portal-visit.ts';
import { look } from './look.ts';

describeInPortal('the books', (onVisit) => {
  let site: Site;
  let visited: Visit;
  let page: Page;
  onVisit((portal) => ({ site, visited, page } = portal));

  test('are shown to be balanced, and a statement adds up to its SHA-256', async () => {
    const { projectPath, projectId } = await settle(visited);
    await page.goto(`${site.portalUrl}${projectPath}/usage`);
    // On a busy machine the first read may be incomplete, and the next one comes after 6 s.
    await page.getByText('Counter 0 = events 0').waitFor({ timeout: 40_000 });
    await look(page, 'balanced books');
    await page.getByRole('button', { name: 'Statement' }).click();
    await page.getByRole('menu').waitFor();
    await look(page, 'the menu of statements');
    const { name, text: csv } = await downloaded(page, () => page.getByRole('menuitem', { name: /so far$/ }).click());
    const period = new Date().toISOString().slice(0, 'YYYY-MM'.length);
    expect(name).toBe(`statement-${projectId}-${period}.csv`);
    const [hashed = '', sha256] = csv.split('sha256,');
    expect(hashed).toMatch(/\r\ncounter,0,\r\nsum,0,0\r\nstate,balanced,\r\n$/);
    expect(sha256).toBe(`${createHash('sha256').update(hashed).digest('hex')},\r\n`);
    // The page links to the reasons for missing requests.
    await page.getByRole('link', { name: 'what is not listed, and who finds it' }).click();
    await page.getByRole('heading', { name: 'Requests that are in no list' }).waitFor();
  });

  test('are read again while the result is undecided, and a difference is shown in words', async () => {
    const settled = await settle(visited);
    let checks = 0;
    await page.clock.install();
    await page.route('**/api/**/ledger', async (route) => {
      const response = await route.fetch();
      const counting = { state: 'counting', counter: null, events: null, difference: null, remaining: 2 };
      const answer = (await response.json()) as object;
      await route.fulfill({ response, json: checks++ === 0 ? { ...answer, ...counting } : answer });
    });
    await page.goto(`${site.portalUrl}${settled.projectPath}/usage`);
    await page.getByText('Still counting: 2 parts of the period are not summed yet.').waitFor();
    await look(page, 'books that are still counted');
    await page.clock.runFor(10_000);
    await page.getByText('Counter 0 = events 0').waitFor();
    // An event without a charge.
    await putUsage(site, settled, [{ occurredAt: new Date().toISOString() }]);
    await page.getByRole('button', { name: 'Check again' }).click();
    await page.getByText('The counter of your quota shows 0 units, your requests come to 1.').waitFor();
    await look(page, 'books that differ');
  });
});

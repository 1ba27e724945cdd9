import { expect, test } from '@jest/globals';
import { describeInPortal, page, site, visited } from '../../support/portal-browser.ts';
import { ping } from '../../support/portal-site.ts';
import { putUsage } from '../../support/portal-usage.ts';
import { downloaded, hold, settle, settleWithKey, type Settled } from '../../support/portal-visit.ts';
import { look } from './look.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const KEY = 'key_AAAAAAAAAAAAAAAA';

interface UsageAnswer {
  complete: boolean;
  remaining: number;
  buckets: { start: string; chargedOnly: boolean }[];
  total: { chargedOnly: boolean };
}

describeInPortal('usage', () => {
  /** A time this many hours ago, in the middle of its hour. */
  const ago = (hours: number): string => {
    const hour = Math.floor(Date.now() / HOUR_MS) - hours;
    return new Date(hour * HOUR_MS + HOUR_MS / 2).toISOString();
  };
  const used = async (): Promise<Settled> => {
    const settled = await settle(visited);
    const limited = { event: 'rate_limit_rejected', status: 429, code: 'RATE_LIMIT_EXCEEDED', units: 0 } as const;
    await putUsage(site, settled, [
      { occurredAt: ago(3), keyId: KEY, latencyMs: 10 },
      { occurredAt: ago(3), keyId: KEY, latencyMs: 30 },
      { occurredAt: ago(3), keyId: KEY, latencyMs: 8, ...limited },
      { occurredAt: ago(5), latencyMs: 20 },
      { occurredAt: ago(60), latencyMs: 20 },
    ]);
    return settled;
  };
  const open = async ({ projectPath }: Settled, search = ''): Promise<void> => {
    await page.goto(`${site.portalUrl}${projectPath}/usage${search}`);
    await page.getByRole('img', { name: /^Requests by outcome/ }).waitFor();
  };
  const chart = (text: string) => page.getByRole('img', { name: text }).first();
  const press = (name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();

  test('and its ages go by the portal’s clock, on a device whose clock is wrong: no range is asked for before it has told the time', async () => {
    const settled = await settleWithKey(visited);
    await ping(site, settled.key);
    for (const days of [-33, 33]) {
      await page.clock.install({ time: Date.now() + days * DAY_MS });
      const asked = visited.requests.length;
      await open(settled);
      await chart('in the last 24 hours: 1 request: 1 succeeded').waitFor();
      await page.goto(`${site.portalUrl}${settled.projectPath}/requests`);
      const time = page.getByRole('table', { name: 'Requests', exact: true }).locator('time').first();
      // Of today, so without its day.
      expect(await time.innerText()).toMatch(/^\d\d:\d\d:\d\d$/);
      const requests = visited.requests.slice(asked).map((request) => new URL(request.url()));
      const spans = requests.filter(({ searchParams }) => searchParams.has('since'));
      expect(spans.length).toBeGreaterThan(2);
      for (const { searchParams } of spans) {
        const sinceMs = Date.parse(searchParams.get('since') ?? '');
        expect(Math.floor(Date.now() / HOUR_MS) - sinceMs / HOUR_MS).toBe(23);
      }
      await page.goto(`${site.portalUrl}${settled.projectPath}/keys`);
      await page.getByRole('table', { name: 'Keys' }).getByText('just now').waitFor();
    }
  });

  test('is drawn over each range, in words and as a table of the same figures', async () => {
    const settled = await used();
    await open(settled);
    await chart('in the last 24 hours: 4 requests: 3 succeeded, 1 rate limited.').waitFor();
    await chart('Latency in the last 24 hours: p50').waitFor();
    await page.getByRole('link', { name: '7 days' }).click();
    await chart('in the last 7 days: 5 requests: 4 succeeded, 1 rate limited.').waitFor();
    await page.getByText('Days are those of UTC').waitFor();
    await press('Requests by outcome: show as table');
    const table = page.getByRole('table', { name: 'Requests by outcome' });
    await table.waitFor();
    const rows = await table.getByRole('row').allInnerTexts();
    expect(rows).toHaveLength(8);
    const total = rows.slice(1).reduce((sum, row) => sum + Number(row.split('\t')[1]), 0);
    expect(total).toBe(5);

    // The address contains all of it.
    await page.reload();
    await table.waitFor();
    expect(await page.getByRole('link', { name: '7 days' }).getAttribute('aria-current')).toBe('true');
    await page.goBack();
    // The other chart was shown before, too.
    await chart('in the last 7 days: 5 requests').waitFor();

    // Two that are turned before either is drawn.
    await page.evaluate(() => {
      for (const turn of document.querySelectorAll<HTMLElement>('[aria-label$=": show as table"]')) turn.click();
    });
    await table.waitFor();
    await page.getByRole('table', { name: 'Latency' }).waitFor();
  });

  test('is gone through by the arrow keys, in the time zone of the reader, and one time leads to its requests', async () => {
    const settled = await used();
    const session = await visited.context.newCDPSession(page);
    await session.send('Emulation.setTimezoneOverride', { timezoneId: 'Asia/Kolkata' });
    await open(settled);
    await page.getByText(/Times are those of your time zone, Asia\/(Kolkata|Calcutta)\./).waitFor();
    // On a busy machine the first answer lacks some hours, and the page asks again.
    await chart('4 requests: 3 succeeded').waitFor();
    const slider = page.getByRole('slider', { name: 'Requests by outcome: look at one time' });
    const hour = new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS + 5.5 * HOUR_MS).toISOString().slice(11, 16);
    expect(await slider.getAttribute('aria-valuetext')).toContain(`, ${hour} to `);
    await slider.focus();
    for (let count = 0; count < 3; count++) await page.keyboard.press('ArrowLeft');
    expect(await slider.getAttribute('aria-valuetext')).toContain('3 requests: 2 succeeded, 1 rate limited');
    await page.keyboard.press('Enter');
    const requests = page.getByRole('table', { name: 'Requests', exact: true });
    await page.getByRole('button', { name: 'Clear' }).waitFor();
    await requests.getByText('Rate limited').waitFor();
    expect(await requests.getByRole('row').count()).toBe(4);
  });

  test('without all sums yet draws what there is and goes on by itself; says where only charged requests are left', async () => {
    const settled = await used();
    let answers = 0;
    await page.route('**/api/**/usage?*', async (route) => {
      if (route.request().url().includes('by=key')) return route.fallback();
      const response = await route.fetch();
      const answer = (await response.json()) as UsageAnswer;
      answer.total.chargedOnly = true;
      for (const bucket of answer.buckets.slice(-2)) bucket.chargedOnly = true;
      if (++answers === 1) {
        answer.complete = false;
        answer.buckets.splice(0, 20);
        answer.remaining = 20;
      }
      await route.fulfill({ response, json: answer });
    });
    await open(settled);
    await page.getByText('4 of 24 are summed so far; the rest follows by itself.').waitFor();
    await page.getByText('summed so far').waitFor({ state: 'detached' });
    await chart('4 requests').waitFor();
    await page.getByText('only charged requests are counted').waitFor();
    await press('Requests by outcome: show as table');
    await page.getByRole('table', { name: 'Requests by outcome' }).waitFor();
    expect(await page.getByText('charged only').count()).toBe(2);
  });

  test('that is read moves nothing for who wants no motion', async () => {
    const settled = await settle(visited);
    const release = await hold(page, '**/api/**/usage?*');
    await page.goto(`${site.portalUrl}${settled.projectPath}/usage`);
    await page.getByText('Reading the usage').waitFor();
    const moving = await page.evaluate(() =>
      document
        .getAnimations()
        .filter((animation) => Number(animation.effect?.getComputedTiming().duration) > 0)
        .map(({ id }) => id),
    );
    expect(moving).toEqual([]);
    release();
    await page.getByText('No request in the last 24 hours.').first().waitFor();
  });

  test('is proved by counter and events: read again while that is undecided, a statement, and a difference in words', async () => {
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
    await look(page, 'balanced books');
    await press('Statement');
    const { name, text } = await downloaded(page, () => page.getByRole('menuitem', { name: /so far$/ }).click());
    const period = new Date().toISOString().slice(0, 'YYYY-MM'.length);
    expect(name).toBe(`statement-${settled.projectId}-${period}.csv`);
    expect(text).toContain('\r\nstate,balanced,\r\n');
    // An event without a charge.
    await putUsage(site, settled, [{ occurredAt: new Date().toISOString() }]);
    await press('Check again');
    await page.getByText('The counter of your quota shows 0 units, your requests come to 1.').waitFor();
    await look(page, 'books that differ');
  });

  test('has nothing that axe finds, on a narrow screen or at 400 %, as charts and as tables', async () => {
    const settled = await used();
    await open(settled);
    await look(page, 'usage of a day');
    await open(settled, '?range=period');
    await page.getByRole('img', { name: /^Quota of this period/ }).waitFor();
    await look(page, 'usage of a period');
    await page.goto(`${site.portalUrl}${settled.projectPath}/usage?range=30d&tables=outcomes,latency,quota`);
    await page.getByRole('table', { name: 'Latency' }).waitFor();
    await look(page, 'usage as tables');
  });
});

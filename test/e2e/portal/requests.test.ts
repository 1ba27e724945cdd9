import { describe, expect, test } from '@jest/globals';
import type { Request } from 'playwright-core';
import { describeInPortal, page, site, visited } from '../../support/portal-browser.ts';
import { ping } from '../../support/portal-site.ts';
import { putUsage } from '../../support/portal-usage.ts';
import { until } from '../../support/processes.ts';
import {
  change,
  downloaded,
  holdClock,
  type Settled,
  typeTime,
  settleWithKey,
  withoutTime,
} from '../../support/portal-visit.ts';
import { drawn, look } from './look.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
/** The maximum time until a new request appears. */
const SEEN_MS = 5_000;

describeInPortal('requests', () => {
  const ago = (milliseconds: number): string => new Date(Date.now() - milliseconds).toISOString();
  /** Puts requests of the last hours, the newest an hour old. */
  const older = (settled: Settled, count: number) =>
    putUsage(
      site,
      settled,
      Array.from({ length: count }, (_, index) => ({
        occurredAt: ago(60 * MINUTE_MS + index * SECOND_MS),
        clientRequestId: `old-${index}`,
      })),
    );
  const list = () => page.getByRole('table', { name: 'Requests', exact: true });
  const rows = async (): Promise<number> => (await list().getByRole('row').count()) - 1;
  const open = async ({ projectPath }: Settled, search = ''): Promise<void> => {
    await page.goto(`${site.portalUrl}${projectPath}/requests${search}`);
    await list().waitFor();
  };
  const press = (name: string | RegExp): Promise<void> =>
    page.getByRole('button', { name, exact: typeof name === 'string' }).click();

  describe('live', () => {
    test('a new one is announced within five seconds to a reader further down, and moves nothing', async () => {
      const settled = await settleWithKey(visited);
      await older(settled, 30);
      await open(settled);
      const read = list().getByText('old-20', { exact: true });
      await read.scrollIntoViewIfNeeded();
      await page.mouse.wheel(0, 150);
      await page.waitForFunction(
        () => (document.querySelector('table[aria-label="Requests"]')?.getBoundingClientRect().top ?? 0) < 0,
      );
      await ping(site, settled.key);
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
      const before = await read.boundingBox();
      const news = page.getByRole('button', { name: '1 new request' });
      await news.waitFor({ timeout: SEEN_MS });
      expect(await read.boundingBox()).toEqual(before);
      expect(await list().getByText('CI').count()).toBe(0);

      await news.click();
      await list().getByText('CI').waitFor();
      await news.waitFor({ state: 'detached' });
    });

    test('a new one is on top within five seconds, and older ones stay: the list has no gap and no request twice', async () => {
      const settled = await settleWithKey(visited);
      await older(settled, 60);
      await open(settled);
      await press('Older requests');
      await list().getByText('old-49', { exact: true }).waitFor();
      await page.evaluate(() => scrollTo(0, 0));
      await page.mouse.move(0, 0);
      await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
      await ping(site, settled.key);
      await list().getByText('CI').waitFor({ timeout: SEEN_MS });
      expect(await rows()).toBe(51);
      expect(await list().getByRole('row').nth(1).innerText()).toContain('CI');
      await press('Older requests');
      await list().getByText('old-59', { exact: true }).waitFor();
      const names = (await list().innerText()).match(/old-\d+/g) ?? [];
      expect(names).toEqual(Array.from({ length: 60 }, (_, index) => `old-${index}`));
    });

    test('three pages together read little more often than one', async () => {
      const settled = await settleWithKey(visited);
      await older(settled, 1);
      await open(settled);
      const others = [await settled.context.newPage(), await settled.context.newPage()];
      for (const other of others) {
        await other.goto(page.url());
        await other.getByRole('table', { name: 'Requests', exact: true }).waitFor();
      }
      await holdClock(settled);
      let reads = 0;
      let unanswered = 0;
      const isRead = (request: Request): boolean => request.url().includes('/events?');
      const onEnd = (request: Request): void => void (unanswered -= isRead(request) ? 1 : 0);
      settled.context.on('request', (request) => {
        if (isRead(request)) [reads, unanswered] = [reads + 1, unanswered + 1];
      });
      settled.context.on('requestfinished', onEnd);
      settled.context.on('requestfailed', onEnd);
      /** All pages have the same clock. */
      const pass = async (seconds: number): Promise<number> => {
        const before = reads;
        for (let second = 0; second < seconds; second++) {
          await settled.context.clock.runFor(SECOND_MS);
          await page.waitForTimeout(20);
          // The next is due so long after the answer.
          await until(() => unanswered === 0);
        }
        return reads - before;
      };
      // At their first read they learn of each other.
      await pass(12);
      expect(await pass(30)).toBeLessThanOrEqual(15);
    });

    test('only while one wants it', async () => {
      const settled = await settleWithKey(visited);
      await older(settled, 1);
      await open(settled, '?live=off');
      expect(await page.getByRole('checkbox', { name: 'Live' }).isChecked()).toBe(false);
      await holdClock(visited);
      const asked = visited.requests.length;
      await page.clock.runFor(20 * SECOND_MS);
      const events = visited.requests.slice(asked).filter((request) => request.url().includes('/events'));
      expect(events).toEqual([]);
    });
  });

  test('of another range begin where that range does, however long the page has been open', async () => {
    const settled = await settleWithKey(visited);
    await older(settled, 1);
    const nowMs = Date.now();
    await withoutTime(page);
    await holdClock(visited, nowMs - 180 * MINUTE_MS);
    await open(settled, '?live=off');
    await page.clock.fastForward('03:00:00');
    const [read] = await Promise.all([
      page.waitForRequest((request) => request.url().includes('/events?')),
      page.getByRole('link', { name: 'Hour', exact: true }).click(),
    ]);
    const since = new URL(read.url()).searchParams.get('since') ?? '';
    expect(nowMs - Date.parse(since)).toBeLessThanOrEqual(60 * MINUTE_MS);
  });

  test('filters are in the address, which shows the same again; of a wrong span what was typed stays', async () => {
    const settled = await settleWithKey(visited);
    await older(settled, 2);
    const limited = { event: 'rate_limit_rejected', status: 429, code: 'RATE_LIMIT_EXCEEDED', units: 0 } as const;
    const [, first] = await putUsage(site, settled, [
      { occurredAt: ago(50 * MINUTE_MS), ...limited },
      { occurredAt: ago(40 * MINUTE_MS), ...limited, keyId: settled.keyId },
    ]);
    await open(settled);
    await press('Filter');
    await page.getByLabel('Outcome', { exact: true }).selectOption({ label: 'Rate limited' });
    await page.getByLabel('Code', { exact: true }).selectOption('RATE_LIMIT_EXCEEDED');
    await until(async () => (await rows()) === 2);
    await page.getByRole('group', { name: 'Filters' }).getByLabel('Key').selectOption(settled.keyId);
    await until(async () => (await rows()) === 1);
    const { searchParams } = new URL(page.url());
    expect(Object.fromEntries(searchParams)).toEqual({
      event: 'rate_limit_rejected',
      code: 'RATE_LIMIT_EXCEEDED',
      key: settled.keyId,
    });
    await page.reload();
    await list().getByText('CI').waitFor();
    expect(await rows()).toBe(1);
    await page.getByRole('button', { name: 'Without Outcome: Rate limited' }).waitFor();
    await press('Filter');
    expect(await page.getByLabel('Outcome', { exact: true }).inputValue()).toBe('rate_limit_rejected');

    const since = new Date(Date.parse(first?.occurredAt ?? '') + MINUTE_MS).toISOString();
    await page.goto(`${site.portalUrl}${settled.projectPath}/requests?since=${since}`);
    await page.getByText('No request matches these filters.').waitFor();
    await look(page, 'requests of no match');
    await page.goBack();
    await until(async () => (await rows()) === 1);
    await press('Clear');
    await until(async () => (await rows()) === 4);

    await press('Filter');
    await typeTime(page, 'From', '2026-01-02T10:00');
    await page.waitForURL(/since=/);
    await typeTime(page, 'To', '2026-01-02T09:00');
    await page.getByText('“To” must be later than “From”.').waitFor();
    const parts = await page.getByRole('group', { name: 'To', exact: true }).getByRole('spinbutton').allInnerTexts();
    expect(parts.map((part) => part.trim())).toEqual(['02', '01', '2026', '9', '00']);
    expect(page.url()).not.toContain('until');
    await typeTime(page, 'To', '2026-01-02T11:00');
    await page.waitForURL(/until=/);
  });

  test('that were refused alike are one row, with the number of all of them, which opens; one of several in a minute says so', async () => {
    const settled = await settleWithKey(visited);
    const limited = { event: 'rate_limit_rejected', status: 429, code: 'RATE_LIMIT_EXCEEDED', units: 0 } as const;
    const revoked = { event: 'request_rejected', status: 401, code: 'API_KEY_REVOKED', units: 0 } as const;
    const minuteMs = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS - 10 * MINUTE_MS;
    const at = (second: number): string => new Date(minuteMs + second * SECOND_MS).toISOString();
    // More than the list reads at once.
    await putUsage(site, settled, [
      { occurredAt: at(50), keyId: settled.keyId, ...revoked },
      ...Array.from({ length: 28 }, (_, nth) => ({
        occurredAt: at(44 + Math.floor(nth / 10)),
        keyId: settled.keyId,
        userAgent: 'curl/8.5.0',
        ...limited,
      })),
      { occurredAt: at(43), keyId: settled.keyId, clientRequestId: 'before' },
    ]);
    await open(settled);
    const run = list().getByRole('button', { name: /^28 × 429, .*:44 to .*:46, curl\/8\.5\.0$/ });
    await run.waitFor();
    expect(await rows()).toBe(3);
    await list().getByRole('row').nth(1).getByText('at least 1 in this minute').waitFor();
    await look(page, 'a run');
    await run.press('Enter');
    expect([await rows(), await run.getAttribute('aria-expanded')]).toEqual([31, 'true']);
    const [newest] = await list().getByRole('row').filter({ hasText: 'RATE_LIMIT' }).nth(1).getByRole('link').all();
    await newest?.click();
    await page.getByRole('dialog', { name: 'Request' }).getByText('RATE_LIMIT_EXCEEDED').first().waitFor();
    await press('Close');
    await run.click();
    expect(await rows()).toBe(3);

    // Another one comes, and the rest of what was read stays.
    await ping(site, settled.key);
    await page.getByRole('button', { name: '1 new request' }).click({ timeout: SEEN_MS });
    await list().getByText('Succeeded').nth(1).waitFor();
    expect(await rows()).toBe(4);
    await run.waitFor();
  });

  test('“at least” says so where a run is longer than what is read of it', async () => {
    const settled = await settleWithKey(visited);
    const limited = { event: 'rate_limit_rejected', status: 429, code: 'RATE_LIMIT_EXCEEDED', units: 0 } as const;
    const minuteMs = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS - 10 * MINUTE_MS;
    const burst = Array.from({ length: 230 }, (_, nth) => ({
      occurredAt: new Date(minuteMs + nth * 200).toISOString(),
      keyId: settled.keyId,
      ...limited,
    }));
    await putUsage(site, settled, burst);
    await open(settled, '?live=off');
    await list()
      .getByRole('button', { name: /^at least 200 × 429, / })
      .waitFor();
    await press('Older requests');
    await list()
      .getByRole('button', { name: /^at least 225 × 429, / })
      .waitFor();
    await press('Older requests');
    await list()
      .getByRole('button', { name: /^230 × 429, / })
      .waitFor();
    expect(await rows()).toBe(1);
  });

  test('of a span are those that is drawn on the chart above them, by mouse, finger or arrow keys; it is in the address', async () => {
    const settled = await settleWithKey(visited);
    const hourMs = 60 * MINUTE_MS;
    const ofHour = (hours: number): string =>
      new Date(Math.floor(Date.now() / hourMs) * hourMs - hours * hourMs).toISOString();
    await putUsage(
      site,
      settled,
      [2, 3, 4, 8].map((hours) => ({
        occurredAt: new Date(Date.parse(ofHour(hours)) + 1).toISOString(),
        clientRequestId: `${hours} h`,
      })),
    );
    await open(settled);
    await until(async () => (await rows()) === 4);
    const slider = page.getByRole('slider');
    const box = await slider.boundingBox();
    if (!box) throw new Error('There is no chart.');
    const place = (hours: number): number => box.x + ((23.5 - hours) / 24) * box.width;
    const spanOf = () => ['since', 'until'].map((name) => new URL(page.url()).searchParams.get(name));
    await page.mouse.move(place(4), box.y + 20);
    await page.mouse.down();
    await page.mouse.move(place(3), box.y + 20, { steps: 4 });
    await page.mouse.move(place(3), box.y + 500);
    await page.mouse.up();
    await until(async () => (await rows()) === 2);
    expect(spanOf()).toEqual([ofHour(4), ofHour(2)]);
    await page.reload();
    await until(async () => (await rows()) === 2);
    await look(page, 'requests of a span');

    await slider.focus();
    for (const key of ['End', 'ArrowLeft', 'ArrowLeft', 'Shift+ArrowLeft', 'Enter']) await slider.press(key);
    await until(() => Promise.resolve(spanOf().join() === [ofHour(3), ofHour(1)].join()));
    await until(async () => (await rows()) === 2);
    // A range begins without the span of another.
    await page.getByRole('link', { name: '7 days', exact: true }).click();
    await until(async () => (await rows()) === 4);
    expect(spanOf()).toEqual([null, null]);
  });

  test('were on the page of usage once: each address of then leads here, with its filter, and a plain one does not', async () => {
    const settled = await settleWithKey(visited);
    const [event] = await older(settled, 1);
    const usage = `${site.portalUrl}${settled.projectPath}/usage`;
    const requests = `${settled.projectPath}/requests`;
    for (const [old, here] of [
      [`?request=${event?.requestId}`, `?request=${event?.requestId}`],
      ['?range=30d&client=old-0#requests', '?range=30d&client=old-0'],
      [`?key=${settled.keyId}`, `?key=${settled.keyId}`],
      ['?range=7d#requests', '?range=7d'],
      ['?event=request_succeeded&live=off', '?event=request_succeeded&live=off'],
    ] as const) {
      await page.goto(usage + old);
      await page.waitForURL(site.portalUrl + requests + here);
    }
    await list().waitFor();
    await page.goto(`${usage}?range=7d&tables=latency`);
    await page.getByRole('table', { name: 'Latency' }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`${settled.projectPath}/usage`);
  });

  test('and usage read only what they show: the list no sums by key and no books, the figures no list', async () => {
    const settled = await settleWithKey(visited);
    await older(settled, 1);
    const readOn = async (path: string): Promise<string[]> => {
      const asked = visited.requests.length;
      await page.goto(`${site.portalUrl}${settled.projectPath}/${path}`, { waitUntil: 'networkidle' });
      const reads = visited.requests.slice(asked).map((request) => new URL(request.url()));
      const ofProject = reads.filter(({ pathname }) => pathname.startsWith(`/api${settled.projectPath}/`));
      return [
        ...new Set(
          ofProject.map(({ pathname, searchParams }) =>
            searchParams.get('by') === 'key' ? 'by key' : pathname.slice(`/api${settled.projectPath}/`.length),
          ),
        ),
      ].sort();
    };
    expect(await readOn('requests?live=off')).toEqual(['events', 'keys', 'usage']);
    expect(await readOn('usage')).toEqual(['by key', 'keys', 'ledger', 'usage']);
  });

  test('are bounded by the time that a field shows: without seconds, and by the next one where the clock was put forward', async () => {
    const settled = await settleWithKey(visited);
    const session = await page.context().newCDPSession(page);
    await session.send('Emulation.setTimezoneOverride', { timezoneId: 'Europe/Berlin' });
    const requests = `${site.portalUrl}${settled.projectPath}/requests`;
    const since = () => new URL(page.url()).searchParams.get('since');

    await page.goto(`${requests}?since=2026-01-02T10:00:37.123Z`);
    await press('Filter');
    await page
      .getByRole('group', { name: 'From', exact: true })
      .getByRole('spinbutton', { name: /minute/ })
      .click();
    await page.keyboard.type('05');
    await page.keyboard.press('Enter');
    await until(() => Promise.resolve(since() === '2026-01-02T10:05:00.000Z'));

    await page.goto(requests);
    await press('Filter');
    await typeTime(page, 'From', '2026-03-29T02:30');
    await page.getByText('Not here?').click();
    await until(() => Promise.resolve(since() === '2026-03-29T01:30:00.000Z'));
    await session.detach();
  });

  test('one that is pressed twice is opened once, two presses lead to the next but one, and two close it once', async () => {
    const settled = await settleWithKey(visited);
    const events = await older(settled, 3);
    await open(settled);
    const steps = await page.evaluate(() => history.length);
    const link = list().getByRole('link').first();
    await link.evaluate((anchor: HTMLElement) => {
      anchor.focus();
      anchor.click();
      anchor.click();
    });
    const drawer = page.getByRole('dialog', { name: 'Request' });
    await drawer.waitFor();
    expect(await page.evaluate(() => history.length)).toBe(steps + 1);
    await drawer.getByRole('button', { name: 'Older request' }).evaluate((older: HTMLElement) => {
      older.click();
      older.click();
    });
    await page.waitForURL((url) => url.searchParams.get('request') === events[2]?.requestId);
    await drawer.getByRole('button', { name: 'Close' }).evaluate((close: HTMLElement) => {
      close.click();
      close.click();
    });
    await drawer.waitFor({ state: 'detached' });
    expect(new URL(page.url()).pathname).toBe(`${settled.projectPath}/requests`);
    expect(new URL(page.url()).search).toBe('');
    const focused = await link.elementHandle();
    await page.waitForFunction((row) => document.activeElement === row, focused);
  });

  test('are rows of two lines on phones; one is shown whole at an address of its own, with what to do and its id to copy', async () => {
    const name = 'The production server of the trip planner';
    const settled = await settleWithKey(visited, { name });
    await ping(site, settled.key);
    expect((await ping(site, settled.key, { 'Idempotency-Key': 'ä' })).status).toBe(400);
    await open(settled);
    await list().getByText('Refused').waitFor();
    for (const width of [320, 360, 390]) {
      await page.setViewportSize({ width, height: 800 });
      await drawn(page);
      const heights = await list()
        .locator('time, bdi[title]')
        .evaluateAll((parts) => parts.map((part) => Math.round(part.getBoundingClientRect().height / 20)));
      expect([width, heights]).toEqual([width, [1, 1, 1, 1]]);
    }
    expect(await list().getByTitle(name).count()).toBe(2);
    await list().getByRole('link').first().click();
    const dialog = page.getByRole('dialog', { name: 'Request' });
    await dialog.getByText('Use 1 to 255 visible ASCII characters').waitFor();
    await look(page, 'one request');
    const address = page.url();
    const requestId = new URL(address).searchParams.get('request');
    await dialog.getByRole('button', { name: `Copy the id of the request, ${requestId}` }).click();
    await until(async () => (await page.evaluate(() => navigator.clipboard.readText())) === requestId);
    await page.goBack();
    await dialog.waitFor({ state: 'detached' });
    await page.goForward();
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).toBe('');

    await page.goto(address);
    await dialog.getByText('INVALID_IDEMPOTENCY_KEY').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).toBe('');

    await page.goto(address.replace(requestId ?? '', '00000000-0000-4000-8000-000000000000'));
    await dialog.getByText('There is no such request here.').waitFor();
    visited.forgive('status of 404');
  });

  test('one tells who made it be refused, and when; a charged one its repeats, and whether its name was charged again', async () => {
    const settled = await settleWithKey(visited);
    const send = (key: string, body: object) =>
      ping(site, settled.key, { 'Idempotency-Key': key }, JSON.stringify(body));
    for (const key of ['first', 'first', 'second']) await send(key, { clientRequestId: 'order-7' });
    await send('first', { clientRequestId: 'order-8' });
    await change(settled, 'POST', `${settled.path}/revoke`);
    await ping(site, settled.key);
    await open(settled);
    const drawer = page.getByRole('dialog', { name: 'Request' });
    const show = async (outcome: string, nth = 0) => {
      await list().getByRole('row').filter({ hasText: outcome }).nth(nth).getByRole('link').click();
      await drawer.waitFor();
    };
    await show('API_KEY_REVOKED');
    await drawer.getByText(/^Revoked by .+ \(.+@.+\), \d+ s before this request\.$/).waitFor();
    await look(page, 'the cause of a refusal');
    await press('Close');
    await show('IDEMPOTENCY_CONFLICT');
    await drawer.getByText(/^The Idempotency-Key was used first, \d+ s before this request\.$/).waitFor();
    await press('Close');
    await show('Succeeded', 1);
    await drawer.getByRole('link', { name: /^Replayed under its Idempotency-Key/ }).waitFor();
    await drawer.getByText('Charged twice: 2 units, among those that were read.').waitFor();
    await press('Look for its repeats');
    await drawer.getByText('Charged twice: 2 units. They had different Idempotency-Keys').waitFor();
    await look(page, 'a charge and its repeats');
  });

  test('a file in parts: its progress is shown, it can be cancelled, and after a failure it goes on where it stopped', async () => {
    const settled = await settleWithKey(visited);
    await older(settled, 1);
    let answer = (): void => undefined;
    let isAway = false;
    await page.route('**/events.csv*', async (route) => {
      const isFirst = !route.request().url().includes('cursor=');
      if (!isFirst && isAway) return route.abort();
      if (!isFirst) await new Promise<void>((resolve) => (answer = resolve));
      const headers = { 'Content-Type': 'text/csv', ...(isFirst && { 'X-Next-Cursor': 'second' }) };
      const body = `name\r\n${isFirst ? 'first' : 'second'}\r\n`;
      // The page may have cancelled the request.
      return route.fulfill({ headers, body }).catch(() => undefined);
    });
    let downloads = 0;
    page.on('download', () => downloads++);
    await open(settled);
    await press('Export CSV');
    await page.getByText('Exporting: 1 request so far').waitFor();
    await look(page, 'exporting');
    await press('Cancel the export');
    answer();
    await page.getByText('Exporting').waitFor({ state: 'detached' });
    expect(downloads).toBe(0);

    isAway = true;
    await press('Export CSV');
    await page.getByText('The export stopped after 1 request.').waitFor();
    isAway = false;
    const { text } = await downloaded(page, async () => {
      await press('Go on');
      await page.getByText('Exporting: 1 request so far').waitFor();
      answer();
    });
    expect(text).toBe('name\r\nfirst\r\nsecond\r\n');
    await page.getByText('Exported 2 requests.').waitFor();
    visited.forgive('net::ERR_FAILED');
  });
});

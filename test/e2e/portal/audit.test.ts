import { expect, test } from '@jest/globals';
import { describeInPortal, page, site, visited } from '../../support/portal-browser.ts';
import { until } from '../../support/processes.ts';
import { change, downloaded, newKey, operate, settle, type Settled, typeTime } from '../../support/portal-visit.ts';

describeInPortal('the audit', () => {
  const changes = () => page.getByRole('table', { name: 'Changes' });
  const open = ({ accountId }: Settled, query = '') =>
    page.goto(`${site.portalUrl}/accounts/${accountId}/audit${query}`);
  const listed = async (): Promise<string[]> => {
    await changes().waitFor();
    return (await changes().getByRole('row').allInnerTexts()).slice(1);
  };
  const renamed = (settled: Settled, name: string) => change(settled, 'PATCH', `/api${settled.projectPath}`, { name });

  test('tells who did what, newest first, with values before and after, and is a file of what the filter lets through', async () => {
    const settled = await settle(visited);
    const { path } = await newKey(settled, { name: 'CI' });
    await change(settled, 'POST', `${path}/revoke`);
    await operate(site, 'project', 'update', '--project', settled.projectId, '--quota', '50000');
    await open(settled);
    // Names of keys and projects come after the changes.
    await page
      .getByRole('cell', { name: /^Key revoked/ })
      .getByText('CI')
      .waitFor();
    await page
      .getByRole('cell', { name: /^Project changed/ })
      .getByText('Trip planner')
      .waitFor();
    const rows = await listed();
    expect(rows).toHaveLength(5);
    expect(rows[0]).toMatch(/platform team[^]*Project changed[^]*Trip planner[^]*Quota: 10.000 to 50.000/);
    expect(rows[1]).toMatch(/Key revoked[^]*CI[^]*State: active to revoked/);
    expect(rows[1]).toContain(visited.email);
    expect(rows[2]).toMatch(/Key created/);
    expect(rows[3]).toMatch(/Project created/);
    expect(rows[4]).toMatch(/Account created/);
    expect(await changes().locator('del').first().innerText()).toMatch(/^10.000$/);
    expect(await changes().locator('[title]:has(time)').first().getAttribute('title')).toMatch(/\d{4}/);

    await page.getByLabel('Change', { exact: true }).selectOption({ label: 'Project changed' });
    await changes().getByText('Project created').waitFor({ state: 'detached' });
    const { name, text } = await downloaded(page, () => page.getByRole('button', { name: 'Export CSV' }).click());
    expect(name).toMatch(new RegExp(`^audit-${settled.accountId}-\\d{4}-\\d\\d-\\d\\d\\.csv$`));
    expect(text.trim().split('\r\n')).toHaveLength(2);
    await page.getByText('Exported 1 change.').waitFor();
  });

  test('names what was changed as the pages do, and what was absent by what that means', async () => {
    const settled = await settle(visited);
    const account = `/api/accounts/${settled.accountId}`;
    const { path } = await newKey(settled, { name: 'CI', unitsLimit: 7 });
    for (const body of [{ unitsLimit: null }, { paused: true }]) await change(settled, 'PATCH', path, body);
    await change(settled, 'PATCH', `${account}/thresholds`, { percents: [50], days: [] });
    await change(settled, 'PATCH', `${account}/mails`, { team: false });
    await open(settled);
    const rows = (await listed()).join('\n');
    for (const words of ['Cap: 7 to no cap', 'Paused: no to yes', 'Mails of the team: yes to no']) {
      expect(rows).toContain(words);
    }
    expect(rows).toMatch(/Days before an expiry: the default to none[^]*Percent of a quota or cap: the default to 50/);
    expect(rows).not.toMatch(/\b[a-z]+[A-Z]\w*:/);
  });

  test('is filtered by person, kind and time, and its address leads another time to the same', async () => {
    const settled = await settle(visited);
    await renamed(settled, 'Trips');
    await open(settled);
    await page.getByLabel('Change', { exact: true }).selectOption({ label: 'Project changed' });
    await changes().getByText('Project created').waitFor({ state: 'detached' });
    expect(await listed()).toHaveLength(1);
    await page.reload();
    expect(await listed()).toHaveLength(1);
    expect(new URL(page.url()).search).toBe('?action=project.update');
    await page.getByLabel('By', { exact: true }).selectOption({ label: 'Platform team' });
    await page.getByText('There is no such change.').waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    await changes().getByText('Account created').waitFor();
    expect(new URL(page.url()).search).toBe('');
    await typeTime(page, 'To', '2020-01-01T00:00');
    await page.getByText('There is no such change.').waitFor();
    expect(new URL(page.url()).searchParams.get('until')).toMatch(/^(2019-12-31|2020-01-01)T\d\d:\d\d:00.000Z$/);
    await open(settled, '?action=unheard-of&since=yesterday');
    await page.getByText('Could not read the audit.').waitFor();
    await page.getByRole('group', { name: 'From', exact: true }).getByRole('spinbutton', { name: /month/ }).waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    await changes().getByText('Account created').waitFor();
    visited.forgive('status of 400');
  });

  test('keeps both of two filters that are chosen at once; none leads back from the next page', async () => {
    const settled = await settle(visited);
    const choose = (chosen: Readonly<Record<string, string>>) =>
      page.evaluate((values) => {
        for (const select of document.querySelectorAll<HTMLSelectElement>('main select')) {
          const value = values[select.labels[0]?.textContent ?? ''];
          if (value === undefined) continue;
          select.value = value;
          select.dispatchEvent(new Event('change', { bubbles: true }));
        }
      }, chosen);
    await open(settled);
    await page.getByLabel('By', { exact: true }).waitFor();
    await choose({ By: 'former', Change: 'project.create' });
    await page.getByText('There is no such change.').waitFor();
    expect(new URL(page.url()).search).toBe('?actor=former&action=project.create');
    await page.route('**/assets/team-*.js', () => undefined);
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Team' }).click();
    await page.getByRole('progressbar', { name: 'Loading the page' }).waitFor();
    await choose({ By: 'operator' });
    expect(new URL(page.url()).pathname).toBe(`/accounts/${settled.accountId}/team`);
  });

  test('spends few of the counted reads on names, however many projects its changes are of', async () => {
    const settled = await settle(visited);
    const nth = (index: number) => String(index).padStart(16, '0');
    await newKey(settled, { name: 'CI' });
    await page.route('**/projects', async (route) => {
      const response = await route.fetch();
      const { projects, ...rest } = (await response.json()) as { projects: object[] };
      const many = Array.from({ length: 40 }, (_, index) => ({ ...projects[0], projectId: `prj_${nth(index)}` }));
      await route.fulfill({ response, json: { ...rest, projects: many } });
    });
    await page.route('**/audit?*', async (route) => {
      const response = await route.fetch();
      const { events, ...rest } = (await response.json()) as { events: object[] };
      const many = Array.from({ length: 40 }, (_, index) => ({ ...events[0], projectId: `prj_${nth(index)}` }));
      await route.fulfill({ response, json: { ...rest, events: many } });
    });
    await page.route('**/keys?*', (route) => route.fulfill({ json: { keys: [], cursor: null } }));
    const reads = (state: string): number =>
      visited.requests.filter((request) => request.url().includes(`/keys?state=${state}`)).length;
    await open(settled);
    await until(() => reads('active') === 40);
    await changes().getByText('key_').first().waitFor();
    expect(reads('ended')).toBeLessThanOrEqual(10);
    await page.unrouteAll();
  });

  test('is read page by page, each change once', async () => {
    const settled = await settle(visited);
    for (let count = 0; count < 55; count++) await renamed(settled, `Trips ${count}`);
    await open(settled);
    expect(await listed()).toHaveLength(50);
    await page.getByRole('button', { name: 'Older changes' }).click();
    await changes().getByText('Account created').waitFor();
    const rows = await listed();
    expect(rows).toHaveLength(57);
    expect(new Set(rows.map((row) => / to Trips (\d+)/.exec(row)?.[1])).size).toBe(56);
    expect(await page.getByRole('button', { name: 'Older changes' }).count()).toBe(0);
  });
});

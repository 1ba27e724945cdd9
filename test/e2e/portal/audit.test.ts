import { expect, test } from '@jest/globals';
import { describeInPortal, page, site, visited } from '../../support/portal-browser.ts';
import { until } from '../../support/processes.ts';
import { change, downloaded, newKey, operate, settle, type Settled, typeTime } from '../../support/portal-visit.ts';

describeInPortal('the audit', () => {
  const changes = () => page.getByRole('group', { name: 'Changes' });
  const open = ({ accountId }: Settled, query = '') =>
    page.goto(`${site.portalUrl}/accounts/${accountId}/audit${query}`);
  const listed = async (): Promise<string[]> => {
    await changes().waitFor();
    return (await changes().getByRole('listitem').allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '));
  };
  /** The fields of the filters. */
  const filter = () => page.getByRole('button', { name: 'Filter', exact: true }).click();
  const renamed = (settled: Settled, name: string) => change(settled, 'PATCH', `/api${settled.projectPath}`, { name });

  test('tells who did what, newest first, with values before and after, and is a file of what the filter lets through', async () => {
    const settled = await settle(visited);
    const { path, keyId } = await newKey(settled, { name: 'CI', unitsLimit: 9, unitsPeriod: 'once' });
    await newKey(settled, { name: 'Worker', capOf: keyId });
    await change(settled, 'PATCH', path, { unitsLimit: 7 });
    await change(settled, 'PATCH', `/api/accounts/${settled.accountId}/thresholds`, { percents: [50], days: [] });
    await change(settled, 'POST', `${path}/revoke`);
    await operate(site, 'project', 'update', '--project', settled.projectId, '--quota', '50000');
    await open(settled);
    // Names of keys and projects come after the changes.
    await changes()
      .getByText(/revoked CI/)
      .waitFor();
    await changes()
      .getByText(/changed the project Trip planner/)
      .waitFor();
    const rows = await listed();
    expect(rows).toHaveLength(8);
    expect(rows[0]).toMatch(/The platform team changed the project Trip planner: quota 10.000 to 50.000$/);
    expect(rows[1]).toMatch(/ revoked CI …\w{4} in Trip planner\.$/);
    // What was absent is named by what that means.
    expect(rows[2]).toMatch(
      /changed the account: .*days before an expiry the default to none.*percent of a quota or cap the default to 50/,
    );
    expect(rows[3]).toMatch(/ changed the cap of CI …\w{4} in Trip planner: 9 to 7$/);
    expect(rows[4]).toMatch(/ created Worker …\w{4} in Trip planner: shares the budget of CI …\w{4}$/);
    expect(rows[5]).toMatch(/ created CI …\w{4} in Trip planner: cap 9, once$/);
    expect(rows[7]).toMatch(/ created the account\.$/);
    // Neither an id nor a time for programs, nor what says nothing.
    expect(rows.join()).not.toMatch(/\w{3}_\w{16}|\dT\d\d:|Mode|active|never/);

    await changes()
      .getByRole('button', { name: /^Details/ })
      .nth(1)
      .click();
    await changes().getByText(visited.email).waitFor();
    await changes().getByText('State: active to revoked').waitFor();
    await changes()
      .getByRole('button', { name: /^Copy the id of the key/ })
      .waitFor();

    await filter();
    await page.getByLabel('Change', { exact: true }).selectOption({ label: 'Project changed' });
    await changes()
      .getByText(/created the project/)
      .waitFor({ state: 'detached' });
    const { name, text } = await downloaded(page, () => page.getByRole('button', { name: 'Export CSV' }).click());
    expect(name).toMatch(new RegExp(`^audit-${settled.accountId}-\\d{4}-\\d\\d-\\d\\d\\.csv$`));
    expect(text.trim().split('\r\n')).toHaveLength(2);
    await page.getByText('Exported 1 change.').waitFor();
  });

  test('says that a key which was found in public has ended', async () => {
    const settled = await settle(visited);
    const { key } = await newKey(settled, { name: 'CI' });
    const body = JSON.stringify({ keys: [{ token: key, url: 'https://example.com/where' }] });
    const headers = { 'Content-Type': 'application/json' };
    const { status } = await fetch(`${site.portalUrl}/api/leaked-keys`, { method: 'POST', headers, body });
    expect(status).toBe(204);
    await open(settled);
    await changes()
      .getByText(/ended CI/)
      .waitFor();
    expect((await listed())[0]).toMatch(/A report ended CI …\w{4} of Trip planner, found in public\.$/);
  });

  test('is filtered by person, kind and time, and its address leads another time to the same', async () => {
    const settled = await settle(visited);
    await renamed(settled, 'Trips');
    await open(settled);
    await filter();
    await page.getByLabel('Change', { exact: true }).selectOption({ label: 'Project changed' });
    // While the new answer is on its way there is no row at all.
    await changes()
      .getByText(/created the project/)
      .waitFor({ state: 'detached' });
    await changes().getByRole('listitem').first().waitFor();
    expect(await listed()).toHaveLength(1);
    await page.reload();
    expect(await listed()).toHaveLength(1);
    expect(new URL(page.url()).search).toBe('?action=project.update');
    await filter();
    await page.getByLabel('By', { exact: true }).selectOption({ label: 'Platform team' });
    await page.getByText('There is no such change.').waitFor();
    await page.getByRole('button', { name: 'Without Change: Project changed' }).click();
    await page.getByRole('button', { name: 'Clear' }).click();
    await changes()
      .getByText(/created the account/)
      .waitFor();
    expect(new URL(page.url()).search).toBe('');
    await typeTime(page, 'To', '2020-01-01T00:00');
    await page.getByText('There is no such change.').waitFor();
    expect(new URL(page.url()).searchParams.get('until')).toMatch(/^(2019-12-31|2020-01-01)T\d\d:\d\d:00.000Z$/);
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
    await filter();
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
    await changes().getByText('a key').first().waitFor();
    expect(reads('ended')).toBeLessThanOrEqual(10);
    await page.unrouteAll();
  });
});

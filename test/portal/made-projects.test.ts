import { describe, expect, test } from '@jest/globals';
import { createProject } from '../../functions/accounts/projects/projects.ts';
import { DEFAULT_LIMITS } from '../../functions/accounts/limits.ts';
import { atOnce, claimants, outcomeOf } from '../support/claimants.ts';
import { testGateway } from '../support/gateway.ts';
import { itemsOf, outcomes, ownAccount } from '../support/people.ts';
import { created } from '../support/portal-team.ts';
import { DAY_MS, MONTH_END_EPOCH_SECONDS } from '../support/times.ts';

describe('of the projects of an account', () => {
  test('so many are made in a period, closed ones included, and no more, also at once', async () => {
    const { portal, team, signIn } = claimants({ projectsPerAccount: 3, projectsPerPeriod: 6 });
    const { browser, claims, account, projects } = await team();
    const make = () => browser.post(projects, { name: 'Trips' });
    for (let i = 0; i < 4; i++) {
      const { projectId } = await created(make());
      expect((await browser.delete(`${projects}/${projectId}`)).status).toBe(204);
    }
    expect(await atOnce(6, make)).toEqual({ 201: 2, '409 LIMIT_REACHED': 4 });
    // It names the limit, since closing a project does not help.
    const { body } = await make();
    expect(body).toMatchObject({ detail: expect.stringContaining('in this period of the quota') as unknown });
    expect((await browser.get('/api/session')).body).toMatchObject({ limits: { projectsPerPeriod: 6 } });
    // Another account has its own limit.
    const { accountId } = await created(browser.post('/api/accounts', { name: 'Another' }));
    expect(outcomeOf(await browser.post(`/api/accounts/${accountId}/projects`, { name: 'Trips' }))).toBe('201');
    // One is open at most then, and still: the month is over.
    portal.clock.nowMs = MONTH_END_EPOCH_SECONDS * 1_000;
    await signIn(browser, claims);
    expect(await atOnce(3, make)).toEqual({ 201: 1, '409 LIMIT_REACHED': 2 });
    const counts = (await itemsOf(portal, `ACCOUNT#${account.split('/')[3]}`)).filter(({ sk }) =>
      (sk as string).startsWith('MADE#'),
    );
    // They expire an hour after their period.
    expect(counts.map(({ sk, count, ttl }) => [sk, count, ttl])).toEqual([
      ['MADE#2030-01', 6, MONTH_END_EPOCH_SECONDS + 3_600],
      ['MADE#2030-02', 1, Date.UTC(2030, 2, 1) / 1_000 + 3_600],
    ]);
  });

  test('as many again are made in the next period, which is a day where the stage says so', async () => {
    const gateway = testGateway();
    const limits = { projectsPerAccount: 10, projectsPerPeriod: 2 };
    const { accountId, store } = await ownAccount(gateway, { limits });
    const make = () => createProject(store, { accountId, name: 'P', quotaLimit: 1 }, undefined, 'day');
    expect((await outcomes([make(), make(), make()])).refused).toEqual(['LIMIT_REACHED']);
    gateway.clock.nowMs += DAY_MS;
    expect((await outcomes([make(), make(), make()])).refused).toEqual(['LIMIT_REACHED']);
    // Projects of the platform team are not limited and do not count.
    for (let i = 0; i < 3; i++) await createProject(gateway.store, { accountId, name: 'P', quotaLimit: 1 });
    gateway.clock.nowMs += DAY_MS;
    expect((await outcomes([make(), make()])).refused).toEqual([]);
  });

  test('twice as many may be made as may be open, unless it is set', () => {
    expect(DEFAULT_LIMITS.projectsPerPeriod).toBe(2 * DEFAULT_LIMITS.projectsPerAccount);
  });
});

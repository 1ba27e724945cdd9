import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createAccount } from '../../functions/accounts/team/accounts.ts';
import { createKey } from '../../functions/accounts/keys/api-keys.ts';
import { createProject } from '../../functions/accounts/projects/projects.ts';
import { itemKey, type ItemKey } from '../../functions/shared/store/items.ts';
import { crash, type CrashPoint } from '../support/crashes.ts';
import { deleteItem, putItem } from '../support/database.ts';
import { IS_FULL } from '../support/extent.ts';
import { misbehavingServer } from '../support/faults.ts';
import { KEY } from '../support/gateway.ts';
import { markersOf, onOwnTables, tableStream, testNotices } from '../support/notices.ts';
import { itemsOf, join } from '../support/people.ts';
import { DAY_MS } from '../support/times.ts';

let server: Awaited<ReturnType<typeof misbehavingServer>>;
beforeAll(async () => {
  server = await misbehavingServer();
});
afterAll(() => {
  server.close();
});

const gateway = onOwnTables();

/** An account with an owner and a quota at 80 %; a whole one also has a key that will expire and a cap that is used up. */
async function account(isWhole: boolean): Promise<string> {
  const accountId = await createAccount(gateway.store, { name: 'Test', email: null });
  const projectId = await createProject(gateway.store, { accountId, name: 'P', quotaLimit: 10 });
  await join(gateway, accountId, 'owner');
  await putUnits(itemKey.quota(projectId, '2030-01'));
  if (!isWhole) return accountId;
  const details = { projectId, ...KEY };
  await createKey(gateway.store, { ...details, lifetimeMs: 8 * DAY_MS });
  const { keyId: capId } = await createKey(gateway.store, { ...details, unitsLimit: 8 });
  await putUnits(itemKey.capUnits(projectId, '2030-01', capId));
  return accountId;
}
const putUnits = (key: ItemKey) => putItem(gateway.store, { ...key, units: 8 });

/** Forgets what was told and how far the run was. */
async function forget(accounts: readonly string[]): Promise<void> {
  for (const partition of ['NOTICES', ...accounts.map((id) => `NOTICES#${id}`)]) {
    for (const item of await itemsOf(gateway, partition)) await deleteItem(gateway.store, item);
  }
}

const EXPECTED = [
  'other quota.threshold_reached',
  'whole key.cap_reached',
  'whole key.expiring',
  'whole quota.threshold_reached',
];

/** A landing tries what leaves the most behind: the store is then as before the next call. */
const MOMENTS: readonly CrashPoint['when'][] = [
  'before its answer is seen',
  ...(IS_FULL ? (['before it is sent'] as const) : []),
];

test.each(MOMENTS)(
  'an hourly run that ends %s, of whichever call, loses nothing, and nothing is told under another id',
  async (when) => {
    const [whole, other] = [await account(true), await account(false)];
    const accounts = [whole, other];
    gateway.clock.nowMs += 2 * DAY_MS;
    let isStopped = true;
    let call = 0;
    while (isStopped) {
      await forget(accounts);
      const stream = tableStream(gateway, accounts);
      await stream();
      const killed = testNotices(gateway);
      const { strike, stopped } = crash({ call: ++call, when }, server);
      strike(killed.client);
      isStopped = await Promise.race([killed.hour().then(() => false), stopped.then(() => true)]);
      const next = testNotices(gateway);
      next.runs.push(...killed.runs);
      // What it has marked is told meanwhile.
      await next.follow(stream);
      await next.hour();
      await next.follow(stream);
      const told = (await next.told()).map(
        ({ accountId, type }) => `${accountId === whole ? 'whole' : 'other'} ${type}`,
      );
      expect([call, ...told.sort()]).toEqual([call, ...EXPECTED]);
      const markers = await Promise.all(accounts.map((accountId) => markersOf(gateway, accountId)));
      // The cap's lower threshold is marked with its higher one, and never told.
      expect(markers.flat()).toHaveLength(EXPECTED.length + 1);
    }
    // The last run went through all its calls.
    expect(call).toBeGreaterThan(15);
  },
);

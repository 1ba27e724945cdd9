import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createAccount } from '../../functions/accounts/team/accounts.ts';
import { createKey } from '../../functions/accounts/keys/api-keys.ts';
import { createProject } from '../../functions/accounts/projects/projects.ts';
import { updateThresholds } from '../../functions/accounts/team/notice-thresholds.ts';
import { createToken } from '../../functions/accounts/tokens/tokens.ts';
import { noticesHandler } from '../../functions/notices/dispatch.ts';
import { crash, type CrashPoint } from '../support/crashes.ts';
import { deleteItem } from '../support/database.ts';
import { IS_FULL } from '../support/extent.ts';
import { misbehavingServer } from '../support/faults.ts';
import { KEY } from '../support/gateway.ts';
import { endsOn, markersOf, onOwnTables, partitionsOfEnds, tableStream, testNotices } from '../support/notices.ts';
import { itemsOf, join } from '../support/people.ts';
import { DAY_MS, NOW_MS } from '../support/times.ts';

let server: Awaited<ReturnType<typeof misbehavingServer>>;
beforeAll(async () => {
  server = await misbehavingServer();
});
afterAll(() => {
  server.close();
});

const gateway = onOwnTables();
const END = NOW_MS + 8 * DAY_MS;
/** An account with an owner and days of its own, and a key and a token that will expire. */
async function account(days: readonly number[]): Promise<string> {
  const accountId = await createAccount(gateway.store, { name: 'Test', email: null });
  const projectId = await createProject(gateway.store, { accountId, name: 'P', quotaLimit: 10 });
  await join(gateway, accountId, 'owner');
  await updateThresholds(gateway.store, accountId, { days });
  await createKey(gateway.store, { projectId, ...KEY, lifetimeMs: 8 * DAY_MS });
  await createToken(gateway.store, accountId, { name: 'CI', scopes: ['keys:read'], lifetimeMs: 8 * DAY_MS });
  return accountId;
}

/** Does the work of an hour. Of what it hands out, only parts of the end's day that hold something. */
async function hour({ dependencies, runs, giveRun }: ReturnType<typeof testNotices>): Promise<void> {
  await noticesHandler(dependencies)({ source: 'schedule' }, () => Infinity);
  const filled = new Set((await endsOn(gateway, END)).map(({ pk }) => pk));
  runs.splice(
    0,
    Infinity,
    ...runs.filter((part) => part.kind === 'accounts' && filled.has(`EXPIRING#${part.ends}#${part.shard}`)),
  );
  // A message is in its queue until it is done: what a crash leaves there is given to the next instance.
  for (let [next] = runs; next; [next] = runs) {
    expect(await giveRun(next)).toEqual({ batchItemFailures: [] });
    runs.shift();
  }
}

/** Forgets what was told, how far the run was, and the items that an older version would not have written. */
async function forget(accounts: readonly string[]): Promise<void> {
  for (const partition of [
    'NOTICES',
    'EXPIRY-DAYS',
    ...partitionsOfEnds(END),
    ...accounts.map((id) => `NOTICES#${id}`),
  ]) {
    for (const item of await itemsOf(gateway, partition)) await deleteItem(gateway.store, item);
  }
}

const EXPECTED = ['one key.expiring', 'one token.expiring', 'other key.expiring', 'other token.expiring'];

/** A landing tries what leaves the most behind: the store is then as before the next call. */
const MOMENTS: readonly CrashPoint['when'][] = [
  'before its answer is seen',
  ...(IS_FULL ? (['before it is sent'] as const) : []),
];

test.each(MOMENTS)(
  'an hourly run that ends %s, of whichever call, loses nothing, and nothing is told under another id',
  async (when) => {
    const [one, other] = [await account([7]), await account([7, 6])];
    const accounts = [one, other];
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
      isStopped = await Promise.race([hour(killed).then(() => false), stopped.then(() => true)]);
      const next = testNotices(gateway);
      next.runs.push(...killed.runs);
      // What it has marked is told meanwhile.
      await next.follow(stream);
      await hour(next);
      await next.follow(stream);
      const told = (await next.told()).map(({ accountId, type }) => `${accountId === one ? 'one' : 'other'} ${type}`);
      expect([call, ...told.sort()]).toEqual([call, ...EXPECTED]);
      const markers = await Promise.all(accounts.map((accountId) => markersOf(gateway, accountId)));
      // The lower thresholds are marked with the higher ones, and never told.
      expect(markers.flat()).toHaveLength(EXPECTED.length + 2);
    }
    // The last run went through all its calls.
    expect(call).toBeGreaterThan(40);
  },
);

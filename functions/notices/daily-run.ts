import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { AccountStore } from '../accounts/account-store.ts';
import { listAccounts } from '../accounts/accounts.ts';
import { unlessStale } from '../accounts/conditional-writes.ts';
import { noticeItemKey } from '../accounts/notice-items.ts';
import { listOpenProjects } from '../accounts/stored-projects.ts';
import { isoTime, MS_PER_DAY, MS_PER_SECOND } from '../core/clock.ts';
import { periodAt } from '../core/period.ts';
import { callOptions, itemKey, itemsFrom, names, readItem } from '../store/items.ts';
import type { NoticesDependencies, TimeLeft } from './dependencies.ts';
import { lookAtExpiries } from './expiring-keys.ts';
import { unlessUnreadable } from './failures.ts';
import { lookAtCap, lookAtQuota } from './thresholds.ts';

/** The run stores its progress after this number of accounts, and where it stops. */
const ACCOUNTS_A_NOTE = 50;
/** The run stops when less time is left. It is enough for any one account. */
const LEAST_TIME_MS = 60_000;
/** Sorts after every account id. */
const END = '~';
const KEPT_MS = 2 * MS_PER_DAY;

/**
 * Looks at every open project, once a UTC day: at keys that will expire, and at thresholds, so that what the stream lost
 * is told a day late. Called each hour: a run that had no time left, or ended in between, goes on where it was. What
 * cannot be read is left out, logged and counted, and the next day it is looked at again.
 */
export async function dailyRun(dependencies: NoticesDependencies, timeLeft: TimeLeft): Promise<void> {
  const { store, telemetry } = dependencies;
  const { key, after } = await readRun(store);
  if (after === END) return;
  let looked = 0;
  let last = after;
  for await (const accountId of listAccounts(store)) {
    if (accountId <= after) continue;
    // Checked before each account: one large account may take as long as many small ones.
    if (looked > 0 && timeLeft() < LEAST_TIME_MS) return noteRun(store, key, last);
    await lookAtAccount(dependencies, accountId);
    last = accountId;
    looked++;
    if (looked % ACCOUNTS_A_NOTE === 0) await noteRun(store, key, accountId);
  }
  await noteRun(store, key, END);
  telemetry.info('the daily run is done', { accounts: looked });
}

async function lookAtAccount(dependencies: NoticesDependencies, accountId: string): Promise<void> {
  const { store, quotaPeriod, telemetry } = dependencies;
  const { id: period } = periodAt(store.clock.now(), quotaPeriod);
  // Where the store fails, the next hour goes on with this account.
  await unlessUnreadable(telemetry, 'an account', { accountId }, async () => {
    for await (const projectId of listOpenProjects(store, accountId)) {
      const look = (what: string, run: () => Promise<void>) =>
        unlessUnreadable(telemetry, what, { accountId, projectId }, run);
      await look('the keys of a project', () => lookAtExpiries(store, accountId, projectId));
      await look('a counter', () => lookAtQuota(dependencies, projectId, period));
      const caps = itemKey.capUnits(projectId, period, '');
      await look('the caps of a project', async () => {
        for await (const { sk } of itemsFrom(store, caps)) {
          const capId = (sk as string).slice(caps.sk.length);
          await look('a counter', () => lookAtCap(dependencies, projectId, period, capId));
        }
      });
    }
  });
}

/** The run of this day, and the last account that it has looked at. An empty text: none yet. */
async function readRun(store: AccountStore) {
  const key = noticeItemKey.run(isoTime(store.clock.now()).slice(0, 'YYYY-MM-DD'.length));
  const run = await readItem<{ readonly after: string }>(store, key);
  return { key, after: run?.after ?? '' };
}

/** Stores how far a run is. The position never moves back, also when two runs are active at once. */
async function noteRun(store: AccountStore, key: ReturnType<typeof noticeItemKey.run>, after: string): Promise<void> {
  const command = new UpdateCommand({
    TableName: store.tables.gateway,
    Key: key,
    UpdateExpression: 'SET #after = :after, #ttl = :ttl',
    ConditionExpression: 'attribute_not_exists(#after) OR #after < :after',
    ExpressionAttributeNames: names('after', 'ttl'),
    ExpressionAttributeValues: { ':after': after, ':ttl': Math.ceil((store.clock.now() + KEPT_MS) / MS_PER_SECOND) },
  });
  await unlessStale(store, () => store.client.send(command, callOptions(store)));
}

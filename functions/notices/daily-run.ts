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
import { checkExpiries } from './expiring-keys.ts';
import { unlessUnreadable } from './failures.ts';
import { checkCap, checkQuota } from './thresholds.ts';

/** The run stores its progress after this number of accounts, and where it stops. */
const ACCOUNTS_A_NOTE = 50;
/** The run stops when less time is left. It is enough for any one account. */
const LEAST_TIME_MS = 60_000;
/** Sorts after every account id. */
const END = '~';
const KEPT_MS = 2 * MS_PER_DAY;

/**
 * Checks every open project once a UTC day: its keys that will expire, and its thresholds. So a threshold whose record
 * the stream has lost gets its notice a day late. It is called each hour: a run that had no time left, or was
 * interrupted, continues. Items that cannot be read are skipped, logged and counted, and checked again on the next day.
 */
export async function dailyRun(dependencies: NoticesDependencies, timeLeft: TimeLeft): Promise<void> {
  const { store, telemetry } = dependencies;
  const { key, after } = await readRun(store);
  if (after === END) return;
  let checked = 0;
  let last = after;
  for await (const accountId of listAccounts(store)) {
    if (accountId <= after) continue;
    // Checked before each account: one large account may take as long as many small ones.
    if (checked > 0 && timeLeft() < LEAST_TIME_MS) return noteRun(store, key, last);
    await checkAccount(dependencies, accountId);
    last = accountId;
    checked++;
    if (checked % ACCOUNTS_A_NOTE === 0) await noteRun(store, key, accountId);
  }
  await noteRun(store, key, END);
  telemetry.info('the daily run is done', { accounts: checked });
}

async function checkAccount(dependencies: NoticesDependencies, accountId: string): Promise<void> {
  const { store, quotaPeriod, telemetry } = dependencies;
  const { id: period } = periodAt(store.clock.now(), quotaPeriod);
  // If the store fails, the next hour's call continues with this account.
  await unlessUnreadable(telemetry, 'an account', { accountId }, async () => {
    for await (const projectId of listOpenProjects(store, accountId)) {
      const check = (what: string, run: () => Promise<void>) =>
        unlessUnreadable(telemetry, what, { accountId, projectId }, run);
      await check('the keys of a project', () => checkExpiries(store, accountId, projectId));
      await check('a counter', () => checkQuota(dependencies, projectId, period));
      const caps = itemKey.capUnits(projectId, period, '');
      await check('the caps of a project', async () => {
        for await (const { sk } of itemsFrom(store, caps)) {
          const capId = (sk as string).slice(caps.sk.length);
          await check('a counter', () => checkCap(dependencies, projectId, period, capId));
        }
      });
    }
  });
}

/** The run of this day, and the last account that it has checked. An empty text: none yet. */
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

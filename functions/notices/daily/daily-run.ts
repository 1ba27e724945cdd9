import { listAccounts } from '../../accounts/team/accounts.ts';
import { dayOf, MS_PER_DAY } from '../../shared/rules/clock.ts';
import { NOTICES_METRICS } from '../../shared/names.ts';
import type { NoticesDependencies, TimeLeft } from '../dependencies.ts';
import type { AccountsMessage } from '../message.ts';
import { countEnded, noteHandedOut, readHandedOut, type HandedOut } from './run-progress.ts';
import { resealAddressKey } from '../../accounts/mail/address-key.ts';

/** The accounts of a message. */
const ACCOUNTS_A_PART = 25;
/** Messages that are sent together, and then noted: as SQS takes them in ten calls. */
const PARTS_AT_ONCE = 100;
/** The run stops when less time is left. It is enough for the parts that are sent together. */
const LEAST_TIME_MS = 30_000;

/**
 * Hands out every account once a UTC day, in messages of some accounts each, so that no account can hold up those
 * behind it. It is called each hour: a run that had no time left, or was interrupted, continues. When all messages have
 * ended, the day is complete, which a metric says.
 */
async function dailyRun(dependencies: NoticesDependencies, timeLeft: TimeLeft): Promise<void> {
  const { store } = dependencies;
  const day = dayOf(store.clock.now());
  const before = await readHandedOut(store, day);
  if (before.isComplete) return;
  const now = before.isAll ? before : await handOut(dependencies, day, before, timeLeft);
  if (now?.isAll) await reportIfComplete(dependencies, day, now);
  // The parts of the day before may have ended after its last hour.
  const yesterday = dayOf(store.clock.now() - MS_PER_DAY);
  const last = await readHandedOut(store, yesterday);
  if (last.isAll && !last.isComplete) await reportIfComplete(dependencies, yesterday, last);
}

/** Undefined: another run of the same time goes on. */
async function handOut(
  { store, queues }: NoticesDependencies,
  day: string,
  from: HandedOut,
  timeLeft: TimeLeft,
): Promise<HandedOut | undefined> {
  let noted = from;
  let parts: AccountsMessage[] = [];
  let accountIds: string[] = [];
  const close = (): void => {
    if (accountIds.length === 0) return;
    const part = noted.parts + parts.length;
    const source = { accountId: 'run', sk: `${day}#${part}` } as const;
    parts.push({ kind: 'accounts', source, day, part, accountIds });
    accountIds = [];
  };
  const send = async (isAll: boolean): Promise<boolean> => {
    close();
    const after = parts.at(-1)?.accountIds.at(-1) ?? noted.after;
    // First: a part that is sent twice is checked twice, and one that was noted and not sent would be missed.
    if (parts.length > 0) await queues.webhooks.send(parts);
    const now: HandedOut = { after, parts: noted.parts + parts.length, isAll };
    const isOurs = await noteHandedOut(store, day, noted, now);
    noted = now;
    parts = [];
    return isOurs;
  };
  for await (const accountId of listAccounts(store)) {
    if (accountId <= from.after) continue;
    accountIds.push(accountId);
    if (accountIds.length === ACCOUNTS_A_PART) close();
    if (parts.length < PARTS_AT_ONCE) continue;
    if (!(await send(false))) return undefined;
    if (timeLeft() < LEAST_TIME_MS) return noted;
  }
  return (await send(true)) ? noted : undefined;
}

async function reportIfComplete(
  { store, telemetry }: NoticesDependencies,
  day: string,
  handedOut: HandedOut,
): Promise<void> {
  const { parts } = handedOut;
  if ((await countEnded(store, day)) < parts) return;
  if (!(await noteHandedOut(store, day, handedOut, { ...handedOut, isComplete: true }))) return;
  telemetry.info('the daily run is complete', { day, parts });
  telemetry.count(NOTICES_METRICS.daysComplete);
}

/**
 * Runs each hour. It seals the key of addresses under the newest secret first, so that older secrets can be removed
 * whatever becomes of the rest. Then it hands out the day's accounts, until all are.
 */
export async function onSchedule(dependencies: NoticesDependencies, timeLeft: TimeLeft): Promise<void> {
  if (await resealAddressKey(dependencies.store))
    dependencies.telemetry.info('the key of addresses is sealed anew', {});
  await dailyRun(dependencies, timeLeft);
}

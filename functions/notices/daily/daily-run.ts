import type { AccountStore } from '../../accounts/store/account-store.ts';
import { resealAddressKey } from '../../accounts/mail/address-key.ts';
import { DAY_SHARDS } from '../../accounts/store/expiring.ts';
import { readDaysInUse } from '../../accounts/team/notice-thresholds.ts';
import { dayOf, MS_PER_DAY } from '../../shared/time.ts';
import { NOTICES_METRICS } from '../../shared/names.ts';
import type { NoticesDependencies, TimeLeft } from '../dependencies.ts';
import type { ChargedMessage, ExpiringMessage } from '../message.ts';
import { SENT_AT_ONCE } from '../sqs-queue.ts';
import { backfill } from './backfill.ts';
import { noteComplete, noteHandedOut, readRuns, type DayRun } from './run-progress.ts';

/** How far a run looks back where none before was complete: the most days that an account may choose. */
const MOST_DAYS_BACK = 30;

/**
 * Hands out, once a UTC day, the partitions of what ends the days ahead that some account has chosen, and of what was
 * charged: a message each, so the number of accounts does not matter. It is called each hour: what was interrupted
 * begins again. When all messages have ended, the day is complete, which a metric says.
 */
async function dailyRun(dependencies: NoticesDependencies): Promise<void> {
  const { store, queues } = dependencies;
  const day = dayOf(store.clock.now());
  const runs = await readRuns(store);
  const complete: string[] = [];
  for (const [of, run] of runs) if (await isComplete(dependencies, of, run)) complete.push(of);
  if (runs.get(day)?.parts ?? complete.includes(day)) return;
  const messages = [
    ...(await expiringOf(store, day, complete.at(-1))),
    ...chargedOf(day, complete.at(-1) ?? runs.keys().next().value ?? day),
  ];
  // First: a part that is sent twice is checked twice, and one that was noted and not sent would be missed.
  for (let i = 0; i < messages.length; i += SENT_AT_ONCE) await queues.daily.send(messages.slice(i, i + SENT_AT_ONCE));
  await noteHandedOut(store, day, new Set(messages.map(({ source }) => source.sk)));
}

async function isComplete({ store, telemetry }: NoticesDependencies, day: string, run: DayRun): Promise<boolean> {
  if (run.isComplete) return true;
  const { parts, ended = new Set<string>() } = run;
  if (parts === undefined || ![...parts].every((part) => ended.has(part))) return false;
  if (await noteComplete(store, day)) {
    telemetry.info('the daily run is complete', { day, parts: parts.size });
    telemetry.count(NOTICES_METRICS.daysComplete);
  }
  return true;
}

/**
 * A message for each partition. Those of the last complete day are looked at again: they have what was made or changed
 * after its run. Days that were missed since are among them.
 */
async function expiringOf(store: AccountStore, day: string, lastComplete?: string): Promise<ExpiringMessage[]> {
  const ahead = (days: number): string => daysFrom(day, days);
  const since = lastComplete ?? ahead(-MOST_DAYS_BACK);
  const ends = new Set<string>();
  for (const days of await readDaysInUse(store))
    for (let left = days; left >= 0 && ahead(left - days) >= since; left--) ends.add(ahead(left));
  const common = { kind: 'accounts', accountIds: [], part: 0, day, since } as const;
  return [...ends].flatMap((end) =>
    DAY_SHARDS.map((shard) => {
      const source = { accountId: 'run', sk: `${end}#${shard}` } as const;
      return { ...common, source, ends: end, shard };
    }),
  );
}

/**
 * A message for each partition of the days before, back to the one that the run of the first day has handed out: a note
 * of a day's last moment may have come after it. What was verified is left out later.
 */
function chargedOf(day: string, first: string): ChargedMessage[] {
  const days: string[] = [];
  for (let back = 1; daysFrom(day, -back) >= daysFrom(first, -1); back++) days.push(daysFrom(day, -back));
  return days.flatMap((chargedOn) =>
    DAY_SHARDS.map((shard) => {
      const source = { accountId: 'run', sk: `CHARGED#${chargedOn}#${shard}` } as const;
      return { kind: 'charged', source, day, chargedOn, shard } as const;
    }),
  );
}

const daysFrom = (day: string, days: number): string => dayOf(Date.parse(day) + days * MS_PER_DAY);

/**
 * Runs each hour. It seals the key of addresses under the newest secret first, so that older secrets can be removed
 * whatever becomes of the rest. Then it hands out the day's partitions.
 */
export async function onSchedule(dependencies: NoticesDependencies, timeLeft: TimeLeft): Promise<void> {
  if (await resealAddressKey(dependencies.store))
    dependencies.telemetry.info('the key of addresses is sealed anew', {});
  if (await backfill(dependencies, timeLeft)) await dailyRun(dependencies);
}

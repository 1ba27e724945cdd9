import { resealAddressKey } from '../accounts/mail/address-key.ts';
import { dailyRun } from './daily/daily-run.ts';
import type { NoticesDependencies, TimeLeft } from './dependencies.ts';

/**
 * Runs each hour. It seals the key of addresses under the newest secret first, so that older secrets can be removed
 * whatever becomes of the rest. Then it hands out the day's accounts, until all are.
 */
export async function onSchedule(dependencies: NoticesDependencies, timeLeft: TimeLeft): Promise<void> {
  if (await resealAddressKey(dependencies.store))
    dependencies.telemetry.info('the key of addresses is sealed anew', {});
  await dailyRun(dependencies, timeLeft);
}

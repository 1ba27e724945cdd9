import { resealAddressKey } from '../accounts/address-key.ts';
import { dailyRun } from './daily-run.ts';
import type { NoticesDependencies, TimeLeft } from './dependencies.ts';

/**
 * Each hour: the daily run, as far as this day's is not done; and the key of addresses is sealed under the newest secret,
 * so that it outlives the older ones.
 */
export async function onSchedule(dependencies: NoticesDependencies, timeLeft: TimeLeft): Promise<void> {
  try {
    await dailyRun(dependencies, timeLeft);
  } finally {
    if (await resealAddressKey(dependencies.store))
      dependencies.telemetry.info('the key of addresses is sealed anew', {});
  }
}

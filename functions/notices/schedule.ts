import { resealAddressKey } from '../accounts/address-key.ts';
import { dailyRun } from './daily-run.ts';
import type { NoticesDependencies, TimeLeft } from './dependencies.ts';

/**
 * Runs each hour. It continues the daily run until that is complete. It also seals the key of addresses under the
 * newest secret, so that older secrets can be removed.
 */
export async function onSchedule(dependencies: NoticesDependencies, timeLeft: TimeLeft): Promise<void> {
  try {
    await dailyRun(dependencies, timeLeft);
  } finally {
    if (await resealAddressKey(dependencies.store))
      dependencies.telemetry.info('the key of addresses is sealed anew', {});
  }
}

import { dailyRun } from './daily-run.ts';
import type { NoticesDependencies, TimeLeft } from './dependencies.ts';

/** Each hour: the daily run, as far as this day's is not done. */
export async function onSchedule(dependencies: NoticesDependencies, timeLeft: TimeLeft): Promise<void> {
  await dailyRun(dependencies, timeLeft);
}

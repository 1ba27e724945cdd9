import { dailyRun } from './daily-run.ts';
import type { NoticesDependencies, TimeLeft } from './dependencies.ts';

/** Each hour: the daily run, unless the run of this day has ended. */
export async function onSchedule(dependencies: NoticesDependencies, timeLeft: TimeLeft): Promise<void> {
  await dailyRun(dependencies, timeLeft);
}

import type { NoticesDependencies } from './dependencies.ts';
import type { TimeLeft } from './dispatch.ts';

/** Each hour: the folded mails, and once a day the daily run. */
export const onSchedule = (_dependencies: NoticesDependencies, _timeLeft: TimeLeft): Promise<void> => Promise.resolve();

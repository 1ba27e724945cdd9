import type { NoticesDependencies } from '../dependencies.ts';

/** SES's news of a mail: an address that bounces or complains is not written to again. */
export const onMailEvent = (_dependencies: NoticesDependencies, _detail: unknown): Promise<void> => Promise.resolve();

import type { Attempt, NoticesDependencies } from '../dependencies.ts';
import type { MailMessage } from '../message.ts';

/** Sends one mail, unless it holds no more or its bounds are reached. Rejects: it is tried again. */
export const onMail = (_dependencies: NoticesDependencies, _message: MailMessage, _attempt: Attempt): Promise<void> =>
  Promise.resolve();

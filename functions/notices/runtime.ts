import { isOnThisMachine, optional, required } from '../shared/system.ts';
import { ENVIRONMENT, NOTICES_ENVIRONMENT, NOTICES_SERVICE } from '../shared/names.ts';
import { powertools } from '../shared/telemetry.ts';
import type { NoticesTelemetry } from './dependencies.ts';

/** The settings of the notices function, checked when it starts. */
export const settings = {
  portalOrigin: () => required(ENVIRONMENT.portalOrigin),
  mailQueueUrl: () => required(NOTICES_ENVIRONMENT.mailQueueUrl),
  webhookQueueUrl: () => required(NOTICES_ENVIRONMENT.webhookQueueUrl),
  dailyQueueUrl: () => required(NOTICES_ENVIRONMENT.dailyQueueUrl),
  mailFrom: () => optional(NOTICES_ENVIRONMENT.mailFrom),
  failuresBucket: () => optional(NOTICES_ENVIRONMENT.failuresBucket),
  sesConfigurationSet: () => optional(NOTICES_ENVIRONMENT.sesConfigurationSet),
};

/** Powertools' own variable. */
const LOG_LEVEL = 'POWERTOOLS_LOG_LEVEL';

/**
 * On this machine the mailbox shows the mails. Log lines about them would push the banner of `npm start` off the
 * screen.
 */
export const noticesTelemetry = (): NoticesTelemetry =>
  powertools(NOTICES_SERVICE, isOnThisMachine() && optional(LOG_LEVEL) === undefined ? { logLevel: 'WARN' } : {});

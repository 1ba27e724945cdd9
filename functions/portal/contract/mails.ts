import * as v from 'valibot';
import { Days, OwnerMailsChanges, Percents, ThresholdsChanges } from './requests/mails.ts';
import { Empty, FAIL_CODES, FIND_CODES, OWNERS_CHANGE_CODES, type PortalOperation } from './route.ts';

/** Whether owners get mails of each kind. */
const OwnerMails = v.strictObject({ quota: v.boolean(), keys: v.boolean(), team: v.boolean() });
/** Shares of a quota in percent, and days before an expiry. An empty list is never. */
const Thresholds = v.strictObject({ percents: Percents, days: Days });

/** The query of those who hold a mail. A token that the portal did not make is a 404. */
const Held = v.object({ token: v.optional(v.string()) });

/** What the portal sends, when, and how it ends. */
export const mailContract = {
  getOwnerMails: { answers: { 200: OwnerMails }, refuses: FIND_CODES },
  updateOwnerMails: { body: OwnerMailsChanges, answers: { 200: OwnerMails }, refuses: OWNERS_CHANGE_CODES },
  getThresholds: { answers: { 200: Thresholds }, refuses: FIND_CODES },
  updateThresholds: { body: ThresholdsChanges, answers: { 200: Thresholds }, refuses: OWNERS_CHANGE_CODES },
  /** To the page that asks: scanners of mails open every link, so this changes nothing. */
  askToStopMails: { query: Held, answers: { 303: Empty }, refuses: FAIL_CODES },
  /** In one step, for mail programs (RFC 8058) and for the page, from anywhere. Its body is not read. */
  stopMails: { query: Held, answers: { 204: Empty }, refuses: [...FAIL_CODES, 'NOT_FOUND'] },
  /** Takes a stop back, by the token of the same mail. */
  resumeMails: { query: Held, answers: { 204: Empty }, refuses: [...FAIL_CODES, 'CROSS_SITE_REQUEST', 'NOT_FOUND'] },
} as const satisfies Record<string, PortalOperation>;

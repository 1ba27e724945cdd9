import * as v from 'valibot';
import { MAX_DAYS, MAX_PERCENT, MAX_THRESHOLDS } from '../../shared/choices.ts';
import { Empty, type PortalOperation } from './operation.ts';

const Choice = v.optional(v.boolean('Give true or false.'));
/** Which mails owners get. What is not given stays. */
const OwnerMailsChanges = v.object({ quota: Choice, keys: Choice, team: Choice });

/** Distinct whole numbers, at most five. */
const numbers = (most: number) => {
  const rule = `Give at most ${MAX_THRESHOLDS} different whole numbers from 1 to ${most}.`;
  return v.pipe(
    v.array(v.pipe(v.number(rule), v.integer(rule), v.minValue(1, rule), v.maxValue(most, rule)), rule),
    v.check(({ length }) => length <= MAX_THRESHOLDS, rule),
    v.check((given) => new Set(given).size === given.length, rule),
  );
};
/** Shares of a quota. */
const Percents = numbers(MAX_PERCENT);
/** Days before an expiry. */
const Days = numbers(MAX_DAYS);
/**
 * When owners are told. What is not given stays. Of the thresholds that are passed already the highest is told with the
 * next request, unless a higher one was told before.
 */
const ThresholdsChanges = v.object({ percents: v.optional(Percents), days: v.optional(Days) });

/** Whether owners get mails of each kind. */
const OwnerMails = v.strictObject({ quota: v.boolean(), keys: v.boolean(), team: v.boolean() });
/** Shares of a quota in percent, and days before an expiry. An empty list is never. */
const Thresholds = v.strictObject({ percents: Percents, days: Days });

/** The query of those who hold a mail. A token that the portal did not make is a 404. */
const Held = v.object({ token: v.optional(v.string()) });

/** What the portal sends, when, and how it ends. */
export const mailContract = {
  getOwnerMails: {
    route: 'GET /api/accounts/{accountId}/mails',
    by: 'viewer',
    isFree: true,
    answers: { 200: OwnerMails },
  },
  updateOwnerMails: {
    route: 'PATCH /api/accounts/{accountId}/mails',
    by: 'owner',
    body: OwnerMailsChanges,
    answers: { 200: OwnerMails },
  },
  getThresholds: {
    route: 'GET /api/accounts/{accountId}/thresholds',
    by: 'viewer',
    isFree: true,
    answers: { 200: Thresholds },
  },
  updateThresholds: {
    route: 'PATCH /api/accounts/{accountId}/thresholds',
    by: 'owner',
    body: ThresholdsChanges,
    answers: { 200: Thresholds },
  },
  /** To the page that asks: scanners of mails open every link, so this changes nothing. */
  askToStopMails: {
    route: 'GET /api/mails/stop',
    by: 'anyone',
    from: 'program',
    query: Held,
    answers: { 303: Empty },
  },
  /** In one step, for mail programs (RFC 8058) and for the page, from anywhere. Its body is not read. */
  stopMails: {
    route: 'POST /api/mails/stop',
    by: 'anyone',
    from: 'program',
    query: Held,
    answers: { 204: Empty },
    refuses: ['NOT_FOUND'],
  },
  /** Takes a stop back, by the token of the same mail. */
  resumeMails: {
    route: 'POST /api/mails/resume',
    by: 'anyone',
    query: Held,
    answers: { 204: Empty },
    refuses: ['NOT_FOUND'],
  },
} as const satisfies Record<string, PortalOperation>;

import { SettingsError } from '../functions/shared/settings/named-value.ts';

/** Lambda keeps this many executions of an account for functions without a reservation. */
const KEPT_UNRESERVED = 100;
/** An event source of Lambda takes at least two. */
const FEWEST = 2;
/** What the stage may hold for itself of the account's quota. */
const LARGEST_SHARE = 4 / 5;
/** At this share of the account's concurrency, there is still time to have the quota raised. */
const ALARM_SHARE = 4 / 5;

/** What a stage does with its account's concurrent executions. All are numbers of executions at once. */
export interface ConcurrencyShares {
  /** Reserved for the portal's function, which is also its bound; 0: nothing is reserved. */
  readonly portal: number;
  /** The bounds of the queues: of mails, of deliveries to endpoints, and of daily work. */
  readonly mails: number;
  readonly webhooks: number;
  readonly daily: number;
  /** The alarm on concurrency goes off here. */
  readonly alarm: number;
}

/** The shares of an account's quota. A new account has 10: then nothing is reserved, and each queue takes two. */
export function concurrencyShares(quota: number): ConcurrencyShares {
  const within = (share: number, fewest: number, most: number): number =>
    Math.min(Math.max(Math.floor(quota * share), fewest), most);
  return {
    portal: quota < 2 * KEPT_UNRESERVED ? 0 : within(1 / 50, 20, 100),
    // SES takes 14 mails a second of a new account.
    mails: FEWEST,
    webhooks: within(1 / 50, FEWEST, 10),
    // Two ledgers at once: each takes up to half of what a partition can read.
    daily: FEWEST,
    alarm: Math.floor(quota * ALARM_SHARE),
  };
}

/** Throws {@link SettingsError} when a stage would hold more than four fifths of its account's quota. */
export function refuseTooMuchConcurrency(
  quota: number,
  { provisionedConcurrency, hasPortal }: { readonly provisionedConcurrency: number; readonly hasPortal: boolean },
): void {
  const { portal, mails, webhooks, daily } = concurrencyShares(quota);
  const parts = {
    provisionedConcurrency,
    ...(hasPortal && { 'the portal': portal, mails, webhooks, 'daily work': daily }),
  };
  const sum = Object.values(parts).reduce((total, part) => total + part, 0);
  if (sum <= quota * LARGEST_SHARE) return;
  const list = Object.entries(parts).map(([name, part]) => `${part} for ${name}`);
  throw new SettingsError(
    `concurrencyQuota must be at least ${Math.ceil(sum / LARGEST_SHARE)}, and what the account really has: the stage ` +
      `would hold ${sum} of ${quota} concurrent executions (${list.join(', ')}), of which it may hold four fifths.`,
  );
}

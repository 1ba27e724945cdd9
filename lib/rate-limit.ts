import { SettingsError } from '../functions/shared/settings/named-value.ts';

/** Requests a second, and at once. */
export interface RateLimit {
  readonly requestsPerSecond: number;
  readonly burst: number;
}

/** What API Gateway takes of an account, for all its APIs in a region ("Amazon API Gateway quotas"). */
const USUAL: RateLimit = { requestsPerSecond: 10_000, burst: 5_000 };
const LOWER: RateLimit = { requestsPerSecond: 2_500, burst: 1_250 };
const LOWER_IN: ReadonlySet<string> = new Set([
  ...['af-south-1', 'ap-south-2', 'ap-southeast-3', 'ap-southeast-4', 'ap-southeast-5', 'ap-southeast-7', 'ca-west-1'],
  ...['eu-central-2', 'eu-south-1', 'eu-south-2', 'il-central-1', 'me-central-1', 'mx-central-1'],
]);

const mostIn = (region: string): RateLimit => (LOWER_IN.has(region) ? LOWER : USUAL);

/** A limit with a burst of twice its rate, as far as the region takes it. The region may be a token: then the usual. */
export const rateLimit = (requestsPerSecond: number, region: string): RateLimit => ({
  requestsPerSecond,
  burst: Math.min(2 * requestsPerSecond, mostIn(region).burst),
});

/** Throws {@link SettingsError} for more than API Gateway takes in the region: it would refuse the rest itself. */
export function refuseTooManyRequests(meteredRequestsPerSecond: number, region = ''): void {
  const { requestsPerSecond: most } = mostIn(region);
  if (meteredRequestsPerSecond <= most) return;
  throw new SettingsError(
    `meteredRequestsPerSecond must be at most ${most} in ${region}: API Gateway takes no more there.`,
  );
}

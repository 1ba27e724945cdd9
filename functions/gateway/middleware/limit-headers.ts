import type { ErrorCode } from '../../shared/http/errors.ts';
import { secondsUntil } from '../../shared/time.ts';
import { HEADERS } from '../../shared/names.ts';
import type { Admitted, GatewayMiddleware, RequestState } from './request-state.ts';

/** The metric that the quota counts. */
const QUOTA_METRIC = 'request_units';
/** The limit that a refusal names, by its code. Tests expect the same of every answer. */
export const REFUSED_BY: Readonly<Partial<Record<string, string>>> = {
  RATE_LIMIT_EXCEEDED: 'minute',
  QUOTA_EXCEEDED: 'quota',
  KEY_QUOTA_EXCEEDED: 'key-quota',
} satisfies Partial<Record<ErrorCode, string>>;

type LimitHeaders = GatewayMiddleware<'admitted' | 'code' | 'receivedAtMs'>;

/**
 * Puts the rate and quota headers on every response to an authenticated request, refusals and replays included.
 *
 * @example
 *   middyChain(chain).use(limitHeaders()).use(problems());
 */
export function limitHeaders(): LimitHeaders {
  const add: LimitHeaders['after'] = (request) => {
    const { state } = request.context;
    if (!state.admitted || !request.response) return;
    const headers = { ...request.response.headers, ...headersOf(state.admitted, state) };
    request.response = { ...request.response, headers };
  };
  return { after: add, onError: add };
}

function headersOf(admitted: Admitted, state: Pick<RequestState, 'code' | 'receivedAtMs'>): Record<string, string> {
  const { rate } = admitted;
  const units = unitLimits(admitted);
  const refusedBy = state.code === null ? undefined : REFUSED_BY[state.code];
  // Of the limits that begin again: the one that refused the request, else the one with fewer units left; if both have
  // the same, the project's.
  const resetting = units.filter(({ endsAt }) => endsAt !== undefined);
  const [least] = resetting.toSorted((one, other) => one.left - other.left);
  const shown = resetting.find(({ name }) => name === refusedBy) ?? least;
  return {
    [HEADERS.rateLimit]: String(rate.limit),
    [HEADERS.rateRemaining]: String(rate.remaining),
    [HEADERS.rateReset]: String(rate.resetEpochSeconds),
    ...(shown && {
      [HEADERS.quotaLimit]: String(shown.limit),
      [HEADERS.quotaRemaining]: String(shown.left),
      [HEADERS.quotaReset]: String(shown.endsAt),
      [HEADERS.quotaMetric]: QUOTA_METRIC,
    }),
    ...fieldsOf(state, refusedBy, [
      { name: 'minute', policy: `q=${rate.limit};w=60`, left: rate.remaining, endsAt: rate.resetEpochSeconds },
      ...units.map(({ limit, ...of }) => ({ ...of, policy: `q=${limit}` })),
    ]),
  };
}

/** The limits of units: the project's, and the key's within it. */
function unitLimits({ snapshot: { quotaLimit, cap }, period, quotaUsed, capUsed }: Admitted) {
  const limits = [
    { name: 'quota', limit: quotaLimit, used: quotaUsed, endsAt: period.endsAtEpochSeconds },
    { name: 'key-quota', limit: cap?.limit, used: capUsed, endsAt: cap?.span.endsAtEpochSeconds },
  ];
  return limits.flatMap(({ name, limit, used, endsAt }) =>
    limit === undefined ? [] : [{ name, limit, left: Math.max(0, limit - used), endsAt }],
  );
}

interface Limit {
  readonly name: string;
  readonly policy: string;
  readonly left: number;
  /** In epoch seconds; undefined: it never begins again. */
  readonly endsAt: number | undefined;
}

/**
 * The same in the form of draft-ietf-httpapi-ratelimit-headers-11. A refusal by a limit names that limit only.
 * Otherwise a client that waits for the end of every named limit would wait for the quota's, which may be a month away.
 * A 503 names none, since its `Retry-After` is not the end of a limit.
 */
function fieldsOf(
  { code, receivedAtMs }: Pick<RequestState, 'code' | 'receivedAtMs'>,
  refusedBy: string | undefined,
  limits: readonly Limit[],
): Record<string, string> {
  if (code === 'SERVICE_UNAVAILABLE') return {};
  const named = refusedBy === undefined ? limits : limits.filter(({ name }) => name === refusedBy);
  // A simulated refusal by a limit that is not enforced.
  if (named.length === 0) return {};
  return {
    [HEADERS.limitPolicies]: named.map(({ name, policy }) => `"${name}";${policy}`).join(', '),
    [HEADERS.limitsLeft]: named
      .map(({ name, left, endsAt }) => {
        const reset = endsAt === undefined ? '' : `;t=${secondsUntil(endsAt, receivedAtMs)}`;
        return `"${name}";r=${left}${reset}`;
      })
      .join(', '),
  };
}

import { HEADERS } from '../wiring.ts';
import type { Admitted, GatewayMiddleware, HttpResponse } from './request-state.ts';

/** The metric that the quota counts. */
const QUOTA_METRIC = 'request_units';

/** Puts the rate and quota headers on every response to an authenticated request, refusals and replays included. */
export function limitHeaders(): GatewayMiddleware {
  const add: GatewayMiddleware['after'] = (request) => {
    const { admitted } = request.context.state;
    if (admitted && request.response) request.response = withHeaders(request.response, admitted);
  };
  return { after: add, onError: add };
}

function withHeaders(response: HttpResponse, { rate, snapshot, quotaUsed, period }: Admitted): HttpResponse {
  return {
    ...response,
    headers: {
      ...response.headers,
      [HEADERS.rateLimit]: String(rate.limit),
      [HEADERS.rateRemaining]: String(rate.remaining),
      [HEADERS.rateReset]: String(rate.resetEpochSeconds),
      ...(snapshot.quotaLimit !== undefined && {
        [HEADERS.quotaLimit]: String(snapshot.quotaLimit),
        [HEADERS.quotaRemaining]: String(Math.max(0, snapshot.quotaLimit - quotaUsed)),
        [HEADERS.quotaReset]: String(period.endsAtEpochSeconds),
        [HEADERS.quotaMetric]: QUOTA_METRIC,
      }),
    },
  };
}

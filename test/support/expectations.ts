import { expect } from '@jest/globals';
import { ERRORS, type ErrorCode } from '../../functions/shared/http/errors.ts';
import { PORTAL_ORIGIN } from './gateway.ts';
import { commonHeaders } from './common-headers.ts';
import type { TestResponse } from './http.ts';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** The request id of a response: a UUID of version 7, the same in header and body. */
export function requestIdOf(response: TestResponse): string {
  const id = response.headers['x-service-request-id'] ?? '';
  expect(id).toMatch(UUID_V7);
  if (response.text !== '') expect(response.body.requestId).toBe(id);
  return id;
}

/** The headers without `RateLimit` and `RateLimit-Policy`, which every response is checked for elsewhere. */
const withoutFields = ({ headers }: TestResponse): Record<string, string> => {
  const { ratelimit, 'ratelimit-policy': policies, ...others } = headers;
  return others;
};

/** Asserts a whole success response: status, body and every header. */
export function expectSuccess(response: TestResponse, body: object, headers: Record<string, string> = {}): void {
  const requestId = requestIdOf(response);
  expect(response.body).toEqual({ ok: true, ...body, requestId });
  expect(withoutFields(response)).toEqual({
    ...commonHeaders(requestId),
    'content-type': 'application/json',
    ...headers,
  });
  expect(response.status).toBe(200);
}

/** Asserts a whole problem response of a gateway with a portal: status, body and every header. */
export function expectProblem(response: TestResponse, code: ErrorCode, headers: Record<string, string> = {}): void {
  const requestId = requestIdOf(response);
  const { status, title } = ERRORS[code];
  expect(response.body).toEqual({
    type: `urn:sandbox-gateway:error:${code.toLowerCase().replaceAll('_', '-')}`,
    title,
    status,
    ok: false,
    code,
    requestId,
    detail: expect.any(String),
  });
  expect(withoutFields(response)).toEqual({
    ...commonHeaders(requestId),
    'content-type': 'application/problem+json',
    link: `<${PORTAL_ORIGIN}/docs/errors#${code}>; rel="help"`,
    'x-should-retry': String(status >= 500 || code === 'RATE_LIMIT_EXCEEDED'),
    ...headers,
  });
  expect(response.status).toBe(status);
}

/** The `X-RateLimit-*` headers. */
export const rateHeaders = (limit: number, remaining: number, resetEpochSeconds: number): Record<string, string> => ({
  'x-ratelimit-limit': String(limit),
  'x-ratelimit-remaining': String(remaining),
  'x-ratelimit-reset': String(resetEpochSeconds),
});

/** The `X-Service-Quota-*` headers. */
export const quotaHeaders = (limit: number, remaining: number, resetEpochSeconds: number): Record<string, string> => ({
  'x-service-quota-limit': String(limit),
  'x-service-quota-remaining': String(remaining),
  'x-service-quota-reset': String(resetEpochSeconds),
  'x-service-quota-metric': 'request_units',
});

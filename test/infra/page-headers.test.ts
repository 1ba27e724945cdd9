import { expect, test } from '@jest/globals';
import { API_HEADERS, pageHeaders } from '../../lib/portal/page-headers.ts';

test('a page of the portal is in no frame, runs its own scripts alone, and asks its own origin and the gateway alone', () => {
  const { 'Content-Security-Policy': policy = '', Link, ...others } = pageHeaders('https://gateway.example.com');
  // Written out here: other tests compare what is deployed and served with these constants.
  expect(policy.split('; ')).toEqual([
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self' https://gateway.example.com",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ]);
  expect(Link).toBe('</.well-known/api-catalog>; rel="api-catalog"');
  expect(others).toEqual({
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    // Only for this host: the portal does not decide for its neighbours.
    'Strict-Transport-Security': 'max-age=31536000',
    'X-Content-Type-Options': 'nosniff',
  });
  const { 'Content-Security-Policy': policyOfTheApi, ...othersOfTheApi } = API_HEADERS;
  expect([policyOfTheApi, othersOfTheApi]).toEqual(["default-src 'none'; frame-ancestors 'none'", others]);
});

import type { Handler } from './http-server.ts';

/**
 * The limit of a route, as API Gateway keeps it: a bucket that holds a burst, and is filled again at the rate.
 *
 * @param nowMs a time that only grows
 * @returns whether a request may pass, which then has used its place
 */
export function rateLimit(
  { requestsPerSecond, burst }: { readonly requestsPerSecond: number; readonly burst: number },
  nowMs: () => number = () => performance.now(),
): () => boolean {
  let left = burst;
  let filledAtMs = nowMs();
  return () => {
    const atMs = nowMs();
    left = Math.min(burst, left + ((atMs - filledAtMs) / 1_000) * requestsPerSecond);
    filledAtMs = atMs;
    if (left < 1) return false;
    left -= 1;
    return true;
  };
}

/** API Gateway's own answer to a request that it throttles. */
export const THROTTLED: Handler = () =>
  Promise.resolve({
    statusCode: 429,
    headers: { 'Content-Type': 'application/json' },
    body: '{"message":"Too Many Requests"}',
  });

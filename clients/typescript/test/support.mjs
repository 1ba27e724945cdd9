import { test } from 'node:test';
import { SandboxGateway } from 'sandbox-gateway';

/** What the suites share: answers of the gateway, and a client whose waits are over at once. */

export const API_KEY = `svc_test_${'k'.repeat(42)}`;
export const REQUEST_ID = '01a1fd70-f1c0-7c41-9d5b-3f2e8a6b1c0d';
export const RESET = 1_900_000_000;
export const HEADERS = {
  'X-Service-Request-Id': REQUEST_ID,
  'X-RateLimit-Limit': '60',
  'X-RateLimit-Remaining': '59',
  'X-RateLimit-Reset': `${RESET}`,
  'X-Service-Quota-Limit': '10000',
  'X-Service-Quota-Remaining': '9999',
  'X-Service-Quota-Reset': `${RESET}`,
};
export const PING = { ok: true, mode: 'sandbox', message: 'Sandbox gateway is ready.', requestId: REQUEST_ID };
export const ready = () => Response.json(PING, { headers: HEADERS });
export const refusal = (status, code, headers) => () =>
  Response.json({ ok: false, code, detail: 'No.' }, { status, headers: { ...HEADERS, ...headers } });

/** A network of these answers; then it is ready. */
export function network(...answers) {
  const requests = [];
  const fetch = (url, init) => {
    requests.push({ url, ...init });
    return Promise.resolve().then(() => (answers[requests.length - 1] ?? ready)(init));
  };
  return { requests, fetch };
}
export const of = (options) => new SandboxGateway({ apiKey: API_KEY, baseURL: 'http://127.0.0.1:3000', ...options });

/** No test waits: a timer of the client's waits fires at once, and is noted. */
export const waits = [];
const { setTimeout } = globalThis;
globalThis.setTimeout = (end, ms, ...rest) => {
  if (!new Error().stack.includes('/wait.js')) return setTimeout(end, ms, ...rest);
  waits.push(ms);
  return setTimeout(end, 0);
};
const { random } = Math;
test.beforeEach(() => {
  waits.length = 0;
  Math.random = () => 0.5;
});
test.after(() => (Math.random = random));

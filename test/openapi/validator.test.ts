import { describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { healthChain } from '../../functions/gateway/health-chain.ts';
import { assertDocumented } from '../support/openapi-validation.ts';
import { httpEvent, invoke, type TestResponse } from '../support/http.ts';
import { testClock, testTelemetry } from '../support/reports.ts';
import { testDeadline } from '../support/deadline.ts';

const health = healthChain({
  clock: testClock(),
  randomBytes,
  startDeadline: testDeadline,
  telemetry: testTelemetry(),
  allowedOrigins: [],
});
const answer = await invoke(health, httpEvent({ path: '/api/v1/health' }));
const unknown = await invoke(health, httpEvent({ path: '/nowhere' }));

const { 'cache-control': _caching, ...uncached } = answer.headers;
const withHeader = (name: string, value: string) => ({ ...answer, headers: { ...answer.headers, [name]: value } });

describe('the check of every response that a test sees finds', () => {
  test.each<[string, TestResponse, RegExp]>([
    ['a status', { ...answer, status: 201 }, /status: expected a documented one, got 201/],
    ['a header too many', withHeader('x-service-new', '1'), /expected no further member, got "x-service-new"/],
    ['a header of another operation', withHeader('retry-after', '1'), /expected no further member, got "retry-after"/],
    ['a header too few', { ...answer, headers: uncached }, /Cache-Control: expected "no-store", got undefined/],
    ['a header value', withHeader('vary', '*'), /Vary: expected "Origin", got "\*"/],
    [
      'a content type',
      withHeader('content-type', 'text/html'),
      /Content-Type: expected "application\/json", got "text\/html"/,
    ],
    [
      'a member too many',
      { ...answer, body: { ...answer.body, region: 'eu' } },
      /body: expected no further member, got "region"/,
    ],
    ['a member too few', { ...answer, body: { ok: true } }, /body.status: expected "available", got undefined/],
    [
      'a member value',
      { ...answer, body: { ...answer.body, status: 'up' } },
      /body.status: expected "available", got "up"/,
    ],
  ])('%s that is not documented', (_what, deviating, message) => {
    expect(() => assertDocumented('GET', '/api/v1/health', deviating)).toThrow(message);
  });

  test('a body where there is none', () => {
    const { 'content-type': _type, ...headers } = answer.headers;
    expect(() => assertDocumented('OPTIONS', '/api/v1/health', { ...answer, status: 204, headers })).toThrow(
      'body: expected none',
    );
  });

  test('a problem under the wrong code, title, or status', () => {
    for (const [name, value] of Object.entries({
      code: 'INTERNAL_ERROR',
      title: 'Oops',
      status: 410,
      type: 'about:blank',
    })) {
      const deviating = { ...unknown, body: { ...unknown.body, [name]: value } };
      expect(() => assertDocumented('GET', '/nowhere', deviating)).toThrow(`body.${name}: expected`);
    }
  });

  test('a refusal for an unknown path or method that names another status', () => {
    expect(() => assertDocumented('PUT', '/api/v1/health', unknown)).toThrow('status: expected a documented one');
    expect(() => assertDocumented('GET', '/nowhere', { ...unknown, status: 405 })).toThrow(
      'status: expected a documented one',
    );
  });
});

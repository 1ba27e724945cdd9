import { describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { healthChain } from '../../functions/health/chain.ts';
import { assertDocumented } from '../support/openapi-validation.ts';
import { httpEvent, invoke, type TestResponse } from '../support/http.ts';
import { testClock, testTelemetry } from '../support/reports.ts';
import { testDeadline } from '../support/deadline.ts';

const health = healthChain({
  clock: testClock(),
  newId: randomUUID,
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
    ['a status', { ...answer, status: 201 }, /undocumented status/],
    ['a header too many', withHeader('x-service-new', '1'), /headers must NOT have additional.*x-service-new/],
    ['a header of another operation', withHeader('retry-after', '1'), /retry-after/],
    ['a header too few', { ...answer, headers: uncached }, /must have required property 'cache-control'/],
    ['a header value', withHeader('vary', '*'), /headers\/vary must be equal to constant/],
    ['a content type', withHeader('content-type', 'text/html'), /content type text\/html/],
    [
      'a member too many',
      { ...answer, body: { ...answer.body, region: 'eu' } },
      /body must NOT have unevaluated.*region/,
    ],
    ['a member too few', { ...answer, body: { ok: true } }, /body must have required property 'status'/],
    ['a member value', { ...answer, body: { ...answer.body, status: 'up' } }, /body\/status must be equal to constant/],
  ])('%s that is not documented', (_what, deviating, message) => {
    expect(() => assertDocumented('GET', '/api/v1/health', deviating)).toThrow(message);
  });

  test('a body where there is none', () => {
    const { 'content-type': _type, ...headers } = answer.headers;
    expect(() => assertDocumented('OPTIONS', '/api/v1/health', { ...answer, status: 204, headers })).toThrow('a body');
  });

  test('a problem under the wrong code, title, or status', () => {
    for (const member of [{ code: 'INTERNAL_ERROR' }, { title: 'Oops' }, { status: 410 }, { type: 'about:blank' }]) {
      const deviating = { ...unknown, body: { ...unknown.body, ...member } };
      expect(() => assertDocumented('GET', '/nowhere', deviating)).toThrow('of its own');
    }
  });

  test('a refusal for an unknown path or method that names another status', () => {
    expect(() => assertDocumented('PUT', '/api/v1/health', unknown)).toThrow('undocumented status');
    expect(() => assertDocumented('GET', '/nowhere', { ...unknown, status: 405 })).toThrow('undocumented status');
  });
});

import { describe, expect, test } from '@jest/globals';
import { PORTAL_ERRORS, type PortalErrorCode } from '../../functions/portal/contract/errors.ts';
import { portalMismatches } from '../support/portal-answers.ts';
import { portalOperations, portalRoutes } from '../support/portal-contract.ts';

const codes = Object.keys(PORTAL_ERRORS) as PortalErrorCode[];
const named = ({ method, path }: { method: string; path: string }): string => `${method} ${path}`;

describe('the portal’s contract and its code', () => {
  test('have the same routes, and each only once', () => {
    expect(portalRoutes.toSorted()).toEqual(portalOperations.map(named).toSorted());
    expect(new Set(portalRoutes).size).toBe(portalRoutes.length);
  });

  test('have the same codes, but that of methods that a path does not take', () => {
    const listed = new Set(portalOperations.flatMap(({ refuses }) => refuses));
    expect(codes.filter((code) => !listed.has(code))).toEqual(['METHOD_NOT_ALLOWED']);
  });

  test('ask for a session of everything but the way to it, and the end of mails', () => {
    const open = portalOperations.filter(({ isOpen }) => isOpen).map(named);
    expect(open).toEqual([
      ...['GET /api/sign-in', 'GET /api/sign-in/callback'],
      ...['GET /api/mails/stop', 'POST /api/mails/stop', 'POST /api/mails/resume'],
      'POST /api/leaked-keys',
    ]);
    for (const { isOpen, refuses } of portalOperations) expect(refuses.includes('NOT_SIGNED_IN')).toBe(!isOpen);
  });
});

describe('the check of every answer that a test sees finds', () => {
  const REQUEST_ID = '01a1fd70-f1c0-7c41-9d5b-3f2e8a6b1c0d';
  const headers = {
    'x-service-request-id': REQUEST_ID,
    'x-service-time': '2026-11-21T10:00:00.000Z',
    'cache-control': 'no-store',
  };
  const json = { ...headers, 'content-type': 'application/json' };
  const body = { accountId: 'acc_4fS0pQ2mXz81LkWd' };
  const created = { status: 201, headers: json, body };
  const problem = {
    type: 'urn:sandbox-gateway:error:too-many-requests',
    title: 'Too many requests',
    status: 429,
    ok: false,
    detail: 'Wait.',
    code: 'TOO_MANY_REQUESTS',
    requestId: REQUEST_ID,
  };
  const refused = {
    status: 429,
    headers: { ...headers, 'content-type': 'application/problem+json', 'retry-after': '3' },
    body: problem,
  };
  const subjectsOf = (answer: { status: number; headers: object; body: unknown }) =>
    portalMismatches('POST', '/api/accounts', { text: JSON.stringify(answer.body), ...answer } as never).map(
      ({ subject, expected }) => `${subject}: ${expected}`,
    );

  test('nothing in answers as they are listed', () => {
    expect([...subjectsOf(created), ...subjectsOf(refused)]).toEqual([]);
  });

  test.each([
    ['a status', { ...created, status: 200 }, 'status: a documented one'],
    ['a member too many', { ...created, body: { ...body, name: 'N' } }, 'body.name: no further member'],
    ['a member too few', { ...created, body: {} }, 'body.accountId: "accountId"'],
    ['a header too many', { ...created, headers: { ...json, 'set-cookie': 'a=b' } }, 'set-cookie: no further member'],
    [
      'a code of another route',
      { ...refused, body: { ...problem, code: 'NOT_FOUND' } },
      'body.code: "TOO_MANY_REQUESTS"',
    ],
    [
      'no time to retry',
      { ...refused, headers: { ...refused.headers, 'retry-after': '0' } },
      'Retry-After: /^[1-9]\\d*$/',
    ],
  ])('%s that is not', (_what, answer, deviation) => {
    expect(subjectsOf(answer)).toEqual([deviation]);
  });
});

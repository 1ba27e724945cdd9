import { describe, expect, test } from '@jest/globals';
import { AUDIT_ACTIONS } from '../../functions/accounts/audit/audit.ts';
import { PORTAL_ERRORS, type PortalErrorCode } from '../../functions/portal/errors.ts';
import { bodySchema } from '../support/openapi.ts';
import { portalContract, portalOperations, portalRoutes } from '../support/portal-contract.ts';

const { schemas, responses, examples } = portalContract.components;
const codes = Object.keys(PORTAL_ERRORS) as PortalErrorCode[];
const named = ({ method, path }: { method: string; path: string }): string => `${method} ${path}`;

describe('the portal’s contract and its code', () => {
  test('have the same routes, and each only once', () => {
    const routes = portalRoutes.map(named);
    expect(routes.toSorted()).toEqual(portalOperations.map(named).toSorted());
    expect(new Set(routes).size).toBe(routes.length);
  });

  test('have the same members of bodies: each route declares who may set them', () => {
    const declared = portalRoutes.map((route) => [named(route), Object.keys(route.declaration.sets ?? {})]);
    const documented = portalOperations.map((operation) => [
      named(operation),
      Object.keys(bodySchema(operation, portalContract)?.properties ?? {}),
    ]);
    expect(declared.toSorted()).toEqual(documented.toSorted());
  });

  test('have the same actions of the audit', () => {
    expect(schemas.AuditAction?.enum).toEqual(AUDIT_ACTIONS);
  });

  test('have the same codes', () => {
    expect(schemas.ErrorCode?.enum).toEqual(codes);
  });

  test.each(codes)('say the same of %s', (code) => {
    const { status, title, detail } = PORTAL_ERRORS[code];
    const { detail: example, ...value } = (examples[code]?.value ?? {}) as Record<string, unknown>;
    expect(value).toMatchObject({
      ...{ status, title, code, ok: false },
      type: `urn:sandbox-gateway:error:${code.toLowerCase().replaceAll('_', '-')}`,
    });
    // Its detail depends on the request.
    if (code !== 'INVALID_REQUEST') expect(example).toBe(detail);
  });

  test.each(codes)('document %s, and say when to retry exactly if that can help', (code) => {
    const documented = Object.values(responses).filter(
      ({ content }) => content?.['application/problem+json']?.examples[code] !== undefined,
    );
    expect(documented.length).toBeGreaterThan(0);
    for (const { headers } of documented) expect('Retry-After' in headers).toBe(PORTAL_ERRORS[code].retryable);
  });

  test('ask for a session of everything but the way to it, and the end of mails', () => {
    const open = portalOperations.filter(({ security }) => security?.length === 0).map(named);
    expect(open).toEqual([
      ...['GET /api/sign-in', 'GET /api/sign-in/callback'],
      ...['GET /api/mails/stop', 'POST /api/mails/stop', 'POST /api/mails/resume'],
      'POST /api/leaked-keys',
    ]);
  });
});

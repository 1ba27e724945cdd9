import { describe, expect, test } from '@jest/globals';
import { routesOf } from '../../functions/portal/known-routes.ts';
import { manageApp } from '../../functions/portal/manage/app.ts';
import { manageError, MANAGE_ERRORS, type ManageErrorCode } from '../../functions/portal/manage/errors.ts';
import { manageDocument } from '../../local/openapi/document.ts';
import { bodySchema } from '../support/openapi.ts';

const document = manageDocument();
const { schemas, responses, examples } = document.components;
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item)
    .filter(([method]) => method !== 'parameters')
    .map(([method, operation]) => ({ method: method.toUpperCase(), path, ...operation })),
);
const routes = routesOf(manageApp({ defaults: {} } as never));
const codes = Object.keys(MANAGE_ERRORS) as ManageErrorCode[];
const named = ({ method, path }: { method: string; path: string }): string => `${method} ${path}`;

describe('the contract of the management API and its code', () => {
  test('have the same routes, and each only once', () => {
    expect(routes.map(named).toSorted()).toEqual(operations.map(named).toSorted());
    expect(new Set(routes.map(named)).size).toBe(routes.length);
  });

  test('have the same members of bodies', () => {
    const declared = routes.map((route) => [named(route), Object.keys(route.declaration.sets ?? {}).toSorted()]);
    const documented = operations.map((operation) => [
      named(operation),
      Object.keys(bodySchema(operation, document)?.properties ?? {}).toSorted(),
    ]);
    expect(declared.toSorted()).toEqual(documented.toSorted());
  });

  test('have the same codes', () => {
    expect(schemas.ErrorCode?.enum).toEqual(codes);
  });

  test.each(codes)('say the same of %s, and when to retry exactly if that can help', (code) => {
    const { status, title, detail, retryable, challenge } = manageError(code);
    const type = `urn:sandbox-gateway:error:${code.toLowerCase().replaceAll('_', '-')}`;
    expect(examples[code]?.value).toMatchObject({ status, title, detail, code, ok: false, type });
    const documented = Object.values(responses).filter(
      ({ content }) => content?.['application/problem+json']?.examples[code] !== undefined,
    );
    expect(documented.length).toBeGreaterThan(0);
    for (const { headers } of documented) {
      expect('Retry-After' in headers).toBe(retryable);
      expect('WWW-Authenticate' in headers).toBe(challenge !== undefined || code === 'INSUFFICIENT_SCOPE');
    }
  });
});

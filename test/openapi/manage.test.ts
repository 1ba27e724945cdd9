import { describe, expect, test } from '@jest/globals';
import { CONTRACT } from '../../functions/portal/contract/index.ts';
import { MANAGE_CONTRACT } from '../../functions/portal/contract/manage.ts';
import { codesOf, manageCodesOf, type ManageOperation } from '../../functions/portal/contract/operation.ts';
import { PORTAL_ERRORS, type PortalErrorDefinition } from '../../functions/portal/contract/errors.ts';
import { operationsOf } from '../../functions/portal/request/known-routes.ts';
import { manageApp } from '../../functions/portal/app.ts';
import { MANAGE_ERRORS, type ManageErrorCode } from '../../functions/portal/contract/manage-errors.ts';
import { manageDocument } from '../../portal/build/manage-document.ts';
import { MEANINGS, PARAMETER_MEANINGS } from '../../portal/build/manage-texts.ts';

const operations = Object.values<ManageOperation>(MANAGE_CONTRACT);
const routes = operationsOf(manageApp({} as never)).map(({ route }) => route);
const document = manageDocument();
const text = JSON.stringify(document);

describe('the contract of the management API and its code', () => {
  test('have the same routes, and each only once', () => {
    expect(routes.toSorted()).toEqual(operations.map(({ route }) => route).toSorted());
    expect(new Set(routes).size).toBe(routes.length);
  });

  test('have the same codes, but that of methods that a path does not take', () => {
    const listed = new Set(operations.flatMap(manageCodesOf));
    const codes = Object.keys(MANAGE_ERRORS) as ManageErrorCode[];
    expect(codes.filter((code) => !listed.has(code))).toEqual(['METHOD_NOT_ALLOWED']);
  });
});

describe('a change of keys by program', () => {
  test.each(['createKey', 'updateKey', 'rotateKey', 'revokeKey'] as const)('%s conflicts as on the page', (id) => {
    const conflictsOf = (refuses: readonly string[], errors: Readonly<Record<string, PortalErrorDefinition>>) =>
      new Set(refuses.filter((code) => errors[code]?.status === 409));
    const onPage = conflictsOf(codesOf(CONTRACT[id]), PORTAL_ERRORS);
    expect(conflictsOf(manageCodesOf(MANAGE_CONTRACT[id]), MANAGE_ERRORS)).toEqual(onPage);
  });
});

describe('manage.yaml', () => {
  const keyOperation = document.paths['/manage/v1/projects/{projectId}/keys'];

  test('says of every member and parameter what it means, where that is written', () => {
    for (const meaning of [...Object.values(MEANINGS), ...Object.values(PARAMETER_MEANINGS)])
      expect(text).toContain(JSON.stringify(meaning));
  });

  test('tells what null means of members alone that may be null', () => {
    const schemas = Object.entries(document.components.schemas) as [string, { properties?: Record<string, object> }][];
    const members = schemas.flatMap(([name, { properties = {} }]) =>
      Object.entries(properties).map(([member, schema]) => [`${name}.${member}`, JSON.stringify(schema)] as const),
    );
    const wrong = members.filter(([, schema]) => /[Nn]ull:/.test(schema) && !schema.includes('"type":"null"'));
    expect(wrong.map(([name]) => name)).toEqual([]);
  });

  test('bounds requests as the code does, and leaves answers open to new members', () => {
    expect(document.components.schemas).toMatchObject({
      NewKey: { properties: { expiresInDays: { type: 'integer', minimum: 1, maximum: 365 } } },
      KeyChanges: {
        minProperties: 1,
        properties: { expiresAt: { anyOf: [{ $ref: '#/components/schemas/GivenTime' }, { type: 'null' }] } },
      },
      Rotation: { properties: { graceHours: { minimum: 0, maximum: 168, default: 24 } } },
      Key: { properties: { expiresAt: { anyOf: [{ $ref: '#/components/schemas/Time' }, { type: 'null' }] } } },
    });
    expect(text).not.toContain('additionalProperties":false');
    expect(keyOperation).toMatchObject({
      get: { parameters: [{ name: 'projectId' }, { name: 'state' }, { name: 'limit' }, { name: 'cursor' }] },
      post: { responses: { 409: { $ref: '#/components/responses/Conflict' } } },
    });
  });
});

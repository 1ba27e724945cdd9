import { expect, test } from '@jest/globals';
import { EXPLANATIONS } from '../../portal/requests/explanations.ts';
import { PING_PATH } from '../../portal/keys/ping.ts';
import { openapi } from '../../local/openapi/document.ts';
import { operationOf } from '../support/openapi.ts';

test('every code of the gateway is explained, and no other', () => {
  expect(Object.keys(EXPLANATIONS)).toEqual(openapi.components.schemas.ErrorCode?.enum);
});

test('the test ping goes to the path of the contract', () => {
  expect(operationOf('sendPing').path).toBe(PING_PATH);
});

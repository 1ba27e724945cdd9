import { expect, test } from '@jest/globals';
import { explanationOf } from '../../portal/requests/explanations.ts';
import { PING_PATH } from '../../portal/keys/ping.ts';
import { openapi } from '../../portal/build/openapi.ts';
import { operationOf } from '../support/openapi.ts';

test('every code of the gateway is explained, in the words of its contract', () => {
  for (const code of openapi.components.schemas.ErrorCode?.enum as string[]) {
    const { summary, description, value } = openapi.components.examples[code] ?? {};
    const { status, title, detail } = value as Record<string, unknown>;
    expect(explanationOf(code)).toEqual({ code, status, title, detail, meaning: summary, todo: description });
  }
  expect(explanationOf('NEWER_THAN_THIS_PAGE')).toBeUndefined();
});

test('the test ping goes to the path of the contract', () => {
  expect(operationOf('sendPing').path).toBe(PING_PATH);
});

import { describe, expect, test } from '@jest/globals';
import {
  errorDefinition,
  ERRORS,
  GatewayError,
  quotaRefusal,
  type ErrorCode,
} from '../../functions/shared/http/errors.ts';
import { problemResponse } from '../../functions/gateway/middleware/request-context.ts';
import { openapi, resolve, type Example, type Reference } from '../../portal/build/openapi.ts';
import { headerOf, operations, presence, responses } from '../support/openapi.ts';

const codes = Object.keys(ERRORS) as ErrorCode[];
const codesOf = (status: number): ErrorCode[] => codes.filter((code) => ERRORS[code].status === status);
const problems = responses.filter(({ status }) => status >= 400);
const sorted = (statuses: readonly number[]): number[] => statuses.toSorted((one, other) => one - other);

const DECEMBER_MS = Date.UTC(2026, 11);
/** The gateway's response for an error, with the request id and the period of the examples. */
const render = (code: ErrorCode) => {
  const isOfQuota = code === 'QUOTA_EXCEEDED' || code === 'KEY_QUOTA_EXCEEDED';
  const options = isOfQuota ? quotaRefusal(code, { endsAtEpochSeconds: DECEMBER_MS / 1_000 }, DECEMBER_MS) : {};
  return problemResponse(new GatewayError(code, options), '01a1fd70-f1c0-7c41-9d5b-3f2e8a6b1c0d');
};
const valueOf = (example: Reference): unknown => resolve<Example>(example).value;

describe('the errors of the contract and of the code', () => {
  test('have the same codes', () => {
    expect(openapi.components.schemas.ErrorCode?.enum).toEqual(codes);
  });

  test('have the same statuses, each in one response', () => {
    const statuses = new Set(codes.map((code) => ERRORS[code].status));
    expect(sorted(problems.map(({ status }) => status))).toEqual(sorted([...statuses]));
  });

  test.each(operations.filter(({ security }) => !security))(
    'can all happen to $operationId, but those of unknown paths and methods',
    ({ operationId, responses }) => {
      const statuses = problems.map(({ status }) => status).filter((status) => status !== 404 && status !== 405);
      expect(operationId).toBeDefined();
      expect(Object.keys(responses).map(Number)).toEqual([200, ...sorted(statuses)]);
    },
  );

  test.each(problems)('of status $status are its examples, as the gateway renders them', ({ status, content }) => {
    const examples = Object.entries(content?.['application/problem+json']?.examples ?? {});
    const rendered = codesOf(status).map((code) => [code, JSON.parse(render(code).body ?? '') as unknown]);
    expect(examples.map(([code, example]) => [code, valueOf(example)])).toEqual(rendered);
  });

  test.each(problems)('of status $status say when to retry exactly if that can help', (response) => {
    const codes = codesOf(response.status);
    // A cap of a key may count once: then nothing says when.
    const helps = codes.includes('KEY_QUOTA_EXCEEDED') ? 'sometimes' : 'always';
    for (const code of codes) {
      expect(presence(response, 'Retry-After')).toBe(errorDefinition(code).retryable ? helps : 'never');
    }
  });

  test.each(problems)('of status $status say alike whether a program should retry by itself', (response) => {
    const sent = codesOf(response.status).map((code) => render(code).headers?.['X-Should-Retry']);
    const { schema } = headerOf(response, 'X-Should-Retry') ?? {};
    expect(new Set(sent)).toEqual(new Set(schema?.enum ?? [schema?.const]));
  });

  test.each(problems)('of status $status have the same challenges', (response) => {
    const sent = codesOf(response.status).map((code) => render(code).headers?.['WWW-Authenticate']);
    const challenges = new Set(sent.filter((challenge) => challenge !== undefined));
    const { schema } = headerOf(response, 'WWW-Authenticate') ?? {};
    expect(new Set(schema?.enum ?? (schema ? [schema.const] : []))).toEqual(challenges);
    const rule = challenges.size === 0 ? 'never' : sent.includes(undefined) ? 'sometimes' : 'always';
    expect(presence(response, 'WWW-Authenticate')).toBe(rule);
  });
});

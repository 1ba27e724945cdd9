import { describe, expect, test } from '@jest/globals';
import { ROUTES } from '../../functions/gateway/operations/index.ts';
import { HEADERS, HEALTH_PATH, routeKeyOf } from '../../functions/shared/names.ts';
import { SANDBOX_SCOPE } from '../../functions/shared/credentials/credential-text.ts';
import { ERRORS } from '../../functions/shared/http/errors.ts';
import { SIMULATED_CODES } from '../../functions/shared/request/operation.ts';
import { openapi, resolve, type Parameter } from '../../portal/build/openapi.ts';
import { operationOf, operations, presence, responses } from '../support/openapi.ts';

describe('the operations of the contract', () => {
  test('are the routes of the code', () => {
    const documented = operations.map(({ method, path }) => `${method} ${path}`);
    expect(documented.sort()).toEqual(ROUTES.map(routeKeyOf).sort());
  });

  test('ask for a key with the scope of the sandbox, all but health and preflights', () => {
    expect(openapi.security).toEqual([{ ApiKey: [SANDBOX_SCOPE] }]);
    for (const { method, path, security } of operations) {
      expect(security).toEqual(method === 'OPTIONS' || path === HEALTH_PATH ? [] : undefined);
    }
  });
});

describe('the headers of the contract', () => {
  /** The responses of metered operations when they succeed. */
  const successes = operations.filter(({ security }) => !security).map((operation) => operation.responses['200']?.$ref);
  const { requestId, idempotencyReplayed, simulated, shouldRetry, limitPolicies, limitsLeft, ...limits } = HEADERS;
  const { rateLimit, rateRemaining, rateReset, ...quota } = limits;
  const simulatedStatuses = new Set<number>(SIMULATED_CODES.map((code) => ERRORS[code].status));
  const names = new Set(responses.flatMap(({ headers }) => Object.keys(headers)));
  const exposed = [...Object.values(HEADERS), 'Retry-After', 'WWW-Authenticate', 'Link'];
  const { AllowedMethods, AllowedHeaders, ExposedHeaders } = openapi.components.headers;

  test('have the names of the code', () => {
    expect([...names].filter((name) => /^(X-|RateLimit)/.test(name)).sort()).toEqual(Object.values(HEADERS).sort());
  });

  test('are readable in a browser, but those that it reads itself', () => {
    expect(ExposedHeaders?.schema.const).toBe(exposed.join(', '));
    const ofBrowsers = Object.keys(openapi.components.responses.Preflight?.headers ?? {});
    expect(names).toEqual(new Set([...exposed, ...ofBrowsers, 'Allow']));
  });

  test('of a request may be sent by a browser, with every method but HEAD, which needs no mention', () => {
    const parameters = operationOf('sendPing').parameters?.map((name) => resolve<Parameter>(name).name) ?? [];
    expect(AllowedHeaders?.schema.const).toBe(['Authorization', 'Content-Type', ...parameters].join(', '));
    const methods = new Set(operations.map(({ method }) => method).filter((method) => method !== 'HEAD'));
    expect(new Set(String(AllowedMethods?.schema.const).split(', '))).toEqual(methods);
  });

  test.each(responses)(
    'of $name: id and caching always, limits once authenticated, a replay on success',
    (response) => {
      const { name, status } = response;
      const isSuccess = successes.includes(`#/components/responses/${name}`);
      const afterAuthentication = isSuccess || [409, 413, 415, 429].includes(status);
      // A key in the wrong place is a 400 before it.
      const eitherWay = [400, 500, 503].includes(status);
      const rate = afterAuthentication ? 'always' : eitherWay ? 'sometimes' : 'never';
      expect({
        id: presence(response, requestId),
        caching: presence(response, 'Cache-Control'),
        rate: [rateLimit, rateRemaining, rateReset].map((header) => presence(response, header)),
        quota: Object.values(quota).map((header) => presence(response, header)),
        draft: [limitPolicies, limitsLeft].map((header) => presence(response, header)),
        replay: presence(response, idempotencyReplayed),
        simulation: presence(response, simulated),
        help: presence(response, 'Link'),
        retry: presence(response, shouldRetry),
      }).toEqual({
        id: 'always',
        caching: 'always',
        rate: Array(3).fill(rate),
        // A project may have no quota.
        quota: Array(4).fill(rate === 'never' ? 'never' : 'sometimes'),
        // A simulated refusal may name a quota that the project does not have.
        draft: Array(2).fill(status === 503 ? 'never' : status === 429 ? 'sometimes' : rate),
        replay: isSuccess ? 'sometimes' : 'never',
        simulation: simulatedStatuses.has(status) ? 'sometimes' : 'never',
        // A stage may have no portal.
        help: status >= 400 ? 'sometimes' : 'never',
        retry: status >= 400 ? 'always' : 'never',
      });
    },
  );
});

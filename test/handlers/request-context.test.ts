import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { GatewayError } from '../../functions/shared/http/errors.ts';
import { middyChain } from '../../functions/gateway/middleware/chain.ts';
import { requestContext } from '../../functions/gateway/middleware/request-context.ts';
import { admittedRequest, validInput, type RequestState } from '../../functions/gateway/middleware/request-state.ts';
import { httpEvent } from '../support/http.ts';
import { testClock, testTelemetry } from '../support/reports.ts';
import { testDeadline } from '../support/deadline.ts';

const startDeadline = testDeadline;

test('a failure to render an answer is answered and logged all the same: 500, without a word of it', async () => {
  const failure = new Error('internal text');
  const telemetry = testTelemetry();
  const handler = middyChain(() => Promise.reject(failure)).use(
    requestContext({ clock: testClock(), randomBytes, startDeadline, telemetry }),
  );
  // Without `invoke`: the middleware that adds the documented CORS headers is the one that failed.
  const response = await handler(httpEvent({}), {} as never);
  const requestId = response.headers?.['X-Service-Request-Id'];
  expect(response).toMatchObject({ statusCode: 500, headers: { 'Cache-Control': 'no-store' } });
  expect(JSON.parse(response.body ?? '')).toMatchObject({ ok: false, code: 'INTERNAL_ERROR', requestId });
  expect(response.body).not.toContain('internal text');
  expect(telemetry.requests).toMatchObject([{ status: 500, code: 'INTERNAL_ERROR', requestId }]);
  expect(telemetry.failures).toEqual([failure]);
  // This metric causes a rollback of a deployment.
  expect(telemetry.metrics).toEqual(['InternalErrors']);
});

test.each([
  ['https://portal.example.com', '<https://portal.example.com/docs/errors#INTERNAL_ERROR>; rel="help"'],
  [undefined, undefined],
])(
  'a problem leads to the page on its code where a portal is known, whatever failed: %s',
  async (portalOrigin, Link) => {
    const dependencies = {
      clock: testClock(),
      randomBytes,
      startDeadline,
      telemetry: testTelemetry(),
      portalOrigin,
    };
    const failed = middyChain(() => Promise.reject(new Error('rendering'))).use(requestContext(dependencies));
    const served = middyChain(() => Promise.resolve({ statusCode: 200 })).use(requestContext(dependencies));
    expect((await failed(httpEvent({}), {} as never)).headers?.Link).toBe(Link);
    expect((await served(httpEvent({}), {} as never)).headers).not.toHaveProperty('Link');
  },
);

test('what the log and the metrics say of an event is text, whatever was sent', async () => {
  const telemetry = testTelemetry();
  const handler = middyChain(() => Promise.resolve({ statusCode: 200 })).use(
    requestContext({ clock: testClock(), randomBytes, startDeadline, telemetry }),
  );
  const event = httpEvent({});
  const requestContextOf = { ...event.requestContext, requestId: { toString: null } };
  await handler({ ...event, routeKey: ['a'], requestContext: requestContextOf } as never, {} as never);
  expect(telemetry.requests).toMatchObject([{ apiRequestId: '', routeKey: '' }]);
});

test('a middleware that ran out of its turn would fail, not go on with what nobody checked', () => {
  const state = {} as RequestState;
  const refusal = new GatewayError('INVALID_REQUEST');
  expect(() => validInput(state)).toThrow('before input');
  expect(() => validInput({ ...state, input: refusal })).toThrow(refusal);
  expect(() => admittedRequest(state)).toThrow('before auth');
});

import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { ring } from '../../functions/middleware/chain.ts';
import { requestContext } from '../../functions/middleware/request-context.ts';
import { httpEvent } from '../support/http.ts';
import { testClock, testTelemetry } from '../support/reports.ts';

test('a failure to render an answer is answered and logged all the same: 500, without a word of it', async () => {
  const failure = new Error('internal text');
  const telemetry = testTelemetry();
  const startDeadline = () => new AbortController().signal;
  const handler = ring(() => Promise.reject(failure)).use(
    requestContext({ clock: testClock(), newId: randomUUID, startDeadline, telemetry }),
  );
  // Not by `invoke`: the ring that adds the documented CORS headers is the one that failed.
  const response = await handler(httpEvent({}), {} as never);
  const requestId = response.headers?.['X-Service-Request-Id'];
  expect(response).toMatchObject({ statusCode: 500, headers: { 'Cache-Control': 'no-store' } });
  expect(JSON.parse(response.body ?? '')).toMatchObject({ ok: false, code: 'INTERNAL_ERROR', requestId });
  expect(response.body).not.toContain('internal text');
  expect(telemetry.requests).toMatchObject([{ status: 500, code: 'INTERNAL_ERROR', requestId }]);
  expect(telemetry.failures).toEqual([failure]);
});

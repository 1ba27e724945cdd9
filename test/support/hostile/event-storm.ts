import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { healthChain } from '../../../functions/health/chain.ts';
import { PORTAL_ORIGIN } from '../gateway.ts';
import { mockedGateway } from '../mocked-gateway.ts';
import { testClock, testTelemetry } from '../reports.ts';
import { assertHarmless } from './answer.ts';
import { MARKER, withKeys } from './texts.ts';
import type { EventCase } from './event-cases.ts';
import { testDeadline } from '../deadline.ts';

type Handler = (event: never, context: never) => Promise<unknown>;
interface Result {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Both functions, on a store that admits every well-formed key, and the count of their answers by status. */
export function stormedFunctions() {
  const ping = mockedGateway();
  const healthTelemetry = testTelemetry();
  const health = healthChain({
    clock: testClock(),
    randomBytes,
    telemetry: healthTelemetry,
    portalOrigin: PORTAL_ORIGIN,
    allowedOrigins: [],
    startDeadline: testDeadline,
  });
  const answers = new Map<number, number>();
  const keys = { '{key}': ping.key, '{limited}': ping.key, '{revoked}': ping.key };

  return {
    answers,
    play: async (hostile: EventCase): Promise<void> => {
      ping.store.resetHistory();
      for (const handler of [ping.handler, health] as unknown as Handler[]) {
        const result = (await handler(filled(hostile, keys) as never, {} as never)) as Result;
        const { statusCode: status, headers, body: text = '' } = result;
        assertHarmless({ status, headers: Object.entries(headers), text });
        const [, code] = /"code":"([A-Z_]+)"/.exec(text) ?? [];
        assert.equal(headers.Link, code && `<${PORTAL_ORIGIN}/docs/errors#${code}>; rel="help"`);
        answers.set(status, (answers.get(status) ?? 0) + 1);
      }
      assert.deepEqual([...ping.telemetry.failures.splice(0), ...healthTelemetry.failures.splice(0)], []);
      for (const { requests, warnings } of [ping.telemetry, healthTelemetry]) {
        assert.doesNotMatch(JSON.stringify([requests, warnings]), /svc_(test|live)_/);
        // In an event that API Gateway did not make, its own members are hostile, too.
        const written = requests.map((entry) => ({ ...entry, apiRequestId: '', routeKey: '' }));
        assert.ok(!JSON.stringify([written, warnings]).toLowerCase().includes(MARKER), 'input is logged');
        requests.length = 0;
      }
    },
  };
}

/** The event with keys in place of their placeholders, in every text. */
function filled(value: unknown, keys: Parameters<typeof withKeys>[1]): unknown {
  if (typeof value === 'string') return withKeys(value, keys);
  if (Array.isArray(value)) return value.map((element) => filled(element, keys));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, filled(child, keys)]));
}

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { healthChain } from '../../../functions/gateway/health-chain.ts';
import { OPERATIONS } from '../../../functions/gateway/operations/index.ts';
import { PING_PATH } from '../../../functions/gateway/operations/ping.ts';
import { HEALTH_PATH } from '../../../functions/shared/names.ts';
import { testDeadline } from '../deadline.ts';
import { PORTAL_ORIGIN } from '../gateway.ts';
import { mockedGateway } from '../mocked-gateway.ts';
import { assertDocumented } from '../openapi-validation.ts';
import { testClock, testTelemetry } from '../reports.ts';
import { eventCase } from './event-cases.ts';
import { MARKER } from './texts.ts';

type Handler = (event: unknown, context: object) => Promise<Result>;
interface Result {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Internal details: paths, stacks, errors, keys of items, names of calls. */
const INTERNAL = /(^|\W)at \S+ ?\(|\.ts\b|\.js\b|node_modules|file:|Error:|Exception|[A-Z]+#|DynamoDB|\$metadata|pk\b/;
/** One request for each thing in the contract; a hostile event may turn into any of them. */
const TARGETS = [
  ...OPERATIONS.map(({ path }) => ['POST', path] as const),
  ['GET', HEALTH_PATH],
  ['OPTIONS', PING_PATH],
  ['PUT', PING_PATH],
  ['GET', '/'],
] as const;

interface StormOptions {
  /** Everything random depends on it. */
  readonly seed: number;
  readonly cases: number;
  readonly progress?: (done: number) => void;
}

/**
 * Sends hostile events to both functions, on a store that admits every well-formed key. Throws at the first answer that
 * does harm, with its shrunk event. Returns the count of the answers by status.
 */
export async function storm({ seed, cases, progress }: StormOptions): Promise<ReadonlyMap<number, number>> {
  const gateway = mockedGateway();
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
  let done = 0;
  const play = async (event: unknown): Promise<void> => {
    gateway.store.resetHistory();
    for (const handler of [gateway.handler, health] as unknown as Handler[]) {
      const result = await handler(event, {});
      assertHarmless(result);
      answers.set(result.statusCode, (answers.get(result.statusCode) ?? 0) + 1);
    }
    assert.deepEqual([...gateway.telemetry.failures.splice(0), ...healthTelemetry.failures.splice(0)], []);
    for (const { requests, warnings } of [gateway.telemetry, healthTelemetry]) {
      assert.doesNotMatch(JSON.stringify([requests, warnings]), /svc_(test|live)_/);
      // In an event that API Gateway did not make, its own members are hostile, too.
      const written = requests.map((entry) => ({ ...entry, apiRequestId: '', routeKey: '' }));
      assert.ok(!JSON.stringify([written, warnings]).toLowerCase().includes(MARKER), 'input is logged');
      requests.length = 0;
    }
    progress?.(++done);
  };
  await fc.assert(fc.asyncProperty(eventCase, play), { seed, numRuns: cases });
  return answers;
}

/**
 * Throws if an answer does harm: it fails (5xx), is not the documented envelope, can be cached, shows internal details,
 * or repeats its input. The body of a success may repeat input, since some operations do, but no API key.
 */
function assertHarmless({ statusCode: status, headers: sent, body: text = '' }: Result): void {
  assert.ok(status >= 200 && status < 500, `status ${status}: ${text}`);
  const headers = Object.fromEntries(Object.entries(sent).map(([name, value]) => [name.toLowerCase(), value]));
  const whole = `${JSON.stringify(headers)}\n${text}`;
  const fixed = status === 200 ? JSON.stringify(headers) : whole;
  assert.ok(!fixed.toLowerCase().includes(MARKER), `input is echoed: ${whole}`);
  assert.doesNotMatch(whole, /svc_(test|live)_\w/, 'a key is echoed');
  assert.doesNotMatch(text, INTERNAL, 'internal text');
  assert.equal(headers['cache-control'], 'no-store', whole);
  const [, code] = /"code":"([A-Z_]+)"/.exec(text) ?? [];
  assert.equal(headers.link, code && `<${PORTAL_ORIGIN}/docs/errors#${code}>; rel="help"`);
  const body = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
  if (text !== '') {
    assert.equal(body.requestId, headers['x-service-request-id'], 'the envelope names another request than the header');
    assert.equal(body.ok, status === 200, text);
  }
  // HEAD has the headers of an answer and no body, so there is nothing more to check.
  if (text !== '' || status === 204) assertDocumentedSomewhere({ status, headers, body, text });
}

function assertDocumentedSomewhere(answer: Parameters<typeof assertDocumented>[2]): void {
  const refusals = TARGETS.map(([method, path]) => {
    try {
      assertDocumented(method, path, answer);
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  });
  if (refusals.every((refusal) => refusal !== undefined)) {
    assert.fail(`${refusals.join('\n')}\n${JSON.stringify(answer)}`);
  }
}

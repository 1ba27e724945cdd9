import assert from 'node:assert/strict';
import { OPERATIONS } from '../../../functions/operations/index.ts';
import { PING_PATH } from '../../../functions/operations/ping.ts';
import { HEALTH_PATH } from '../../../functions/wiring.ts';
import { assertDocumented } from '../openapi-validation.ts';
import { MARKER } from './texts.ts';

/** An answer to hostile input, unchanged. */
export interface Answer {
  readonly status: number;
  /** In their order, with duplicates. */
  readonly headers: readonly (readonly [string, string])[];
  readonly text: string;
}

/** Headers that the transport adds. */
const TRANSPORT_HEADERS = new Set(['date', 'connection', 'keep-alive', 'content-length', 'transfer-encoding']);
/** Internal details: paths, stacks, errors, keys of items, names of calls. */
const INTERNAL = /(^|\W)at \S+ ?\(|\.ts\b|\.js\b|node_modules|file:|Error:|Exception|[A-Z]+#|DynamoDB|\$metadata|pk\b/;
/** One request for each thing in the contract; hostile bytes may turn into any of them. */
const TARGETS = [
  ...OPERATIONS.map(({ path }) => ['POST', path] as const),
  ['GET', HEALTH_PATH],
  ['OPTIONS', PING_PATH],
  ['PUT', PING_PATH],
  ['GET', '/'],
] as const;

/**
 * Throws if an answer does harm: it fails (5xx), is not the documented envelope, can be cached, shows internal details,
 * or repeats its input. The body of a success may repeat input, since some operations do, but no API key.
 */
export function assertHarmless({ status, headers, text }: Answer, method?: string): void {
  assert.ok(status >= 200 && status < 500, `status ${status}: ${text}`);
  const own = headers
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => !TRANSPORT_HEADERS.has(name));
  assert.equal(new Set(own.map(([name]) => name)).size, own.length, `a header twice: ${JSON.stringify(own)}`);
  const byName = Object.fromEntries(own);
  const whole = `${JSON.stringify(own)}\n${text}`;
  const fixed = status === 200 ? JSON.stringify(own) : whole;
  assert.ok(!fixed.toLowerCase().includes(MARKER), `input is echoed: ${whole}`);
  assert.doesNotMatch(whole, /svc_(test|live)_/, 'a key is echoed');
  assert.doesNotMatch(text, INTERNAL, 'internal text');
  assert.equal(byName['cache-control'], 'no-store', whole);

  const body = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
  if (text !== '') {
    assert.equal(body.requestId, byName['x-service-request-id'], 'the envelope names another request than the header');
    assert.equal(body.ok, status === 200, text);
  }
  // HEAD has the headers of an answer and no body, so there is nothing more to check.
  if (text === '' && status !== 204) assert.ok(method === undefined || method === 'HEAD', `no body: ${whole}`);
  else assertDocumentedSomewhere({ status, headers: byName, body, text });
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

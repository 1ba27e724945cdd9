import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { routeKeyOf } from '../../functions/shared/names.ts';
import { assertDocumented } from './openapi-validation.ts';
import { PING_PATH } from '../../functions/gateway/operations/ping.ts';
import { TEST_OPERATIONS, TEST_ROUTES } from './test-operation.ts';
import { noteRequest } from './secrets/journal.ts';

/** Long enough for the search for secrets in all output. The gateway ignores the member. */
const DEFAULT_BODY = { unknownMember: 'a body in clear' };

export interface TestRequest {
  readonly method?: string;
  readonly path?: string;
  readonly query?: string;
  /** Lower-case names, as API Gateway sends them; undefined removes a default header. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly cookies?: string[];
  /** A text is sent unchanged, bytes in base64, anything else as JSON; default {@link DEFAULT_BODY}; null: no body. */
  readonly body?: unknown;
}

/** A response that was read. */
export interface TestResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Record<string, unknown>;
  readonly text: string;
}

/** The payload-2.0 event that API Gateway would send. */
export function httpEvent(request: TestRequest): APIGatewayProxyEventV2 {
  const { method = 'GET', path = '/', query = '', headers = {}, cookies, body = DEFAULT_BODY } = request;
  const route = TEST_ROUTES.find((candidate) => candidate.method === method && candidate.path === path);
  const routeKey = route ? routeKeyOf(route) : '$default';
  const bytes = body instanceof Uint8Array;
  const text = bytes ? Buffer.from(body).toString('base64') : typeof body === 'string' ? body : JSON.stringify(body);
  return {
    version: '2.0',
    routeKey,
    rawPath: path,
    rawQueryString: query,
    ...(cookies && { cookies }),
    headers: Object.fromEntries(
      Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined),
    ),
    requestContext: {
      accountId: '123456789012',
      apiId: 'api',
      domainName: 'api.example.com',
      domainPrefix: 'api',
      http: { method, path, protocol: 'HTTP/1.1', sourceIp: '192.0.2.1', userAgent: 'jest' },
      requestId: 'api-gateway-request-id',
      routeKey,
      stage: '$default',
      time: '15/Jan/2030:10:00:30 +0000',
      timeEpoch: 1_894_701_630_000,
    },
    ...(body !== null && { body: text }),
    isBase64Encoded: bytes,
  };
}

type AnyHandler = (event: APIGatewayProxyEventV2, context: never) => Promise<APIGatewayProxyStructuredResultV2>;

/** Calls a handler as Lambda does and reads its response, which `openapi.yaml` must document. */
export async function invoke(handler: AnyHandler, event: APIGatewayProxyEventV2): Promise<TestResponse> {
  const response = await answerOf(handler, event);
  // Some tests pass incomplete events: these are requests without a path.
  const { rawPath = '', requestContext } = Object(event) as Partial<APIGatewayProxyEventV2>;
  const documentedPath = TEST_OPERATIONS.some(({ path }) => path === rawPath) ? PING_PATH : rawPath;
  assertDocumented(requestContext?.http.method ?? '', documentedPath, response);
  return response;
}

/** The same for a handler of another version, whose contract is another. */
export async function answerOf(handler: AnyHandler, event: APIGatewayProxyEventV2): Promise<TestResponse> {
  noteEvent(event);
  const result = await handler(event, {} as Context as never);
  const text = result.body ?? '';
  return {
    status: result.statusCode ?? 0,
    headers: Object.fromEntries(
      Object.entries(result.headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)]),
    ),
    body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
    text,
  };
}

/**
 * The parts of a request that nothing may emit or store. In some tests parts of the event are missing or of another
 * type.
 */
function noteEvent(event: unknown): void {
  const { headers, body, isBase64Encoded } = Object(event) as Record<keyof APIGatewayProxyEventV2, unknown>;
  const text =
    typeof body === 'string' ? Buffer.from(body, isBase64Encoded === true ? 'base64' : 'utf8').toString() : '';
  noteRequest(Object(headers) as Record<string, unknown>, text);
}

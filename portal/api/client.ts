import createClient from 'openapi-fetch';
import { deviceMs, noteTime } from './clock.ts';
import { errorOf, noAnswer, PortalError } from './problem.ts';
import * as v from 'valibot';
import type { CONTRACT } from '../../functions/portal/contract/index.ts';
import type { PortalOperation } from '../../functions/portal/contract/operation.ts';

/** Longer than any answer of the portal takes. After it the page says that no answer came. */
const PATIENCE_MS = 15_000;

/**
 * The portal's function (`functions/portal/contract/`). It has the same origin, so the browser sends the session's
 * cookie, and `Sec-Fetch-Site`, by which the function recognises this page.
 */
export const api = createClient<Paths>({
  // The function requires it for every change, also without a body.
  headers: { 'Content-Type': 'application/json' },
  credentials: 'same-origin',
  cache: 'no-store',
  redirect: 'error',
  fetch: (request) => fetch(request, { signal: AbortSignal.any([request.signal, AbortSignal.timeout(PATIENCE_MS)]) }),
});

/** When each request was sent. */
const sentAtMs = new WeakMap<Request, number>();

api.use({
  onRequest: ({ request }) => {
    sentAtMs.set(request, deviceMs());
    if (request.method === 'GET' && !isPersonActive()) request.headers.set('X-Service-Background', 'true');
  },
  onResponse: ({ request, response }) => noteTime(response, sentAtMs.get(request) ?? 0),
});

/** The answer of a request. Throws a {@link PortalError} for a refusal, a failure, and without an answer. */
export async function answer<Answer>(
  request: Promise<{ data?: Answer; error?: unknown; response: Response }>,
): Promise<Answer> {
  const { data, error, response } = await request.catch((failure: unknown) => {
    throw failure instanceof SyntaxError ? new PortalError('UNEXPECTED_ANSWER', failure.message, {}) : noAnswer();
  });
  if (!response.ok) throw errorOf(response, error);
  return data as Answer;
}

/** Requests within this time after an action of the person count as activity. */
const ACTIVE_FOR_MS = 60_000;

let lastInputAtMs = deviceMs();

for (const event of ['pointerdown', 'keydown', 'wheel', 'touchmove'] as const) {
  addEventListener(event, () => (lastInputAtMs = deviceMs()), { capture: true, passive: true });
}

/**
 * Whether a person uses this page. A timer reads lists again, and such requests must not keep the session of an unused
 * page alive.
 */
const isPersonActive = (): boolean => deviceMs() - lastInputAtMs < ACTIVE_FOR_MS;

/** The routes of the portal's function by path and method, in the form that `openapi-fetch` reads. */
type Paths = {
  [Path in PathOf<Known['route']>]: {
    [Here in Extract<Known, { route: `${string} ${Path}` }> as Lowercase<MethodOf<Here['route']>>]: Operation<Here>;
  };
};
type Known = (typeof CONTRACT)[keyof typeof CONTRACT];
type MethodOf<Route> = Route extends `${infer Method} ${string}` ? Method : never;
type PathOf<Route> = Route extends `${string} ${infer Path}` ? Path : never;

type Operation<Known extends PortalOperation> = {
  parameters: Parameter<'path', PathIds<PathOf<Known['route']>>> &
    (Known extends { query: infer Query extends v.GenericSchema } ? { query?: Sent<v.InferInput<Query>> } : object) &
    (Known extends { isRepeatable: true } ? { header?: { 'Idempotency-Key': string } } : object);
  responses: { [Status in keyof Known['answers']]: { content: Content<Known['answers'][Status]> } };
} & (Known extends { body: infer Body extends v.GenericSchema }
  ? { requestBody: { content: { 'application/json': v.InferInput<Body> } } }
  : { requestBody?: never });

/** The parameters of a path: the names in its braces. */
type PathIds<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | PathIds<Rest> : never;
type Parameter<In extends string, Names extends string> = [Names] extends [never]
  ? object
  : Record<In, Record<Names, string>>;

/** Parameters of a query are texts: a number is sent as one. */
type Sent<Query> = { [Name in keyof Query]: Query[Name] | (string extends Query[Name] ? number : never) };

/** A table is asked for as text; nothing comes with 204. */
type Content<Answer> = Answer extends v.GenericSchema
  ? v.InferOutput<Answer> extends infer Body
    ? [Body] extends [undefined]
      ? never
      : Body extends string
        ? { 'text/csv': Body }
        : { 'application/json': Body }
    : never
  : never;

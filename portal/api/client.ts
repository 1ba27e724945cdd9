import createClient from 'openapi-fetch';
import { isPersonActive } from './activity.ts';
import { errorOf, noAnswer, PortalError } from './problem.ts';
import type { Paths } from './contract.ts';

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

api.use({
  onRequest: ({ request }) => {
    if (request.method === 'GET' && !isPersonActive()) request.headers.set('X-Service-Background', 'true');
  },
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

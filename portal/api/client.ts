import createClient from 'openapi-fetch';
import { isPersonActive } from './activity.ts';
import { errorOf, noAnswer, PortalError } from './problem.ts';
import type { paths } from './types.ts';

/** Longer than any answer of the portal takes; past it the page says that none came. */
const PATIENCE_MS = 15_000;

/**
 * The portal's function, as `openapi.yaml` beside this folder says. Same origin, so that the browser sends the session's
 * cookie and the `Sec-Fetch-Site` by which the function knows this page.
 */
export const api = createClient<paths>({
  // The function wants it of every change, one without a body too.
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

/** What a request answers with. Throws a {@link PortalError} for a refusal, a failure, and where no answer came. */
export async function answer<Answer>(
  request: Promise<{ data?: Answer; error?: unknown; response: Response }>,
): Promise<Answer> {
  const { data, error, response } = await request.catch((failure: unknown) => {
    throw failure instanceof SyntaxError ? new PortalError('UNEXPECTED_ANSWER', failure.message, {}) : noAnswer();
  });
  if (!response.ok) throw errorOf(response, error);
  return data as Answer;
}

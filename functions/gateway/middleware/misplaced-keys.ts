import { conveysApiKey } from '../../shared/credentials/credential-text.ts';
import type { FunctionName } from '../../shared/names.ts';
import { GatewayError } from '../../shared/http/errors.ts';
import type { GatewayMiddleware, HttpEvent } from './request-state.ts';

/**
 * Refuses every request that holds a key or a token in its address, a cookie or its body, whatever else it is, also a
 * preflight: what is answered is sent again. It runs before anything is read, and leaves no event.
 *
 * @example
 *   middyChain(handler).use(misplacedKeys('metered')).use(router(served));
 */
export const misplacedKeys = (by: FunctionName): GatewayMiddleware => ({
  before: ({ event }) => {
    const places = placesOf(event).flatMap(([place, text]) => (conveysApiKey(text) ? [place] : []));
    if (places.length === 0) return;
    const needsKey = by === 'metered' && event.requestContext.http.method !== 'OPTIONS';
    const isMissing = needsKey && !event.headers.authorization?.trim();
    throw new GatewayError(isMissing ? 'MISSING_API_KEY' : 'INVALID_REQUEST', {
      detail: `An API key or a management token is in ${places.join(' and ')} of this request. It now stands in logs on the way: rotate it, and send the new one in the header Authorization: Bearer <API_KEY> only.`,
    });
  },
});

/** The text of each place where no key may be. */
const placesOf = ({ rawPath, rawQueryString, cookies = [], headers, body = '', isBase64Encoded }: HttpEvent) =>
  [
    ['the path', rawPath],
    ['the query string', rawQueryString],
    ['a cookie', [headers.cookie, ...cookies].join(';')],
    ['the body', isBase64Encoded ? Buffer.from(body, 'base64').toString('latin1') : body],
  ] as const;

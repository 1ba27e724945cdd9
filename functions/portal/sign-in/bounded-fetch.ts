import type { CustomFetch } from 'openid-client';

/** The most bytes that are read of an answer, after decoding. Metadata, keys and tokens have a few thousand. */
const MAX_BYTES = 262_144;

/**
 * `fetch` for a provider. A too large answer fails, and is not read to its end. Each request has its own connection: a
 * frozen function does not notice that the provider has closed a connection, and a code that was sent on it cannot be
 * sent again.
 */
export const boundedFetch: CustomFetch = async (url, options) => {
  const headers = new Headers(options.headers);
  headers.set('connection', 'close');
  const response = await fetch(url, { ...options, headers } as RequestInit);
  if (!response.body) return response;
  let left = MAX_BYTES;
  const bound = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      left -= chunk.byteLength;
      if (left < 0) controller.error(new Error('the provider answers too much'));
      else controller.enqueue(chunk);
    },
  });
  return new Response(response.body.pipeThrough(bound), response);
};

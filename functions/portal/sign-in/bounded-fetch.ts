import type { CustomFetch } from 'openid-client';

/** Most bytes that are read of an answer, once it is decoded. Metadata, keys and tokens have a few thousand. */
const MAX_BYTES = 262_144;

/**
 * `fetch` from a provider: an answer that is larger than any of a provider fails, and is not read to its end. Each on a
 * connection of its own: a function that stood still between two requests does not hear that the provider has closed one,
 * and a code that went down with it cannot be sent again.
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

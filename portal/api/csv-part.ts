import { answer } from './client.ts';

/** Reading a part takes the function some seconds, and the browser up to some MB. */
const PATIENCE_MS = 120_000;

interface PartOptions {
  readonly parseAs: 'text';
  readonly fetch: (request: Request) => Promise<Response>;
}

/** A part of a table. */
export interface CsvAnswer {
  readonly text: string;
  /** The cursor of the next part. Null: this was the last. */
  readonly cursor: string | null;
}

/** Reads a part of a table; `ask` sends the request with these options. */
export async function readPart(
  signal: AbortSignal,
  ask: (options: PartOptions) => Promise<{ data?: string; error?: unknown; response: Response }>,
): Promise<CsvAnswer> {
  let cursor: string | null = null;
  const sent = ask({
    parseAs: 'text',
    fetch: (request) => fetch(request, { signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]) }),
  });
  const text = await answer(
    sent.then((received) => {
      cursor = received.response.headers.get('X-Next-Cursor');
      return received;
    }),
  );
  return { text, cursor };
}

import { Readable } from 'node:stream';
import type { DynamoDBClient, DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';

/** An answer of the engine, whole. */
interface Answer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}
/** What the SDK names the operation with, the same for every request of a kind. */
const OPERATION_HEADER = 'x-amz-target';

interface HttpRequest {
  readonly headers: Readonly<Record<string, string>>;
}
interface HttpResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  body: AsyncIterable<Uint8Array>;
}

/** Keeps the last answer to each operation that a client gets from now on. */
export function recordAnswers(client: DynamoDBClient): ReadonlyMap<string, Answer> {
  const answers = new Map<string, Answer>();
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const response = result.response as HttpResponse;
      const body = Buffer.concat(await Array.fromAsync(response.body));
      const { statusCode, headers } = response;
      answers.set(operationOf(args.request as HttpRequest), { statusCode, headers, body });
      response.body = streamOf(body);
      return result;
    },
    // The last before the transport: nothing has read the answer yet.
    { step: 'deserialize', priority: 'low' },
  );
  return answers;
}

/** A transport that answers at once as the engine did. The body is a stream, as every real one is. */
export const stubbedTransport = (
  answers: ReadonlyMap<string, Answer>,
): NonNullable<DynamoDBClientConfig['requestHandler']> => ({
  handle: (request: HttpRequest) => {
    const answer = answers.get(operationOf(request));
    if (!answer) throw new Error(`no answer was recorded to ${operationOf(request)}`);
    const { statusCode, headers, body } = answer;
    return Promise.resolve({ response: { statusCode, headers, body: streamOf(body) } });
  },
});

const operationOf = ({ headers }: HttpRequest): string => headers[OPERATION_HEADER] ?? '';

const streamOf = (body: Buffer): Readable =>
  new Readable({
    read() {
      this.push(body);
      this.push(null);
    },
  });

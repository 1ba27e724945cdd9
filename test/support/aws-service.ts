import { buffer } from 'node:stream/consumers';
import type { ReceivedRequest } from './door/signature.ts';
import { served } from './served.ts';

/** A local server in place of an AWS service. */
export interface AwsService {
  readonly url: string;
  close(): void;
}

/**
 * Starts the service on a free port.
 *
 * @param answer returns the body of the response; from an error that it throws, `refused` makes status and body
 */
export function startAwsService(
  headers: Readonly<Record<string, string>>,
  answer: (request: ReceivedRequest & { readonly body: Buffer }) => string,
  refused: (error: Error) => readonly [status: number, body: string],
): Promise<AwsService> {
  const answerTo = (request: Parameters<typeof answer>[0]): readonly [number, string] => {
    try {
      return [200, answer(request)];
    } catch (error) {
      return refused(error as Error);
    }
  };
  return served((request, response) => {
    const { method = '', url: target = '', headers: received } = request;
    void buffer(request).then((body) => {
      const [status, text] = answerTo({ method, target, headers: received, body });
      response.writeHead(status, headers).end(text);
    });
  });
}

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An AWS STS that knows one caller. */
export interface TestSts {
  readonly url: string;
  /** How often it was asked. */
  asked: number;
  /** The caller's ARN; undefined: every request is refused. */
  arn: string | undefined;
  close(): void;
}

/** Plays `GetCallerIdentity` of STS's Query API on a free port of this machine. */
export async function startSts(): Promise<TestSts> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      sts.asked++;
      const headers = { 'Content-Type': 'text/xml', 'x-amzn-RequestId': '0' };
      response.writeHead(sts.arn === undefined ? 403 : 200, headers);
      response.end(
        sts.arn === undefined
          ? '<ErrorResponse><Error><Type>Sender</Type><Code>ExpiredToken</Code><Message>It has expired.</Message></Error></ErrorResponse>'
          : `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult>
             <Arn>${sts.arn}</Arn><UserId>U</UserId><Account>123456789012</Account>
             </GetCallerIdentityResult></GetCallerIdentityResponse>`,
      );
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const sts: TestSts = { url, asked: 0, arn: undefined, close: () => server.close() };
  return sts;
}

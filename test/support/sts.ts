import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { received } from './door/judgement.ts';
import { Refusal, whoSigned } from './door/signature.ts';

/** An AWS STS that knows one caller. */
export interface TestSts {
  readonly url: string;
  /** How often it was asked. */
  asked: number;
  /** The caller's ARN; undefined: every request is refused. */
  arn: string | undefined;
  close(): void;
}

/** Plays `GetCallerIdentity` of STS's Query API on a free port of this machine, to who signs for it. */
export async function startSts(): Promise<TestSts> {
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      sts.asked++;
      const headers = { 'Content-Type': 'text/xml', 'x-amzn-RequestId': '0' };
      try {
        whoSigned(received(request, body), { service: 'sts' });
        if (sts.arn === undefined) throw new Refusal('ExpiredToken', 'It has expired.');
        response.writeHead(200, headers).end(identityXml(sts.arn));
      } catch (error) {
        const { name, message } = error as Error;
        response.writeHead(403, headers).end(errorXml(name, message));
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const sts: TestSts = { url, asked: 0, arn: undefined, close: () => server.close() };
  return sts;
}

const identityXml = (arn: string): string =>
  `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult>
  <Arn>${arn}</Arn><UserId>U</UserId><Account>123456789012</Account>
  </GetCallerIdentityResult></GetCallerIdentityResponse>`;
const errorXml = (code: string, message: string): string =>
  `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`;

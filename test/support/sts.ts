import { startAwsService, type AwsService } from './aws-service.ts';
import { Refusal, whoSigned } from './door/signature.ts';

/** An AWS STS with one caller. */
export interface TestSts extends AwsService {
  /** The number of requests. */
  asked: number;
  /** The caller's ARN; undefined if every request is refused. */
  arn: string | undefined;
}

const HEADERS = { 'Content-Type': 'text/xml', 'x-amzn-RequestId': '0' };

/** Plays `GetCallerIdentity` of STS's Query API, for callers that sign. */
export async function startSts(): Promise<TestSts> {
  const service = await startAwsService(
    HEADERS,
    (request) => {
      sts.asked++;
      whoSigned(request, { service: 'sts' });
      if (sts.arn === undefined) throw new Refusal('ExpiredToken', 'It has expired.');
      return identityXml(sts.arn);
    },
    ({ name, message }) => [403, errorXml(name, message)],
  );
  const sts: TestSts = { ...service, asked: 0, arn: undefined };
  return sts;
}

const identityXml = (arn: string): string =>
  `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult>
  <Arn>${arn}</Arn><UserId>U</UserId><Account>123456789012</Account>
  </GetCallerIdentityResult></GetCallerIdentityResponse>`;
const errorXml = (code: string, message: string): string =>
  `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`;

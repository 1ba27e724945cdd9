import { callerOf, type Caller } from './callers.ts';

/** A request as it was received. */
export interface ReceivedRequest {
  readonly method: string;
  /** Path and query; a whole URL in a request to a proxy. */
  readonly target: string;
  /** By name, in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer | string;
}

/** A service's refusal, with a name such as `InvalidSignatureException`. */
export class Refusal extends Error {
  constructor(name: string, message: string) {
    super(message);
    this.name = name;
  }
}

/** The service that a request is addressed to. */
export interface Addressee {
  /** Its name in signatures, such as `dynamodb`. */
  readonly service: string;
  /** Absent if any region is accepted. */
  readonly region?: string | undefined;
}

const AUTHORIZATION = /^AWS4-HMAC-SHA256 Credential=([^/,\s]+)\/\d+\/([\w-]+)\/(\w+)\/aws4_request\b/;

/**
 * The caller that signed a request with Signature Version 4, for this service and region and with the token of its
 * role. The rest of a signature is not looked at, since the SDK itself makes it. Throws {@link Refusal}.
 */
export function whoSigned({ headers }: ReceivedRequest, { service, region }: Addressee): Caller {
  const [, id = '', signedRegion = '', signedService] = AUTHORIZATION.exec(String(headers.authorization)) ?? [];
  const caller = callerOf(id);
  if (!caller || (headers['x-amz-security-token'] ?? '') !== (caller.sessionToken ?? '')) {
    throw new Refusal('UnrecognizedClientException', 'The security token included in the request is invalid.');
  }
  if (signedService !== service || signedRegion !== (region ?? signedRegion)) {
    throw new Refusal('InvalidSignatureException', `Credential is scoped to ${signedService} in ${signedRegion}.`);
  }
  return caller;
}

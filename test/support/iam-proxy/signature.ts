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

const TERMINATION = 'aws4_request';
const AUTHORIZATION = /^AWS4-HMAC-SHA256 Credential=([^/,\s]+)\/([^,\s]*), ?SignedHeaders=([^,\s]+), ?Signature=(\w+)$/;
const REGION = /^[a-z]{2}(-[a-z]+)+-\d+$/;

/**
 * The caller that signed a request with Signature Version 4: the access key, the service and region, and the role's
 * token are checked. The digest is not computed again, since the SDK itself made it. Throws {@link Refusal}.
 */
export function whoSigned({ headers }: ReceivedRequest, { service, region }: Addressee): Caller {
  const authorization = headers.authorization ?? '';
  if (authorization === '')
    throw new Refusal('MissingAuthenticationTokenException', 'Request is missing Authentication Token');
  const [, id = '', scope = '', signedHeaders = ''] = AUTHORIZATION.exec(String(authorization)) ?? [];
  if (id === '') throw new Refusal('IncompleteSignatureException', 'The request is not authorised by a signature.');

  const [, signedRegion = '', signedService = '', termination] = scope.split('/');
  const fits = region === undefined ? REGION.test(signedRegion) : region === signedRegion;
  if (!fits) throw invalid(`Credential should be scoped to a valid region, not '${signedRegion}'.`);
  if (signedService !== service) throw invalid(`Credential should be scoped to correct service: '${service}'.`);
  if (termination !== TERMINATION)
    throw invalid(`Credential should be scoped with a valid terminator: '${TERMINATION}'.`);

  const caller = callerOf(id);
  if (!caller || (headers['x-amz-security-token'] ?? '') !== (caller.sessionToken ?? '')) {
    throw new Refusal('UnrecognizedClientException', 'The security token included in the request is invalid.');
  }
  const names = signedHeaders.split(';');
  for (const name of Object.keys(headers)) {
    const isRequired = name === 'host' || name === 'content-type' || name.startsWith('x-amz-');
    if (isRequired && !names.includes(name)) throw invalid(`'${name}' must be a 'SignedHeader' in the request.`);
  }
  return caller;
}

const invalid = (message: string): Refusal => new Refusal('InvalidSignatureException', message);

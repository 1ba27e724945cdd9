import { callerOf, type Caller } from './callers.ts';

/** A request as it came over the wire. */
export interface ReceivedRequest {
  readonly method: string;
  /** Path and query; of a request to a proxy a whole URL. */
  readonly target: string;
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer | string;
}

/** What a service answers instead of doing what it was asked, under a name such as `InvalidSignatureException`. */
export class Refusal extends Error {
  constructor(name: string, message: string) {
    super(message);
    this.name = name;
  }
}

/** Whom a request is meant for. */
export interface Addressee {
  /** As it is called in signatures, such as `dynamodb`. */
  readonly service: string;
  /** Absent: any that may be one. */
  readonly region?: string | undefined;
}

const TERMINATION = 'aws4_request';
const AUTHORIZATION = /^AWS4-HMAC-SHA256 Credential=([^/,\s]+)\/([^,\s]*), ?SignedHeaders=([^,\s]+), ?Signature=(\w+)$/;
const REGION = /^[a-z]{2}(-[a-z]+)+-\d+$/;

/**
 * Who signed a request, by its Signature Version 4: by which key, for which service and region, and with the token of
 * the role. The SDK computes the signature itself, so its digest is not computed a second time. Throws {@link Refusal}.
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

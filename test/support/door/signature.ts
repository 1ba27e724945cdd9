import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';
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

const ALGORITHM = 'AWS4-HMAC-SHA256';
const TERMINATION = 'aws4_request';
const AUTHORIZATION = /^AWS4-HMAC-SHA256 Credential=([^/,\s]+)\/([^,\s]*), ?SignedHeaders=([^,\s]+), ?Signature=(\w+)$/;
const REGION = /^[a-z]{2}(-[a-z]+)+-\d+$/;
const TIME = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;
/** How far the clock of who signs may be from ours. */
const MAX_SKEW_MINUTES = 5;
const MINUTE_MS = 60_000;

/**
 * Who signed a request by Signature Version 4, verified as the services do (AWS IAM User Guide, "Create a signed AWS API
 * request"). Written from that page alone: it shares no code with the SDK, which it is to find mistakes in the use of.
 * Throws {@link Refusal}.
 */
export function whoSigned(request: ReceivedRequest, { service, region }: Addressee, nowMs = Date.now()): Caller {
  const authorization = headerOf(request, 'authorization');
  if (authorization === '')
    throw new Refusal('MissingAuthenticationTokenException', 'Request is missing Authentication Token');
  const [, id = '', scope = '', signedHeaders = '', signature = ''] = AUTHORIZATION.exec(authorization) ?? [];
  if (id === '') throw new Refusal('IncompleteSignatureException', `Not what authorises a request: ${authorization}`);

  const [date = '', signedRegion = '', signedService = '', termination] = scope.split('/');
  const fits = region === undefined ? REGION.test(signedRegion) : region === signedRegion;
  if (!fits) throw invalid(`Credential should be scoped to a valid region, not '${signedRegion}'.`);
  if (signedService !== service) throw invalid(`Credential should be scoped to correct service: '${service}'.`);
  if (termination !== TERMINATION)
    throw invalid(`Credential should be scoped with a valid terminator: '${TERMINATION}'.`);
  const time = headerOf(request, 'x-amz-date');
  if (!time.startsWith(`${date}T`))
    throw invalid(`Date in Credential scope does not match that of the request: ${time}`);
  const skewMs = Date.parse(time.replace(TIME, '$1-$2-$3T$4:$5:$6Z')) - nowMs;
  if (!(Math.abs(skewMs) <= MAX_SKEW_MINUTES * MINUTE_MS)) throw new SkewedClock(time);

  const caller = callerOf(id);
  if (!caller || headerOf(request, 'x-amz-security-token') !== (caller.sessionToken ?? '')) {
    throw new Refusal('UnrecognizedClientException', 'The security token included in the request is invalid.');
  }
  const names = signedHeaders.split(';');
  for (const name of Object.keys(request.headers)) {
    const isRequired = name === 'host' || name === 'content-type' || name.startsWith('x-amz-');
    if (isRequired && !names.includes(name)) throw invalid(`'${name}' must be a 'SignedHeader' in the request.`);
  }
  if (signature !== signatureOf(request, { time, scope, names }, caller.secretAccessKey)) {
    throw invalid('The request signature we calculated does not match the signature you provided.');
  }
  return caller;
}

const invalid = (message: string): Refusal => new Refusal('InvalidSignatureException', message);

/** The refusal of a request whose signature may be right but for its time. Who learns our time by it may sign again. */
export class SkewedClock extends Refusal {
  constructor(time: string) {
    super('InvalidSignatureException', `Signature expired, or not yet current: ${time}`);
  }
}

/** The headers by which a caller signs a request with all of its headers, at a time. */
export function signed(
  { accessKeyId, secretAccessKey, sessionToken }: Caller,
  request: ReceivedRequest,
  { service, region = '' }: Addressee,
  nowMs = Date.now(),
): Record<string, string> {
  const time = new Date(nowMs).toISOString().replace(/[-:]|\.\d+/g, '');
  const added = { 'x-amz-date': time, ...(sessionToken !== undefined && { 'x-amz-security-token': sessionToken }) };
  const headers = { ...request.headers, ...added };
  const scope = [time.slice(0, 'YYYYMMDD'.length), region, service, TERMINATION].join('/');
  const names = Object.keys(headers).sort();
  const signature = signatureOf({ ...request, headers }, { time, scope, names }, secretAccessKey);
  const credential = `Credential=${accessKeyId}/${scope}`;
  const authorization = `${ALGORITHM} ${credential}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
  return { ...added, authorization };
}

/** What a signature is over besides the request: the time, `<date>/<region>/<service>/aws4_request`, names of headers. */
interface Signing {
  readonly time: string;
  readonly scope: string;
  readonly names: readonly string[];
}

function signatureOf(request: ReceivedRequest, { time, scope, names }: Signing, secret: string): string {
  const bodyHash = hash('sha256', request.body);
  // S3 says it in a header, too, which is signed: what it says must be true.
  const said = headerOf(request, 'x-amz-content-sha256');
  if (said !== '' && said !== bodyHash)
    throw new Refusal('XAmzContentSHA256Mismatch', 'The body is not what was signed.');
  const [path = '', query = ''] = request.target.replace(/^https?:\/\/[^/]+/, '').split('?');
  const canonical = [
    request.method,
    // The path as it came is encoded once. All services but S3 have it encoded twice.
    scope.split('/')[2] === 's3' ? path : path.split('/').map(encoded).join('/'),
    [...new URLSearchParams(query)]
      .map((pair) => pair.map(encoded).join('='))
      .sort()
      .join('&'),
    ...names.map((name) => `${name}:${headerOf(request, name).trim().replaceAll(/ +/g, ' ')}`),
    '',
    names.join(';'),
    bodyHash,
  ].join('\n');
  const text = [ALGORITHM, time, scope, hash('sha256', canonical)].join('\n');
  return hmac(signingKey(secret, scope), text).toString('hex');
}

const hmac = (key: KeyObject, text: string): Buffer => createHmac('sha256', key).update(text).digest();

const keys = new Map<string, KeyObject>();

/** The key of a day, a region and a service. Kept: it is the same for nearly all calls of a run. */
function signingKey(secret: string, scope: string): KeyObject {
  const name = `${secret}/${scope}`;
  const known = keys.get(name);
  if (known) return known;
  const first = createSecretKey(`AWS4${secret}`, 'utf8');
  const key = scope.split('/').reduce((before, part) => createSecretKey(hmac(before, part)), first);
  keys.set(name, key);
  return key;
}

/** RFC 3986: of ASCII all but letters, digits and `-._~` is encoded. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

function headerOf({ headers }: ReceivedRequest, name: string): string {
  const value = headers[name] ?? '';
  return typeof value === 'string' ? value : value.join(',');
}

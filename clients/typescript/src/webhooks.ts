import { timingSafeEqual } from 'node:crypto';
import type { Notice } from './notices.ts';
import { secretBytes, signatureOf } from './signature.ts';

export type { Notice, NoticeData } from './notices.ts';

/** A delivery that is not the portal's, or is too old. Nothing of what came is in it. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

/** Of a request in Node, or of one in the style of browsers. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/** How a delivery is checked. */
export interface VerifyOptions {
  /** How far the time of a delivery may be from now. Default: 300. Who overheard one cannot send it again later. */
  readonly toleranceSeconds?: number | undefined;
  /** Default: the present time. */
  readonly now?: Date | undefined;
}

/**
 * Checks that a delivery is the portal's, by Standard Webhooks 1.0.0, and gives its body.
 *
 * @param body as it came: parsed and written again it would be another
 * @param secret the secret that the portal showed once, `whsec_…`; or several, of which one must be right
 * @throws WebhookVerificationError a delivery that is not to be believed: answer 401
 * @throws TypeError a secret that is none; a body or headers that are not as they came
 */
export function verifyWebhook(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = 300, now = new Date() }: VerifyOptions = {},
): Notice {
  const secrets = (typeof secret === 'string' ? [secret] : secret).map(secretBytes);
  if (secrets.length === 0) throw new TypeError('There is no secret.');
  if (typeof body !== 'string' && !ArrayBuffer.isView(body)) {
    throw new TypeError('body is parsed, or missing: hand in the raw one, as text or as bytes (Express: express.raw).');
  }
  const [id, timestamp, signature] = ['id', 'timestamp', 'signature'].map((name) =>
    headerOf(headers, `webhook-${name}`),
  );
  if (!id || !timestamp || !signature) throw new WebhookVerificationError('It has not the headers of a webhook.');
  const ageSeconds = /^\d{1,12}$/.test(timestamp) ? now.getTime() / 1_000 - Number(timestamp) : Infinity;
  // In this order, so that what is not a number is refused too.
  if (!(Math.abs(ageSeconds) <= toleranceSeconds)) {
    throw new WebhookVerificationError('Its time is too far from now.');
  }
  const given = signature.split(' ').filter((each) => each.startsWith('v1,'));
  const isSigned = secrets.some((key) => {
    const right = signatureOf(key, id, timestamp, body);
    return given.some((each) => isEqual(Buffer.from(each.slice('v1,'.length), 'base64'), right));
  });
  if (!isSigned) throw new WebhookVerificationError('It is not signed with this secret.');
  return noticeOf(body);
}

const isEqual = (one: Buffer, other: Buffer): boolean => one.length === other.length && timingSafeEqual(one, other);

/** The one value of a header; undefined: there is none, or more than one. Other libraries have `Headers` of their own. */
function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  const { get } = Object(headers) as { readonly get?: unknown };
  const found: readonly (readonly [string, unknown])[] =
    typeof get === 'function'
      ? [[name, get.call(headers, name)]]
      : Object.entries(Object(headers) as object).filter(([each]) => each.toLowerCase() === name);
  const values = found.flatMap(([, value]) => value ?? []);
  const isText =
    Object(headers) === headers && !Array.isArray(headers) && values.every((each) => typeof each === 'string');
  if (!isText) throw new TypeError('headers must be names and values as text, such as request.headers.');
  return values.length === 1 ? values[0] : undefined;
}

function noticeOf(body: string | Uint8Array): Notice {
  let notice: unknown;
  try {
    notice = JSON.parse(typeof body === 'string' ? body : new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    // It is signed, and yet no notice.
  }
  const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);
  const { type, timestamp, data } = Object(notice) as Readonly<Record<keyof Notice, unknown>>;
  let reason;
  if (!isObject(notice)) reason = 'is no JSON object';
  else if (typeof type !== 'string') reason = 'has no text as type';
  else if (typeof timestamp !== 'string') reason = 'has no text as timestamp';
  else if (!isObject(data)) reason = 'has no object as data';
  else return notice as Notice;
  throw new WebhookVerificationError(`It is signed, and yet not a notice: it ${reason}.`);
}

import * as v from 'valibot';

/** A setting that cannot be used; the message is one line that names it. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/**
 * Checks a setting's value and names the setting in what it says of it. Values from the command line are text, those
 * from files may be numbers. Where a setting may be absent, empty text switches it off.
 */
export type Reader<T> = (value: unknown, name: string) => T;

/** One of a list. */
export const oneOf =
  <const T extends string | number>(allowed: readonly T[]): Reader<T> =>
  (value, name) => {
    const text = textOf(value, name);
    const found = allowed.find((candidate) => String(candidate) === text);
    if (found === undefined) {
      throw new SettingsError(`${name} must be one of ${allowed.join(', ')}, not "${text}".`);
    }
    return found;
  };

/** A whole number within bounds. */
export const integer =
  (least: number, most: number): Reader<number> =>
  (value, name) => {
    const text = textOf(value, name);
    const number = /^\d{1,16}$/.test(text) ? Number(text) : NaN;
    if (number >= least && number <= most) return number;
    throw new SettingsError(`${name} must be a whole number from ${least} to ${most}, not "${text}".`);
  };

/** What another reader takes, or `none`. */
export const orNone =
  <T>(read: Reader<T>): Reader<T | 'none'> =>
  (value, name) =>
    value === 'none' ? value : read(value, name);

const LOCAL_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** A browser origin as browsers send it (RFC 6454, section 6.1): responses are compared with it byte for byte. */
export const origin: Reader<string | undefined> = (value, name) => {
  if (isAbsent(value)) return undefined;
  const text = textOf(value, name);
  if (/[*,\s]|%2a/i.test(text)) throw new SettingsError(`${name} must be one origin: no list, no wildcard.`);
  if (!/^https?:\/\/./.test(text) || !URL.canParse(text)) {
    throw new SettingsError(`${name} must be an origin such as https://portal.example.com, not "${text}".`);
  }
  const parsed = new URL(text);
  if (parsed.origin !== text) {
    const reason = 'no path, no trailing slash, no default port, lower case';
    throw new SettingsError(`${name} must be written as browsers send it, ${parsed.origin} (${reason}).`);
  }
  if (parsed.protocol === 'http:' && !LOCAL_HOSTS.has(parsed.hostname)) {
    throw new SettingsError(`${name} must use https: plain http is for localhost only.`);
  }
  return text;
};

/** Text of a shape, or undefined. */
const shaped =
  (isValid: (text: string) => boolean, example: string): Reader<string | undefined> =>
  (value, name) => {
    if (isAbsent(value)) return undefined;
    const text = textOf(value, name);
    if (!isValid(text)) throw new SettingsError(`${name} must be like ${example}, not "${text}".`);
    return text;
  };

/** An e-mail address. */
export const email = shaped((text) => v.is(v.pipe(v.string(), v.email()), text), 'team@example.com');
/** A host name of at least two labels. */
export const domain = shaped(
  (text) => /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/.test(text),
  'api.example.com',
);
/** The name of a DynamoDB table. */
export const tableName = shaped((text) => /^[a-zA-Z0-9_.-]{3,255}$/.test(text), 'Gateway-restored');
/** The id of a version of a secret in AWS Secrets Manager. */
export const secretVersion = shaped(
  (text) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text),
  '5a1d7c3e-0000-4000-8000-000000000000',
);
/** The ARN of a certificate in AWS Certificate Manager. */
export const certificateArn = shaped(
  (text) => /^arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate\/[0-9a-f-]+$/.test(text),
  'arn:aws:acm:eu-central-1:123456789012:certificate/…',
);

/** The runbook in this repository: no link that a mail could follow. */
export const OWN_RUNBOOK = 'docs/operating.md';
/** So that an alarm's description stays within CloudWatch's 1,024 characters. */
const MAX_RUNBOOK_URL_CHARACTERS = 500;

/** Where the runbook is: an https address without a fragment, or this project's own page. */
export const runbookUrl: Reader<string> = (value, name) => {
  const text = textOf(value, name);
  const isAddress = text.startsWith('https://') && URL.canParse(text) && !text.includes('#');
  if (text === OWN_RUNBOOK || (isAddress && text.length <= MAX_RUNBOOK_URL_CHARACTERS)) return text;
  const bounds = `of at most ${MAX_RUNBOOK_URL_CHARACTERS} characters and without a fragment`;
  throw new SettingsError(`${name} must be an https address ${bounds}, not "${text}".`);
};

const isAbsent = (value: unknown): boolean => value === undefined || value === null || value === '';

function textOf(value: unknown, name: string): string {
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  throw new SettingsError(`${name} must be text or a number.`);
}

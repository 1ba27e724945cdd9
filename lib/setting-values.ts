import * as v from 'valibot';

/** A setting that cannot be used; the message is one line that names it. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/*
 * Readers of context values. Each takes the value and the setting's name; absent or empty, the value is the reader's
 * default. Context from the command line is text; from `cdk.json` it may be a number.
 */

/** One of a list. */
export const oneOf =
  <const T extends string | number>(allowed: readonly T[], otherwise: NoInfer<T>) =>
  (value: unknown, name: string): T => {
    const text = textOf(value, name);
    if (text === undefined) return otherwise;
    const found = allowed.find((candidate) => String(candidate) === text);
    if (found === undefined) throw new SettingsError(`${name} must be one of ${allowed.join(', ')}, not ${text}.`);
    return found;
  };

/** A whole number within bounds. */
export const integer =
  (least: number, most: number, otherwise: number) =>
  (value: unknown, name: string): number => {
    const text = textOf(value, name);
    if (text === undefined) return otherwise;
    const number = /^\d{1,16}$/.test(text) ? Number(text) : NaN;
    if (number >= least && number <= most) return number;
    throw new SettingsError(`${name} must be a whole number from ${least} to ${most}, not ${text}.`);
  };

/** What another reader takes, or `none`. */
export const orNone =
  <T>(read: (value: unknown, name: string) => T) =>
  (value: unknown, name: string): T | 'none' =>
    value === 'none' ? value : read(value, name);

const LOCAL_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** A browser origin as browsers send it (RFC 6454, section 6.1): responses are compared with it byte for byte. */
export const origin =
  (otherwise: string | undefined) =>
  (value: unknown, name: string): string | undefined => {
    // Set to nothing it is switched off.
    if (value === '') return undefined;
    const text = textOf(value, name);
    if (text === undefined) return otherwise;
    if (text.includes('*')) throw new SettingsError(`${name} must be one origin: a wildcard is not allowed.`);
    if (!/^https?:\/\/./.test(text) || !URL.canParse(text)) {
      throw new SettingsError(`${name} must be an origin such as https://portal.example.com, not ${text}.`);
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

/** Text of a shape, or undefined when not set. */
const shaped =
  (isValid: (text: string) => boolean, example: string) =>
  () =>
  (value: unknown, name: string): string | undefined => {
    const text = textOf(value, name);
    if (text === undefined || isValid(text)) return text;
    throw new SettingsError(`${name} must be like ${example}, not ${text}.`);
  };

/** An e-mail address. */
export const email = shaped((text) => v.is(v.pipe(v.string(), v.email()), text), 'team@example.com');
/** A host name of at least two labels. */
export const domain = shaped(
  (text) => /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/.test(text),
  'api.example.com',
);
/** The ARN of a certificate in AWS Certificate Manager. */
export const certificateArn = shaped(
  (text) => /^arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate\/[0-9a-f-]+$/.test(text),
  'arn:aws:acm:eu-central-1:123456789012:certificate/…',
);

/** An https address, or the default. */
export const url =
  (otherwise: string) =>
  (value: unknown, name: string): string => {
    const text = textOf(value, name);
    if (text === undefined) return otherwise;
    if (!text.startsWith('https://') || !URL.canParse(text) || text.includes('#')) {
      throw new SettingsError(`${name} must be an https address without a fragment, not ${text}.`);
    }
    return text;
  };

function textOf(value: unknown, name: string): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  throw new SettingsError(`${name} must be text or a number.`);
}

import * as v from 'valibot';

const MAX_CHARACTERS = 500;
const Email = v.pipe(v.string(), v.email());
const MAILTO = 'mailto:';

/** What the setting is to look like. */
export const SUPPORT_URL_EXAMPLE = 'https://help.example.com or mailto:help@example.com';

/**
 * Whether a text names whom people may ask, and may be a link of a page: an https address without credentials, or one
 * address for mail, and nothing else that a mail program would read. At most 500 visible ASCII characters.
 */
export function isSupportUrl(text: string): boolean {
  if (text.length > MAX_CHARACTERS || !/^[!-~]+$/.test(text)) return false;
  if (text.startsWith(MAILTO)) return v.is(Email, text.slice(MAILTO.length));
  const url = URL.parse(text);
  return /^https:\/\/[^/\\]/.test(text) && url !== null && url.username === '' && url.password === '';
}

/** The setting as a variable of the environment; absent: nobody is named. */
export const SupportUrl = v.optional(v.pipe(v.string(), v.check(isSupportUrl, `must be like ${SUPPORT_URL_EXAMPLE}.`)));

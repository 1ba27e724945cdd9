import * as v from 'valibot';

const MAX_CHARACTERS = 500;
const Email = v.pipe(v.string(), v.email());
const MAILTO = 'mailto:';

/** Examples of the setting, for messages. */
export const SUPPORT_URL_EXAMPLE = 'https://help.example.com or mailto:help@example.com';

/**
 * Whether a text is a link to the people who help: an https address without credentials, or `mailto:` with one address
 * and nothing else. At most 500 visible ASCII characters.
 */
export function isSupportUrl(text: string): boolean {
  if (text.length > MAX_CHARACTERS || !/^[!-~]+$/.test(text)) return false;
  if (text.startsWith(MAILTO)) return v.is(Email, text.slice(MAILTO.length));
  const url = URL.parse(text);
  return /^https:\/\/[^/\\]/.test(text) && url !== null && url.username === '' && url.password === '';
}

/** The schema of the environment variable; absent: the portal shows no such link. */
export const SupportUrl = v.optional(v.pipe(v.string(), v.check(isSupportUrl, `must be like ${SUPPORT_URL_EXAMPLE}.`)));

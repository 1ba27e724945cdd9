import { checksum } from './api-key.ts';
import { CHECKSUM_LENGTH } from './credential-text.ts';

/** What an `Authorization` header has to hold, and what is often sent instead. */
export interface Credential {
  readonly name: string;
  readonly begins: RegExp;
  /** How it begins, in words. */
  readonly beginning: string;
  readonly characters: number;
  /** Other credentials of ours, by their beginnings, with a sentence about where they belong. */
  readonly others: readonly (readonly [RegExp, string])[];
}

const SESSION: Credential['others'][number] = [/^usr_/, 'This is a session of the portal, which counts there alone.'];

export const API_KEY: Credential = {
  name: 'API key',
  begins: /^svc_(test|live)_/,
  beginning: 'svc_test_ or svc_live_',
  characters: 51,
  others: [
    [/^svc_mgmt_/, "This is a management token, which belongs to /manage/v1 at the portal's address."],
    [/^key_/, 'This is the id of a key, and not the key.'],
    SESSION,
  ],
};

export const MANAGEMENT_TOKEN: Credential = {
  name: 'management token',
  begins: /^svc_mgmt_/,
  beginning: 'svc_mgmt_',
  characters: 55,
  others: [
    [/^svc_(test|live)_/, 'This is an API key, which belongs to the gateway.'],
    [/^tok_/, 'This is the id of a token, and not the token.'],
    SESSION,
  ],
};

/** For a header without a value. */
export const emptyFault = ({ name }: Credential): string =>
  `The Authorization header is empty: the variable for the ${name} may not be set. Set it, and send Bearer and its value.`;

/**
 * What is wrong with an `Authorization` header that has a value, as far as its form and the checksum tell, and what to
 * do. It holds no part of the header. Undefined: the form is right, so no such credential is known.
 */
export function authorizationFault(
  authorization: string,
  { name, begins, beginning, characters, others }: Credential,
): string | undefined {
  const [, scheme = '', text = ''] = /^([^ ]*) *(.*)$/s.exec(authorization.trim()) ?? [];
  if (/["'`]|[^\0-\x7F]/.test(authorization))
    return `The Authorization header holds quotes, or characters that no ${name} has. Send Bearer, a space and the ${name} without them.`;
  if (/^basic$/i.test(scheme))
    return `This is Basic authentication, as of curl -u. Send the ${name} in the header Authorization, after the word Bearer.`;
  if (!/^bearer$/i.test(scheme))
    return `The Authorization header does not begin with the word Bearer and a space. Put them before the ${name}.`;
  if (text === '')
    return `Nothing follows the word Bearer: the variable for the ${name} may not be set. Set it, and send its value.`;
  if (/[$%{<]|^(undefined|null|none)$/i.test(text))
    return `The name of a variable stands where the ${name} belongs, or a placeholder. Set the variable, and send its value: a shell replaces it in double quotes only.`;
  if (/[\s,]/.test(text)) return `More than the ${name} follows the word Bearer. Send the ${name} alone, once.`;
  const [, other] = others.find(([beginningOfOther]) => beginningOfOther.test(text)) ?? [];
  if (other !== undefined) return `${other} Send ${name === 'API key' ? 'an' : 'a'} ${name} here.`;
  const { length } = text;
  if (!begins.test(text))
    return `This is no ${name}: one begins with ${beginning} and has ${characters} characters. Copy it again.`;
  if (length < characters)
    return `The ${name} is cut off: it has ${length} of ${characters} characters. Copy all of it again.`;
  if (length > characters)
    return `The ${name} is too long: it has ${length} characters instead of ${characters}. Copy it again, alone.`;
  if (checksum(text.slice(0, -CHECKSUM_LENGTH)) !== text.slice(-CHECKSUM_LENGTH))
    return `A character of the ${name} is wrong: its checksum does not match. Copy it again instead of typing it.`;
  return undefined;
}

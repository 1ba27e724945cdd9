import * as v from 'valibot';

/** The prefixes of a stage's keys: the first is that of new keys, and all are known. */
export type KeyPrefixes = readonly [string, ...string[]];

/** The form of a prefix, for a regular expression. */
export const KEY_PREFIX = '[a-z]{2,12}';
/** The prefix where a stage sets none. Every stage knows its keys. */
export const DEFAULT_KEY_PREFIX = 'svc';

const LIST = new RegExp(`^${KEY_PREFIX}(,${KEY_PREFIX})*$`);

/** Whether a text is prefixes with commas between. */
export const isKeyPrefixes = (text: string): boolean => LIST.test(text);

/** The prefixes in texts that are valid or empty, each once; the default is always among them. */
export const keyPrefixesIn = (...texts: string[]): KeyPrefixes =>
  [...new Set([...texts, DEFAULT_KEY_PREFIX].join(',').split(',').filter(Boolean))] as [string, ...string[]];

/** The schema of the environment variable; absent: the default alone. */
export const KeyPrefixesText = v.optional(
  v.pipe(v.string(), v.check(isKeyPrefixes, 'must be prefixes of 2 to 12 letters, with commas between.')),
  DEFAULT_KEY_PREFIX,
);

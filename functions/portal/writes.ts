/**
 * Kinds of items that routes write: the beginnings of partition and sort key, up to the first `#`
 * (docs/architecture.md, "Data model").
 */
type ItemKind =
  | `ACCOUNT/${'ACCOUNT' | 'AUDIT' | 'INVITED' | 'KEY' | 'MADE' | 'MEMBER' | 'PROJECT' | 'REPORTED' | 'TOKEN' | 'TOKENS'}`
  | 'MAILED/OPTOUT'
  | `NOTICES/${'DELIVERY' | 'ENDED' | 'ENDPOINT' | 'ENDPOINTS' | 'LEFT-KEYS' | 'MAIL-OPTOUT'}`
  | `PROJECT/${'KEYREF' | 'KEYS' | 'PROJECT'}`
  | `USER/${'ACCOUNT' | 'SESSION' | 'USER'}`
  | `USED/${'CHANGES' | 'INVITED' | 'READS' | 'REMAINDER' | 'SIGN-INS' | 'TOKENS'}`
  | `ROLLUP/${'DAY' | 'HOUR' | 'PART'}`
  | 'ACCOUNTS/'
  | 'EXPIRING/'
  | 'EXPIRY-DAYS/'
  | 'IDENTITY/IDENTITY'
  | `INVITED/${'ACCOUNT' | 'UNTIL'}`
  | 'KEY/KEY'
  | 'TOKEN/TOKEN';

/**
 * All kinds of items that a route may write, except the time of the last request of the session or token. Tests check
 * every request against it.
 */
export type Writes = readonly ItemKind[];

/** What every change of an account writes in addition. */
export const CHANGE = ['USED/CHANGES', 'ACCOUNT/AUDIT'] as const satisfies Writes;

/** The items of a key: the key, its listing, its reference, its count and its end. */
export const KEY_ITEMS = [
  'KEY/KEY',
  'ACCOUNT/KEY',
  'PROJECT/KEYREF',
  'PROJECT/KEYS',
  'EXPIRING/',
] as const satisfies Writes;
/** What a change of a key writes. */
export const KEY_CHANGE: Writes = [...CHANGE, ...KEY_ITEMS];

/** A read that is not counted, one that is, and one that also keeps sums of usage. */
export const READ: Writes = [];
export const COUNTED_READ: Writes = ['USED/READS'];
export const READ_OF_SUMS: Writes = ['USED/READS', 'ROLLUP/DAY', 'ROLLUP/HOUR', 'ROLLUP/PART'];

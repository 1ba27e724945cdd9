import type { Key } from '../api/schemas.ts';
import { API_KEY, KEY_BEGINNING } from './key-form.ts';
import { isolated } from '../text/names.ts';
import { DAY_MS, formatSpan } from '../text/format.ts';

/** A key is about to expire within a week, and within a fifth of its life: one that was made for a day, in its evening. */
const [WARNING_MS, WARNING_SHARE] = [7 * DAY_MS, 0.2];

/** The offered lifetimes of a key, in days. */
export const LIFETIMES = [
  ['30', '30 days'],
  ['90', '90 days'],
  ['365', '1 year'],
  ['never', 'Never'],
] as const;
export type Lifetime = (typeof LIFETIMES)[number][0];

/** How the page shows a key, as far as it is typed. */
const SHOWN = new RegExp(`^(?:${KEY_BEGINNING})?…`);

/** The name of a key, or its shown characters. */
export const nameOf = ({ name, lastFour }: Pick<Key, 'name' | 'lastFour'>): string => name ?? `…${lastFour}`;

/** The same for a label, with its last characters: a rotation keeps the name, so two keys may have one name. */
export const labelOf = ({ name, lastFour }: Pick<Key, 'name' | 'lastFour'>): string =>
  name === null ? `…${lastFour}` : `${name} …${lastFour}`;

/** The same for a sentence or a choice. */
export const inWords = ({ name, lastFour }: Pick<Key, 'name' | 'lastFour'>): string =>
  name === null ? `…${lastFour}` : `${isolated(name)} (…${lastFour})`;

/** The state of a key by the portal's clock: its words, and whether it is good or bad. */
export function stateOf(
  { status, paused, createdAt, expiresAt, replacedBy }: Key,
  nowMs: number,
): readonly ['good' | 'warn' | 'over', string] {
  if (status === 'revoked') return ['over', 'Revoked'];
  const leftMs = expiresAt === null ? Infinity : Date.parse(expiresAt) - nowMs;
  if (status === 'expired' || leftMs <= 0) return ['over', 'Expired'];
  if (paused) return ['warn', 'Paused'];
  if (replacedBy !== null && expiresAt !== null) return ['warn', `Replaced, ends in ${formatSpan(leftMs)}`];
  if (leftMs > WARNING_MS) return ['good', 'Active'];
  const lifetimeMs = leftMs + nowMs - Date.parse(createdAt);
  return [leftMs <= lifetimeMs * WARNING_SHARE ? 'warn' : 'good', `Expires in ${formatSpan(leftMs)}`];
}

/** Whether a key works. */
export const isActive = (key: Key, nowMs: number): boolean => stateOf(key, nowMs)[0] !== 'over';

/**
 * The keys that a text names: by a part of the name, by the id, or by the key itself, of which the page knows the last
 * characters only.
 */
export function keysNamed(keys: readonly Key[], typed: string): readonly Key[] {
  const text = typed.trim().toLowerCase();
  const end = typed.trim().slice(-'abcd'.length);
  const isKey = API_KEY.test(typed) || SHOWN.test(text);
  return keys.filter(({ name, keyId, lastFour }) =>
    isKey ? lastFour === end : [name ?? '', keyId, lastFour].some((one) => one.toLowerCase().includes(text)),
  );
}

/** The options of a choice of keys: all keys by name, and the chosen one even if it does not exist any more. */
export function keyOptions(
  keys: readonly Pick<Key, 'keyId' | 'name' | 'lastFour'>[],
  chosen: string | undefined,
): (readonly [value: string, words: string])[] {
  const known = keys.map((key) => [key.keyId, inWords(key)] as const);
  const isUnknown = chosen !== undefined && !keys.some(({ keyId }) => keyId === chosen);
  return [['', 'All keys'], ...known, ...(isUnknown ? [[chosen, chosen] as const] : [])];
}

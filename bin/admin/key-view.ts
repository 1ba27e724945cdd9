import type { Rotated } from '../../functions/accounts/key-rotation.ts';
import { keyView, type KeyView } from '../../functions/accounts/key-views.ts';
import type { NewKey } from '../../functions/accounts/api-keys.ts';
import type { StoredKey } from '../../functions/accounts/stored-keys.ts';
import type { ListColumn } from './listing.ts';
import type { Outcome } from './session.ts';
import { facts } from './text.ts';

/** What a list shows of a key. */
export const KEY_COLUMNS: readonly ListColumn<KeyView>[] = [
  { heading: 'KEY', of: ({ keyId }) => keyId },
  { heading: 'NAME', shortens: 'atEnd', spare: 1, of: ({ name }) => name ?? '-' },
  { heading: 'MODE', spare: 3, of: ({ mode }) => mode },
  { heading: 'SCOPES', spare: 9, of: ({ scopes }) => scopes.join(' ') },
  { heading: 'STATUS', spare: 2, of: ({ status }) => status },
  { heading: 'RPM', figures: true, spare: 5, of: ({ rpm }) => rpm },
  { heading: 'CREATED', spare: 8, of: ({ createdAt }) => minute(createdAt) },
  { heading: 'EXPIRES', spare: 7, of: ({ expiresAt }) => minute(expiresAt) },
  { heading: 'LAST4', spare: 4, of: ({ lastFour }) => lastFour },
  { heading: 'LAST USED', spare: 6, of: ({ lastUsed }) => minute(lastUsed) },
];

/** The outcome of a command about one key. */
export function shownKey(stored: StoredKey, nowMs: number): Outcome {
  const json = keyView(stored, nowMs);
  const [name, replacedBy] = [json.name ?? '-', json.replacedBy ?? '-'];
  const text = { ...json, name, scopes: json.scopes.join(' '), expiresAt: json.expiresAt ?? 'never', replacedBy };
  return { json, text: facts({ ...text, lastUsed: minute(json.lastUsed) }) };
}

/** The outcome of a command that made a key. */
export const shownOnce = ({ keyId, key }: NewKey): Outcome => ({
  json: { keyId, key },
  text: `${facts({ keyId, key })}\n\n${ONLY_TIME}`,
});

/** The outcome of a rotation: the new key, and when the old one ends. */
export const shownRotation = (
  replacedKeyId: string,
  { keyId, key, replacedExpiresAt = '-' }: NewKey & Rotated,
): Outcome => {
  const json = { keyId, key, replacedKeyId, replacedExpiresAt };
  return { json, text: `${facts(json)}\n\n${ONLY_TIME}` };
};

const ONLY_TIME = 'This is the only time the key is shown.';

/** `2026-11-21T08:30Z`: no seconds that are not known. */
const minute = (time: string | null): string =>
  time === null ? 'never' : `${time.slice(0, 'YYYY-MM-DDTHH:MM'.length)}Z`;

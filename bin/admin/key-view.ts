import { keyView, type KeyView } from '../../functions/accounts/key-views.ts';
import type { NewKey } from '../../functions/accounts/new-keys.ts';
import type { StoredKey } from '../../functions/accounts/stored-keys.ts';
import type { Outcome } from './session.ts';
import { facts } from './text.ts';

export const KEY_HEADINGS = [
  'KEY',
  'NAME',
  'MODE',
  'SCOPES',
  'STATUS',
  'RPM',
  'CREATED',
  'EXPIRES',
  'ENDS IN',
  'LAST USED',
] as const;

/** A key under {@link KEY_HEADINGS}. */
export const keyRow = (key: KeyView): (string | number)[] => [
  key.keyId,
  key.name ?? '-',
  key.mode,
  key.scopes.join(' '),
  key.status,
  key.rpm,
  key.createdAt,
  key.expiresAt ?? 'never',
  `…${key.lastFour}`,
  minute(key.lastUsed),
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
  text: `${facts({ keyId, key })}\n\nThis is the only time the key is shown.`,
});

/** `2026-11-21T08:30Z`: no seconds that are not known. */
const minute = (time: string | null): string =>
  time === null ? 'never' : `${time.slice(0, 'YYYY-MM-DDTHH:MM'.length)}Z`;

import { isoTime, MS_PER_MINUTE } from '../../functions/core/clock.ts';
import type { NewKey } from '../../functions/accounts/api-keys.ts';
import type { StoredKey } from '../../functions/accounts/stored-keys.ts';
import type { Outcome } from './session.ts';
import { facts } from './text.ts';

/** What is shown of a key. */
export type KeyView = ReturnType<typeof publicView>;

/** What is shown of a key: never the key itself, nor its hash. */
export function publicView(
  { keyId, name, mode, scopes, status, rpm, createdAt, expiresAtMs, replacedBy, lastFour, window }: StoredKey,
  nowMs: number,
) {
  const expired = expiresAtMs !== undefined && nowMs >= expiresAtMs;
  return {
    keyId,
    name: name ?? null,
    mode,
    scopes: [...scopes],
    rpm,
    createdAt,
    lastFour,
    status: status === 'active' && expired ? 'expired' : status,
    expiresAt: expiresAtMs === undefined ? null : isoTime(expiresAtMs),
    replacedBy: replacedBy ?? null,
    // The minute of the rate window, which the admission writes anyway: exact to the minute, and free.
    lastUsed: window === undefined ? null : isoTime(window * MS_PER_MINUTE),
  };
}

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
  const json = publicView(stored, nowMs);
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

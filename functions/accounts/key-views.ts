import { isoTime, MS_PER_MINUTE } from '../core/clock.ts';
import type { StoredKey } from './stored-keys.ts';

/** What is shown of a key. */
export type KeyView = ReturnType<typeof keyView>;

/** What is shown of a key: never the key itself, nor its hash. */
export function keyView(
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
    status: status === 'active' && expired ? ('expired' as const) : status,
    expiresAt: expiresAtMs === undefined ? null : isoTime(expiresAtMs),
    replacedBy: replacedBy ?? null,
    // The minute of the rate window, which the admission writes anyway: exact to the minute, and free.
    lastUsed: window === undefined ? null : isoTime(window * MS_PER_MINUTE),
  };
}

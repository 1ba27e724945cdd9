import { isoTime, MS_PER_MINUTE } from '../core/clock.ts';
import type { StoredKey } from './stored-keys.ts';

/** A key for display. */
export type KeyView = ReturnType<typeof keyView>;

/** A key for display: never the key itself, nor its hash. */
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
    // The minute of the rate window, which the admission writes in any case: exact to the minute, without cost.
    lastUsed: window === undefined ? null : isoTime(window * MS_PER_MINUTE),
  };
}

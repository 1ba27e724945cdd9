import { isoTime, MS_PER_DAY, MS_PER_MINUTE } from '../core/clock.ts';
import type { ControlPlane } from './control-plane.ts';
import { readProject } from './stored-projects.ts';
import { keysOf, type StoredKey } from './stored-keys.ts';

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

/** How long a key that has ended is shown to the people of its account. */
const ENDED_SHOWN_MS = 90 * MS_PER_DAY;

/**
 * The keys of a project in the order of their ids, without those that ended 90 days ago. Two sequential reads. Throws
 * `ControlPlaneError` for an unknown project.
 */
export async function listKeyViews(plane: ControlPlane, projectId: string): Promise<KeyView[]> {
  const nowMs = plane.clock.now();
  await readProject(plane, projectId);
  const keys = await Array.fromAsync(keysOf(plane, projectId));
  return keys.filter((key) => nowMs < endedAtMs(key) + ENDED_SHOWN_MS).map((key) => keyView(key, nowMs));
}

/** The earlier of its revocation and its expiry. */
const endedAtMs = ({ revokedAt, expiresAtMs = Infinity }: StoredKey): number =>
  Math.min(revokedAt === undefined ? Infinity : Date.parse(revokedAt), expiresAtMs);

import type { KeyMode } from '../credentials/credential-text.ts';
import type { ErrorCode } from '../http/errors.ts';
import type { KeyCap } from './quota-shards.ts';
import type { RateStatus } from './rate-window.ts';

/** A key as it is stored, without its counters. */
export interface KeyRecord {
  readonly keyId: string;
  readonly projectId: string;
  readonly mode: KeyMode;
  readonly scopes: ReadonlySet<string>;
  readonly status: 'active' | 'revoked';
  /** Refused until it is resumed; absent: not paused. */
  readonly paused?: true;
  /** Refused from this moment on; absent: never. */
  readonly expiresAtMs?: number;
  /** Requests per minute. */
  readonly rpm: number;
  /** Units that it may spend in a quota period, 0 to 10⁹; absent: as many as its project. */
  readonly unitsLimit?: number;
  /**
   * The id of the first key with a limit in the chain of rotations. It names the counter, and never changes once it is
   * set.
   */
  readonly capId?: string;
}

/** The mode and the scope that an operation requires of a key. */
export interface AccessRequirement {
  readonly mode: KeyMode;
  readonly scope: string;
}

/** Why a key is refused before it is counted. */
export type KeyRefusalCode = Extract<
  ErrorCode,
  | 'INVALID_API_KEY'
  | 'API_KEY_REVOKED'
  | 'API_KEY_EXPIRED'
  | 'API_KEY_PAUSED'
  | 'INSUFFICIENT_SCOPE'
  | 'KEY_MODE_MISMATCH'
>;

/** A valid key and its limits at the moment of the admission. */
interface AdmittedKey {
  readonly keyId: string;
  readonly rate: RateStatus;
  readonly cap: KeyCap | undefined;
}

/** The result of one write, which authenticates a key and counts its request. */
export type Admission =
  | (AdmittedKey & { readonly outcome: 'admitted'; readonly clockBroken: boolean })
  | (AdmittedKey & { readonly outcome: 'rateLimited' })
  /** `keyId` is absent for an unknown key. */
  | { readonly outcome: 'refused'; readonly code: KeyRefusalCode; readonly keyId?: string };

/** Why a stored key is refused now; undefined: it is not refused. An `undefined` key is an unknown key. */
export function keyRefusal(
  key: KeyRecord | undefined,
  required: AccessRequirement,
  nowMs: number,
): KeyRefusalCode | undefined {
  if (key === undefined) return 'INVALID_API_KEY';
  if (key.status !== 'active') return 'API_KEY_REVOKED';
  if (key.expiresAtMs !== undefined && nowMs >= key.expiresAtMs) return 'API_KEY_EXPIRED';
  if (key.paused) return 'API_KEY_PAUSED';
  if (!key.scopes.has(required.scope)) return 'INSUFFICIENT_SCOPE';
  if (key.mode !== required.mode) return 'KEY_MODE_MISMATCH';
  return undefined;
}

/** The cap of a stored key; undefined: it has none. */
export const capOf = ({ keyId, unitsLimit, capId = keyId }: KeyRecord): KeyCap | undefined =>
  unitsLimit === undefined ? undefined : { id: capId, limit: unitsLimit };

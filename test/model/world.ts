/**
 * The reference model: what docs/using-the-api.md says of limits, quota, replay, conflict, revocation, expiry,
 * roll-overs and clocks, as plain code over plain values. It shares no rule with `functions/`, on purpose.
 */

/** Everything that is, after some commands. Ids are those that the real gateway made. */
export interface World {
  /** True time; each instance of the gateway has its own idea of it. */
  nowMs: number;
  readonly quotaPeriod: 'month' | 'day';
  readonly projects: Project[];
  readonly keys: Key[];
}

export interface Project {
  readonly projectId: string;
  suspended: boolean;
  /** Undefined: not enforced. */
  quotaLimit: number | undefined;
  /** Units by period. */
  readonly used: Map<string, number>;
  /** By operation and Idempotency-Key: all requests of the model have the same mode and method. */
  readonly replays: Map<string, Replay>;
  readonly events: Event[];
}

export interface Key {
  readonly keyId: string;
  /** The whole key. */
  readonly key: string;
  readonly project: Project;
  readonly mode: 'test' | 'live';
  readonly scoped: boolean;
  readonly lifetimeMs: number | undefined;
  expiresAtMs: number | undefined;
  revoked: boolean;
  /** The id of the key that a rotation made of it, which it does once. */
  replacedBy: string | undefined;
  /** The key whose rotation made it. */
  readonly replaces?: string | undefined;
  rpm: number;
  /** The minute, numbered from the epoch, that requests are counted in. */
  window: { readonly minute: number; count: number } | undefined;
}

interface Replay {
  /** The request's JSON value, spelled one way. */
  readonly request: string;
  /** The response as it was. */
  readonly requestId: string;
  /** Not served from this second on. */
  readonly expiresAtEpochSeconds: number;
}

/** A usage event that must be in the table. */
export interface Event {
  readonly requestId: string;
  readonly keyId: string;
  readonly operation: string;
  /** In, out, both; null where no model was at work. */
  readonly tokens: readonly [number, number, number] | null;
  readonly event: string;
  readonly status: number;
  readonly code: string | null;
  readonly units: number;
  readonly period: string;
  readonly clientRequestId: string | null;
  readonly occurredAtMs: number;
  /** The request that it repeats, or whose Idempotency-Key it has. */
  readonly originalRequestId?: string | undefined;
  /** What the answer of a refusal said. */
  readonly detail?: string | undefined;
}

/** The quota period of a moment: its name and its end. */
export function periodOf({ quotaPeriod }: World, nowMs: number): { id: string; endsAtEpochSeconds: number } {
  const now = new Date(nowMs);
  const end = new Date(nowMs);
  end.setUTCHours(0, 0, 0, 0);
  if (quotaPeriod === 'day') end.setUTCDate(end.getUTCDate() + 1);
  else end.setUTCMonth(end.getUTCMonth() + 1, 1);
  const id = quotaPeriod === 'day' ? now.toISOString().slice(0, 10) : now.toISOString().slice(0, 7);
  return { id, endsAtEpochSeconds: end.getTime() / 1000 };
}

/**
 * The reference model: what docs/api says about limits, quota, replay, conflict, revocation, expiry,
 * new periods and clocks, as plain code over plain values. It shares no rule with `functions/`, on purpose.
 */

/** The state after some commands. Ids are those of the real gateway. */
export interface World {
  /** True time. The clocks of the instances differ from it. */
  nowMs: number;
  /** Time stands still then: a key does not exist 90 days after its end (test/accounts/key-pages.test.ts). */
  readonly endsAtMs: number;
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
  /** By period and cap, as `2030-01 key_…`. */
  readonly caps: Map<string, CapCount>;
  /** By operation and Idempotency-Key, since all requests of the model have the same mode and method. */
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
  lifetimeMs: number | undefined;
  expiresAtMs: number | undefined;
  revoked: boolean;
  paused: boolean;
  /** The id of its successor. A key is rotated once. */
  replacedBy: string | undefined;
  /** The key whose rotation made it. */
  readonly replaces?: string | undefined;
  rpm: number;
  /** Units that it may spend in a period; undefined: no limit of its own. */
  unitsLimit: number | undefined;
  /** Whose units count: the first key of a chain or a budget that had a limit, with a suffix for a period of its own. */
  capId: string | undefined;
  /** The minute in which requests are counted, numbered from the epoch. */
  window: { readonly minute: number; count: number } | undefined;
}

/** What is counted under a cap in one period of it. */
export interface CapCount {
  units: number;
  /** By month, where a period can be longer than one. */
  readonly months: Record<string, number>;
  /** The limit of a budget: that of all its keys. */
  limit: number | undefined;
}

interface Replay {
  /** The JSON value of the request, in one spelling. */
  readonly request: string;
  /** The stored response. */
  readonly requestId: string;
  /** Not served from this second on. */
  readonly expiresAtEpochSeconds: number;
}

/** A usage event that must be in the table. */
export interface Event {
  readonly requestId: string;
  readonly keyId: string;
  readonly operation: string;
  /** Input, output and total tokens; null without an AI model. */
  readonly tokens: readonly [number, number, number] | null;
  readonly event: string;
  readonly status: number;
  readonly code: string | null;
  readonly units: number;
  /** The cap under which they count; with a period of its own as `cap`. */
  readonly capId?: string;
  readonly cap?: string;
  readonly period: string;
  readonly clientRequestId: string | null;
  /** As it was sent; the table holds its tag. */
  readonly idempotencyKey: string | null;
  readonly occurredAtMs: number;
  /** The request that it repeats, or that used its Idempotency-Key before. */
  readonly originalRequestId?: string | undefined;
  /** The `detail` of a refusal. */
  readonly detail?: string | undefined;
  readonly simulated?: true;
}

export const CAP_PERIODS = ['day', 'week', 'month', 'once'] as const;
export type CapPeriod = (typeof CAP_PERIODS)[number];

/** The id of a cap by a period: of its quota's own, only the id of its first key. */
export function capOf({ quotaPeriod }: World, capId: string, period: CapPeriod): string {
  const [first = ''] = capId.split('.');
  return period === quotaPeriod ? first : `${first}.${period.charAt(0)}`;
}

/** The period of a cap at a moment: its name, and its end if it has one. */
export function capPeriodOf(
  world: Pick<World, 'quotaPeriod'>,
  nowMs: number,
  capId = '',
): { id: string; endsAtEpochSeconds: number | undefined } {
  const suffix = capId.split('.')[1];
  if (suffix === undefined) return periodOf(world, nowMs);
  if (suffix === 'o') return { id: 'once', endsAtEpochSeconds: undefined };
  if (suffix !== 'w') return periodOf({ quotaPeriod: suffix === 'd' ? 'day' : 'month' }, nowMs);
  const day = new Date(nowMs);
  day.setUTCHours(0, 0, 0, 0);
  // A week belongs to the year of its Thursday.
  day.setUTCDate(day.getUTCDate() + 3 - ((day.getUTCDay() + 6) % 7));
  const week = Math.floor((day.getTime() - Date.UTC(day.getUTCFullYear(), 0)) / (7 * 86_400_000)) + 1;
  const id = `${day.getUTCFullYear()}-W${String(week).padStart(2, '0')}`;
  return { id, endsAtEpochSeconds: day.getTime() / 1000 + 4 * 86_400 };
}

/** The count of a key's cap at a moment; of one that has counted nothing yet a new one. */
export function capCountOf(world: World, { project, capId }: Key, nowMs: number): CapCount {
  const place = `${capPeriodOf(world, nowMs, capId).id} ${capId}`;
  const count = project.caps.get(place) ?? { units: 0, months: {}, limit: undefined };
  project.caps.set(place, count);
  return count;
}

/** The quota period of a moment: its name and its end. */
export function periodOf(
  { quotaPeriod }: Pick<World, 'quotaPeriod'>,
  nowMs: number,
): { id: string; endsAtEpochSeconds: number } {
  const now = new Date(nowMs);
  const end = new Date(nowMs);
  end.setUTCHours(0, 0, 0, 0);
  if (quotaPeriod === 'day') end.setUTCDate(end.getUTCDate() + 1);
  else end.setUTCMonth(end.getUTCMonth() + 1, 1);
  const id = quotaPeriod === 'day' ? now.toISOString().slice(0, 10) : now.toISOString().slice(0, 7);
  return { id, endsAtEpochSeconds: end.getTime() / 1000 };
}

import type { AccessRequirement, Admission } from './admission.ts';
import { MS_PER_DAY, type Period } from '../time.ts';
import type { Deadline } from '../deadline.ts';
import type { CapCounter, ExhaustedLimit, Quota } from './quota-shards.ts';
import type { UsageEvent } from './usage-event.ts';

/** How long a successful response is kept for replay. */
export const REPLAY_RETENTION_SECONDS = 24 * 60 * 60;

/** How long an event of 0 units is kept. */
export const FREE_EVENT_RETENTION_DAYS = 30;

/** Whether all charged events of a period still exist: the first ones expire first. Its counter is kept longer. */
export const isKeptWhole = ({ startsAtMs }: Period, usageRetentionDays: number, nowMs: number): boolean =>
  nowMs < startsAtMs + usageRetentionDays * MS_PER_DAY;

/** A successful response, and the request that it belongs to. */
export interface ReplayRecord {
  readonly fingerprint: string;
  readonly status: number;
  /** JSON text of the response body, with the id of the original request. */
  readonly body: string;
  /** What it cost. Absent from a record of a version that kept none. */
  readonly units?: number;
  /** The cap under which it was counted, by one of two names (`capNamed`); absent: none. */
  readonly capId?: string;
  readonly cap?: string;
  /** That of its event. Absent from a record of a version that kept none. */
  readonly idempotencyTag?: string;
}

/** The state of a project when a request arrives, by consistent reads. */
export interface ProjectSnapshot extends Quota {
  /** False for a suspended project, and for an unknown one. */
  readonly active: boolean;
  /** The counter of the cap that the key had last, and may not have any more. Undefined: none was read. */
  readonly capCounter?: CapCounter | undefined;
  /** The unexpired replay record, if it was requested and found. */
  readonly replay: ReplayRecord | undefined;
}

/** What the settlement of a success writes. The quota is as the request read it, and may be stale. */
export interface Charge extends Quota {
  readonly event: UsageEvent;
  readonly period: Period;
  readonly receivedAtMs: number;
  /** Absent: the request has no Idempotency-Key. */
  readonly replay?: { readonly id: string; readonly record: ReplayRecord };
}

/** The outcome of a settlement. `duplicate`: a concurrent duplicate under the same Idempotency-Key committed first. */
export type Settlement =
  | { readonly outcome: 'settled' }
  | { readonly outcome: 'duplicate'; readonly record: ReplayRecord }
  /** `quota`: limits and counters as they were then. */
  | { readonly outcome: 'exhausted'; readonly by: ExhaustedLimit; readonly quota: Quota };

/** What to read of a project. */
export interface SnapshotQuery {
  readonly projectId: string;
  readonly period: Period;
  readonly replayId: string | undefined;
  readonly nowMs: number;
}

/** The counter of a cap at a moment. */
export interface CapQuery extends Pick<SnapshotQuery, 'projectId' | 'period' | 'nowMs'> {
  readonly capId: string;
}

/**
 * The gateway's store as a request uses it. Every method is one database request; a lost race or a quota in shards adds
 * one. Each takes the request's deadline. All throw `StoreUnavailableError` when the store does not answer before it.
 */
export interface RequestStore {
  /** Authenticates a key by its hash and counts the request against its rate limit, in one write. */
  admit(keyHash: string, required: AccessRequirement, nowMs: number, deadline: Deadline): Promise<Admission>;
  /** Reads project, quota counter and replay record. If the key is known to have a cap, reads its counter too. */
  readSnapshot(query: SnapshotQuery & { readonly keyHash: string }, deadline: Deadline): Promise<ProjectSnapshot>;
  /** Reads the counter of a cap. */
  readCapCounter(query: CapQuery, deadline: Deadline): Promise<CapCounter>;
  /** Reads a replay record that a concurrent duplicate may be committing at this moment. */
  readReplay(projectId: string, replayId: string, nowMs: number, deadline: Deadline): Promise<ReplayRecord | undefined>;
  /** Charges the event's units, appends the event and stores the replay record: all or nothing. */
  charge(charge: Charge, deadline: Deadline): Promise<Settlement>;
  /** Appends an event that charges nothing. */
  appendEvent(event: UsageEvent, deadline: Deadline): Promise<void>;
  /** Appends the event of a refusal that no rate limit counts: at most one per key, code and minute is kept. */
  appendEventOncePerMinute(event: UsageEvent, deadline: Deadline): Promise<void>;
}

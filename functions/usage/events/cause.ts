import { readRecentAudit } from '../../accounts/audit/recent-audit.ts';
import type { AuditEvent } from '../../accounts/authority/audit.ts';
import { readKeyPlace, type StoredKey } from '../../accounts/keys/stored-keys.ts';
import { readProject } from '../../accounts/projects/stored-projects.ts';
import type { AccountStore } from '../../accounts/store/account-store.ts';
import { RefusedError } from '../../accounts/store/refusals.ts';
import { REFUSING_ACTIONS, type RefusingAction } from '../../shared/audit-actions.ts';
import { allFulfilled } from '../../shared/fulfilled.ts';
import { receivedAtOf } from '../../shared/ids.ts';
import { REPLAY_RETENTION_SECONDS } from '../../shared/request/request-store.ts';
import type { UsageEvent } from '../../shared/request/usage-event.ts';
import type { TimeSpan } from '../../shared/store/items.ts';
import { readItem } from '../../shared/store/tables.ts';
import { isoTime, MS_PER_MINUTE, MS_PER_SECOND } from '../../shared/time.ts';
import { readRecent } from './recent.ts';

/** Why a request was refused, as far as it is known beside its event. */
export type Cause =
  /** The change of the account that refuses it. */
  | { readonly change: AuditEvent & { readonly action: RefusingAction } }
  /** The first request under its Idempotency-Key. */
  | { readonly requestId: string; readonly at: string }
  /** The requests of its key that the rate limit refused in its UTC minute; `atLeast`: there may be more. */
  | { readonly count: number; readonly minute: string; readonly atLeast?: true };

/** The most audit events that are read for one cause. */
const MOST_CHANGES = 50;
/** The most requests of a minute that are looked at. */
const MOST_REQUESTS = 500;
/** A change may have another time than its audit event, and another clock than the request that it refuses. */
const [EARLIER_MS, LATER_MS] = [1_000, 5_000];

/** The cause of a request of a project of this account. Undefined: it has none, or nothing is known of it any more. */
export async function causeOf(store: AccountStore, accountId: string, event: UsageEvent): Promise<Cause | undefined> {
  // It was asked for, whatever the state of things was.
  if (event.simulated) return undefined;
  switch (event.code) {
    case 'API_KEY_REVOKED':
    case 'API_KEY_EXPIRED':
    case 'API_KEY_PAUSED': {
      const key = await keyOf(store, event);
      return key && changeOf(store, accountId, event, searchFor(event.code, key));
    }
    case 'PROJECT_SUSPENDED': {
      const { suspendedAtMs } = await readProject(store, event.projectId);
      return changeOf(store, accountId, event, {
        atMs: [suspendedAtMs],
        isCause: ({ action, projectId }) => action === 'project.suspend' && projectId === event.projectId,
      });
    }
    case 'IDEMPOTENCY_CONFLICT':
      return firstOf(store, event);
    case 'RATE_LIMIT_EXCEEDED':
      return refusedInMinute(store, event);
    default:
      return undefined;
  }
}

interface Search {
  /** When the change may have been made; undefined: not known. */
  readonly atMs: readonly (number | undefined)[];
  readonly isCause: (change: AuditEvent) => boolean;
}

type EndedKey = StoredKey & { readonly replacedAt: string | undefined };

/** The key of a request; undefined: it was deleted, some time after its end. */
async function keyOf(store: AccountStore, { projectId, keyId }: UsageEvent): Promise<EndedKey | undefined> {
  try {
    const { at, replacedAt } = await readKeyPlace(store, projectId, keyId);
    const key = await readItem<StoredKey>(store, at);
    return key && { ...key, replacedAt };
  } catch (error) {
    if (error instanceof RefusedError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}

/** Which change made a key be refused with a code. */
function searchFor(code: 'API_KEY_REVOKED' | 'API_KEY_EXPIRED' | 'API_KEY_PAUSED', key: EndedKey): Search {
  const { keyId, revokedAt, pausedAtMs, expiresAtMs, lifetimeMs, replacedAt } = key;
  const ofKey = (isCause: (after: NonNullable<AuditEvent['after']>) => boolean): Search['isCause'] => {
    return (change) => change.keyId === keyId && change.after !== null && isCause(change.after);
  };
  switch (code) {
    case 'API_KEY_REVOKED':
      return { atMs: [timeOf(revokedAt)], isCause: ofKey(({ status }) => status === 'revoked') };
    case 'API_KEY_PAUSED':
      return { atMs: [pausedAtMs], isCause: ofKey(({ paused }) => paused === true) };
    case 'API_KEY_EXPIRED': {
      const end = expiresAtMs === undefined ? undefined : isoTime(expiresAtMs);
      // Set when it was created or changed, by its rotation, or to that moment itself.
      const setAtMs = expiresAtMs === undefined || lifetimeMs === undefined ? undefined : expiresAtMs - lifetimeMs;
      return {
        atMs: [setAtMs, timeOf(replacedAt), expiresAtMs],
        isCause: ofKey(({ expiresAt }) => expiresAt === end && end !== undefined),
      };
    }
  }
}

const timeOf = (time: string | undefined): number | undefined => (time === undefined ? undefined : Date.parse(time));

/**
 * The newest change before a request that is its cause: among those around the times that are known, else among the
 * last ones before it.
 */
async function changeOf(
  store: AccountStore,
  accountId: string,
  { occurredAt }: UsageEvent,
  { atMs, isCause }: Search,
): Promise<Cause | undefined> {
  const untilMs = Date.parse(occurredAt) + LATER_MS;
  const times = atMs.filter((time) => time !== undefined && time < untilMs) as number[];
  const spans: TimeSpan[] = times.map((time) => ({ sinceMs: time - EARLIER_MS, untilMs: time + LATER_MS }));
  if (spans.length === 0) spans.push({ untilMs });
  // Each reads two more, for pages.
  const limit = Math.floor(MOST_CHANGES / spans.length) - 2;
  const readings = await allFulfilled(spans.map((span) => readRecentAudit(store, accountId, { span, limit })));
  const [change] = readings
    .flatMap(({ found }) => found.map(({ event }) => event))
    .filter(isRefusing)
    .filter((each) => Date.parse(each.at) < untilMs && isCause(each))
    .sort((one, other) => Date.parse(other.at) - Date.parse(one.at));
  return change && { change };
}

const isRefusing = (change: AuditEvent): change is AuditEvent & { readonly action: RefusingAction } =>
  REFUSING_ACTIONS.some((action) => action === change.action);

/** The request whose answer is stored under the Idempotency-Key; undefined: it is stored no more. */
function firstOf({ clock }: AccountStore, { originalRequestId }: UsageEvent): Cause | undefined {
  const atMs = originalRequestId === null ? undefined : receivedAtOf(originalRequestId);
  if (originalRequestId === null || atMs === undefined) return undefined;
  const isStored = clock.now() < atMs + REPLAY_RETENTION_SECONDS * MS_PER_SECOND;
  return isStored ? { requestId: originalRequestId, at: isoTime(atMs) } : undefined;
}

async function refusedInMinute(store: AccountStore, { projectId, keyId, code, occurredAt }: UsageEvent) {
  const sinceMs = Math.floor(Date.parse(occurredAt) / MS_PER_MINUTE) * MS_PER_MINUTE;
  const span = { sinceMs, untilMs: sinceMs + MS_PER_MINUTE };
  const filter = { span, equal: { keyId, code: code ?? undefined }, limit: MOST_REQUESTS, maxRead: MOST_REQUESTS };
  const { events, frontier } = await readRecent(store, projectId, { ...filter, isEventual: true });
  const count = events.filter(({ simulated }) => !simulated).length;
  // The event itself is one of them.
  return {
    count: Math.max(1, count),
    minute: isoTime(sinceMs),
    ...(frontier !== undefined && { atLeast: true as const }),
  };
}

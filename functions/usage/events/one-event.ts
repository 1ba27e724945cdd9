import { isoTime } from '../../shared/time.ts';
import { allFulfilled } from '../../shared/fulfilled.ts';
import { receivedAtOf } from '../../shared/ids.ts';
import type { UsageEvent } from '../../shared/request/usage-event.ts';
import type { AccountStore } from '../../accounts/store/account-store.ts';
import { eventKey } from '../../shared/store/items.ts';
import { readBetween, readSampledRefusals } from './recent.ts';

/** The result of a search for one request. */
export interface FoundEvent {
  /** Undefined: the project has no event of it. */
  readonly event: UsageEvent | undefined;
  /**
   * Where there is none: the refusals before admission of its minute. Of several with one key and code only the first
   * is kept, so one of these may stand for the request.
   */
  readonly keptInstead: readonly UsageEvent[];
}

/**
 * Finds the event of a request in a project, however old it is. The id tells the time of receipt, and so the event's
 * key. One query of one key; where it has no event, one of the refusals before admission of that minute.
 */
export async function findEvent(store: AccountStore, projectId: string, requestId: string): Promise<FoundEvent> {
  const timeMs = receivedAtOf(requestId);
  if (timeMs === undefined) return { event: undefined, keptInstead: [] };
  const sk = sortKeyOf(requestId, timeMs);
  const [event] = await readBetween(store, projectId, {}, [sk, sk]);
  return event ? { event, keptInstead: [] } : among(await readSampledRefusals(store, projectId, {}, sk), requestId);
}

function among(sampled: readonly UsageEvent[], requestId: string): FoundEvent {
  const event = sampled.find((refusal) => refusal.requestId === requestId);
  return { event, keptInstead: event ? [] : sampled };
}

/**
 * Finds the event of a request among projects, in one small query of each, all at once and eventually consistent. A
 * refusal that is kept once a minute is found by {@link findSampledRefusal}.
 */
export async function findAmong(
  store: AccountStore,
  projectIds: readonly string[],
  requestId: string,
): Promise<UsageEvent | undefined> {
  const timeMs = receivedAtOf(requestId);
  if (timeMs === undefined) return undefined;
  const sk = sortKeyOf(requestId, timeMs);
  const found = projectIds.map((projectId) => readBetween(store, projectId, {}, [sk, sk], false));
  return (await allFulfilled(found)).flat()[0];
}

/**
 * The same of refusals before admission, which are kept once a minute: in one query of their minute of each project.
 */
export async function findSampledRefusal(
  store: AccountStore,
  projectIds: readonly string[],
  requestId: string,
): Promise<FoundEvent> {
  const timeMs = receivedAtOf(requestId);
  if (timeMs === undefined) return { event: undefined, keptInstead: [] };
  const sk = sortKeyOf(requestId, timeMs);
  const found = projectIds.map((projectId) => readSampledRefusals(store, projectId, {}, sk, false));
  return among((await allFulfilled(found)).flat(), requestId);
}

const sortKeyOf = (requestId: string, timeMs: number): string =>
  eventKey({ projectId: '', requestId, occurredAt: isoTime(timeMs) }).sk;

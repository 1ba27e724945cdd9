import { isoTime } from '../shared/rules/clock.ts';
import { allFulfilled } from '../shared/rules/fulfilled.ts';
import { receivedAtOf } from '../shared/rules/ids.ts';
import type { UsageEvent } from '../shared/rules/usage-event.ts';
import type { AccountStore } from '../accounts/account-store.ts';
import { eventKey } from '../shared/store/items.ts';
import { readBetween, readThinned } from './recent.ts';

/** The result of a search for one request. */
export interface FoundEvent {
  /** Undefined: the project has no event of it. */
  readonly event: UsageEvent | undefined;
  /**
   * Whether its minute holds the event of another refusal before admission. Of several with one key and code only the
   * first is kept, so the request may be one of those without an event.
   */
  readonly maybeThinned: boolean;
}

/**
 * Finds the event of a request in a project, however old it is. The id tells the time of receipt, and so the event's
 * key; an id of version 4 needs `occurredAtMs`. One query of one key; where it has no event, one of the refusals before
 * admission of that minute.
 */
export async function findEvent(
  store: AccountStore,
  projectId: string,
  requestId: string,
  occurredAtMs?: number,
): Promise<FoundEvent> {
  const timeMs = receivedAtOf(requestId) ?? occurredAtMs;
  if (timeMs === undefined) return { event: undefined, maybeThinned: false };
  const sk = sortKeyOf(requestId, timeMs);
  const [event] = await readBetween(store, projectId, {}, [sk, sk]);
  if (event) return { event, maybeThinned: false };
  const thinned = await readThinned(store, projectId, {}, sk);
  return { event: thinned.find((refusal) => refusal.requestId === requestId), maybeThinned: thinned.length > 0 };
}

/**
 * Finds the event of a request among projects, in one small query of each, all at once and eventually consistent. An id
 * of version 4 is not found, nor is a refusal that is kept once a minute.
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

const sortKeyOf = (requestId: string, timeMs: number): string =>
  eventKey({ projectId: '', requestId, occurredAt: isoTime(timeMs) }).sk;

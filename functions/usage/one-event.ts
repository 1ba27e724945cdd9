import { isoTime } from '../core/clock.ts';
import { receivedAtOf } from '../core/request-id.ts';
import type { UsageEvent } from '../core/usage-event.ts';
import type { AccountStore } from '../accounts/account-store.ts';
import { eventKey } from '../store/items.ts';
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
  const { sk } = eventKey({ projectId, requestId, occurredAt: isoTime(timeMs) });
  const [event] = await readBetween(store, projectId, {}, [sk, sk]);
  if (event) return { event, maybeThinned: false };
  const thinned = await readThinned(store, projectId, {}, sk);
  return { event: thinned.find((refusal) => refusal.requestId === requestId), maybeThinned: thinned.length > 0 };
}

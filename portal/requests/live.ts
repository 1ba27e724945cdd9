import type { UsageEvent } from '../api/schemas.ts';

/** A page of requests, newest first, in the portal's form. */
export interface RequestPage {
  readonly events: readonly UsageEvent[];
  readonly cursor: string | null;
}

/** The listed requests, without a gap. */
export interface Listed extends RequestPage {
  /** Older pages were requested. They stay when newer requests come. */
  readonly hasOlder: boolean;
}

/**
 * How many requests of the newest page are not in the list, and whether there may be more between that page and the
 * list.
 */
export function newsOf(listed: Listed, newest: RequestPage): { count: number; hasMore: boolean } {
  const fresh = newest.events.filter(({ requestId }) => !isIn(listed, requestId));
  return { count: fresh.length, hasMore: fresh.length === newest.events.length && newest.cursor !== null };
}

/**
 * Adds the newest page to the list. If the two do not overlap, requests between them were not read: then the page
 * replaces the list, and its cursor leads to older ones. A page without requests changes nothing.
 */
export function takeIn(listed: Listed | undefined, newest: RequestPage): Listed {
  if (listed && listed.events.length > 0 && newest.events.length === 0) return listed;
  const meets = listed?.hasOlder && newest.events.some(({ requestId }) => isIn(listed, requestId));
  if (!meets) return { ...newest, hasOlder: false };
  const older = listed.events.filter(({ requestId }) => !isIn(newest, requestId));
  return { events: [...newest.events, ...older], cursor: listed.cursor, hasOlder: true };
}

/** Adds an older page at the end of the list. */
export const addOlder = (listed: Listed, older: RequestPage): Listed => ({
  events: [...listed.events, ...older.events.filter(({ requestId }) => !isIn(listed, requestId))],
  cursor: older.cursor,
  hasOlder: true,
});

const isIn = ({ events }: RequestPage, requestId: string): boolean =>
  events.some((event) => event.requestId === requestId);

import type { UsageEvent } from '../api/schemas.ts';

/** A page of requests, newest first, as the portal answers it. */
export interface RequestPage {
  readonly events: readonly UsageEvent[];
  readonly cursor: string | null;
}

/** The requests that are listed, without a gap. */
export interface Listed extends RequestPage {
  /** Older pages were asked for: they stay as newer requests come. */
  readonly hasOlder: boolean;
}

/** How many requests of the newest page are not listed, and whether there may be more between that page and the list. */
export function newsOf(listed: Listed, newest: RequestPage): { count: number; hasMore: boolean } {
  const fresh = newest.events.filter(({ requestId }) => !isIn(listed, requestId));
  return { count: fresh.length, hasMore: fresh.length === newest.events.length && newest.cursor !== null };
}

/**
 * The list with the newest page taken in. Where the two do not meet, requests between them were not read: then the page
 * is the list, and older ones follow by its cursor. A page in which nothing was found says nothing of the list.
 */
export function takeIn(listed: Listed | undefined, newest: RequestPage): Listed {
  if (listed && listed.events.length > 0 && newest.events.length === 0) return listed;
  const meets = listed?.hasOlder && newest.events.some(({ requestId }) => isIn(listed, requestId));
  if (!meets) return { ...newest, hasOlder: false };
  const older = listed.events.filter(({ requestId }) => !isIn(newest, requestId));
  return { events: [...newest.events, ...older], cursor: listed.cursor, hasOlder: true };
}

/** The list with an older page below it. */
export const addOlder = (listed: Listed, older: RequestPage): Listed => ({
  events: [...listed.events, ...older.events.filter(({ requestId }) => !isIn(listed, requestId))],
  cursor: older.cursor,
  hasOlder: true,
});

const isIn = ({ events }: RequestPage, requestId: string): boolean =>
  events.some((event) => event.requestId === requestId);

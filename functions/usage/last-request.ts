import type { AccountStore } from '../accounts/account-store.ts';
import { readRecent } from './recent.ts';

/**
 * More than one event is read: refusals before admission are stored at the start of their minute, before other events
 * that happened earlier.
 */
const LOOKED_AT = 10;

/** The time of a project's newest request with an event; null: there is none. One query, of a few items. */
export async function readLastRequest(store: AccountStore, projectId: string): Promise<string | null> {
  const { events } = await readRecent(store, projectId, { span: {}, equal: {}, limit: LOOKED_AT });
  // Times sort as text.
  const times = events.map(({ occurredAt }) => occurredAt).sort();
  return times.at(-1) ?? null;
}

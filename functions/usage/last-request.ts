import type { AccountStore } from '../accounts/account-store.ts';
import { readRecent } from './recent.ts';

/** More than the newest: refusals before admission are stored at the start of their minute, before others that happened earlier. */
const LOOKED_AT = 10;

/** When a project got its newest request that left an event; null: none is kept. One query, of at most a few items. */
export async function readLastRequest(store: AccountStore, projectId: string): Promise<string | null> {
  const { events } = await readRecent(store, projectId, { span: {}, equal: {}, limit: LOOKED_AT });
  // Times as text are in the order of time.
  const times = events.map(({ occurredAt }) => occurredAt).sort();
  return times.at(-1) ?? null;
}

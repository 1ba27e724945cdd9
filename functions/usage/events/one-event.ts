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
 * refusal that is kept once a minute is found by {@link findInProjects}.
 */
export const findAmong = async (
  store: AccountStore,
  projectIds: readonly string[],
  requestId: string,
): Promise<UsageEvent | undefined> =>
  (await ofEach(projectIds, requestId, (id, sk) => readBetween(store, id, {}, [sk, sk], false)))[0];

/** The same, and where no project has it, in one query of each for the refusals of its minute. */
export async function findInProjects(
  store: AccountStore,
  projectIds: readonly string[],
  requestId: string,
): Promise<FoundEvent> {
  const event = await findAmong(store, projectIds, requestId);
  if (event) return { event, keptInstead: [] };
  const read = (id: string, sk: string) => readSampledRefusals(store, id, {}, sk, false);
  return among(await ofEach(projectIds, requestId, read), requestId);
}

async function ofEach(
  projectIds: readonly string[],
  requestId: string,
  read: (projectId: string, sortKey: string) => Promise<readonly UsageEvent[]>,
): Promise<readonly UsageEvent[]> {
  const timeMs = receivedAtOf(requestId);
  if (timeMs === undefined) return [];
  const sk = sortKeyOf(requestId, timeMs);
  return (await allFulfilled(projectIds.map((projectId) => read(projectId, sk)))).flat();
}

const sortKeyOf = (requestId: string, timeMs: number): string =>
  eventKey({ projectId: '', requestId, occurredAt: isoTime(timeMs) }).sk;

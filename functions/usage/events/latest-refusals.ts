import type { AccountStore } from '../../accounts/store/account-store.ts';
import type { UsageEventName } from '../../shared/names.ts';
import type { UsageEvent } from '../../shared/request/usage-event.ts';
import { isWithin } from './log.ts';
import { readRecent } from './recent.ts';

/** Events of requests that were not refused. */
const ANSWERED = ['request_succeeded', 'idempotency_replay'] as const satisfies UsageEventName[];

/** Refusals of one key with one code: the newest of them, and how many of those read there were. */
export interface Refusals {
  readonly event: UsageEvent;
  readonly count: number;
  /** Whether all requests since the moment were read. */
  readonly isWhole: boolean;
}

/**
 * The refusals among the newest `maxRead` requests of a project, since a moment, newest first, without those that were
 * asked for. One query, eventually consistent: some moments late.
 */
export async function readLatestRefusals(
  store: AccountStore,
  projectId: string,
  { sinceMs, maxRead }: { readonly sinceMs: number; readonly maxRead: number },
): Promise<Refusals[]> {
  const { events, frontier } = await readRecent(store, projectId, {
    span: { sinceMs },
    equal: {},
    without: ANSWERED,
    limit: maxRead,
    maxRead,
    isEventual: true,
  });
  const refused = events.filter((event) => event.simulated !== true && isWithin(event, { sinceMs }));
  const alike = Map.groupBy(refused, ({ keyId, event, code }) => [keyId, event, code].join(' '));
  return newestFirst(
    [...alike.values()].flatMap((of) => {
      const [event] = of.toSorted((one, other) => byTime(other, one));
      return event ? [{ event, count: of.length, isWhole: frontier === undefined }] : [];
    }),
  );
}

/** Sorts by the time of the newest. */
export const newestFirst = (refusals: readonly Refusals[]): Refusals[] =>
  refusals.toSorted((one, other) => byTime(other.event, one.event));

const byTime = (one: UsageEvent, other: UsageEvent): number =>
  Date.parse(one.occurredAt) - Date.parse(other.occurredAt);

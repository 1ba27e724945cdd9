import { NO_ITEM, putUnlessStale, replaceUnlessStale } from '../../accounts/store/writes.ts';
import { newDelivery, type StoredDelivery } from '../../accounts/endpoints/deliveries.ts';
import { noticeItemKey } from '../../accounts/store/notice-items.ts';
import { MS_PER_HOUR, MS_PER_SECOND } from '../../shared/time.ts';
import { allFulfilled } from '../../shared/fulfilled.ts';
import type { NoticesDependencies } from '../dependencies.ts';
import { NOTICES_METRICS } from '../../shared/names.ts';
import { isTransient } from '../failures.ts';
import { readNotice } from '../read-notice.ts';
import { readItem } from '../../shared/store/tables.ts';
import type { EarlierWebhookMessage, WebhookMessage } from '../message.ts';
import { MAX_DELAY_MS, sendAgain } from '../send-again.ts';
import { entryOf, giveUpLease, isDrained, joinBacklog, leaseBacklog, readBacklog, releaseBacklog } from './backlog.ts';
import type { Backlog } from './backlog.ts';
import { makeDelivery } from './deliver.ts';

/** The attempts of one account that are made at once. */
const DELIVERIES_AT_ONCE = 3;
/** An account's turn: after it begins no attempt, and the messages of others come first. */
const TURN_MS = 10 * MS_PER_SECOND;
/** How long a delivery waits whose attempt fails by a defect: the others must not wait for it. */
const DEFECT_MS = MS_PER_HOUR;

/**
 * Makes deliveries of an account wait, and wakes it: a message stands for an account with work. A repeat changes nothing
 * of what waits already or is over. Beyond the bound a delivery is dropped, which the endpoint's list shows. If the
 * process dies in between, the stream gives its record again.
 */
export async function queueDeliveries(
  { store, queues }: NoticesDependencies,
  accountId: string,
  deliveries: readonly StoredDelivery[],
): Promise<void> {
  const waiting: StoredDelivery[] = [];
  for (const delivery of deliveries) {
    const key = noticeItemKey.delivery(accountId, delivery.endpointId, delivery.deliveryId);
    const { present } = await putUnlessStale(store, { ...key, ...delivery }, NO_ITEM);
    const stored = (present as StoredDelivery | undefined) ?? delivery;
    if (stored.state === 'waiting') waiting.push(stored);
  }
  if (waiting.length === 0) return;
  const backlog = await joinBacklog(store, accountId, waiting);
  const dropped = waiting.map(entryOf).filter((entry) => !(entry in backlog.waiting));
  for (const entry of dropped) await dropDelivery(store, accountId, entry);
  // Who drains it now sees what has joined.
  if (dropped.length < waiting.length && !isDrained(backlog, store.clock.now()))
    await queues.webhooks.send([{ kind: 'webhook', source: { accountId, sk: 'BACKLOG' } }]);
}

/**
 * Drains what waits of an account, in the order in which it is due. One invocation does at a time: it has a lease, and
 * its message stays in the queue until the lease is given back. So another message ends at once, and after a crash this
 * one comes again. Before it gives the lease back it sends the message for what is due later, unless one will come by
 * then.
 */
export async function onBacklog(
  dependencies: NoticesDependencies,
  message: WebhookMessage | EarlierWebhookMessage,
): Promise<void> {
  const { store } = dependencies;
  const { accountId } = message.source;
  if ('deliveryId' in message) return joinEarlier(dependencies, message);
  const leased = await leaseBacklog(store, accountId, message.wakeMs);
  if (!leased) return;
  try {
    await drain(dependencies, message, leased);
  } catch (error) {
    // The message comes again. If the lease is not given back, it ends before that.
    await giveUpLease(store, accountId, leased).catch(() => undefined);
    throw error;
  }
}

/** A message of the version before stands for one delivery, which joins the others. */
async function joinEarlier(
  dependencies: NoticesDependencies,
  { source: { accountId, sk }, endpointId, deliveryId }: EarlierWebhookMessage,
): Promise<void> {
  const { store } = dependencies;
  const stored = await readItem<StoredDelivery>(store, noticeItemKey.delivery(accountId, endpointId, deliveryId));
  const notice = stored ? undefined : await readNotice(store, { accountId, sk });
  const delivery = stored ?? (notice && newDelivery(store, notice, { source: sk, endpointId }));
  if (delivery) await queueDeliveries(dependencies, accountId, [delivery]);
}

async function drain(dependencies: NoticesDependencies, message: WebhookMessage, leased: Backlog): Promise<void> {
  const { store } = dependencies;
  const { accountId } = message.source;
  const endMs = store.clock.now() + TURN_MS;
  /** When what was taken up is due next; undefined: it is over. */
  const results = new Map<string, number | undefined>();
  // This may be the message that was to come.
  let wakeMs = leased.wakeMs === message.wakeMs ? undefined : leased.wakeMs;
  for (let seen = leased; ;) {
    let waiting = afterResults(seen.waiting, results);
    const nowMs = store.clock.now();
    const due = entriesDue(waiting, nowMs);
    if (due.length > 0 && nowMs < endMs) {
      await attemptAll(dependencies, accountId, due, { endMs, results });
      continue;
    }
    const nextMs = Math.min(...Object.values(waiting));
    const isPromised = wakeMs !== undefined && nowMs < wakeMs && wakeMs <= nextMs;
    if (nextMs < Infinity && !isPromised) {
      wakeMs = Math.max(nowMs, Math.min(nextMs, nowMs + MAX_DELAY_MS));
      const hops = results.size > 0 ? 0 : message.hops;
      const again = { ...message, wakeMs, ...(hops !== undefined && { hops }) };
      if (!(await sendAgain(dependencies, again, wakeMs - nowMs))) {
        for (const entry of Object.keys(waiting)) await dropDelivery(store, accountId, entry);
        waiting = {};
      }
    }
    if (await releaseBacklog(store, accountId, { ...seen, waiting, wakeMs })) return;
    const fresh = await readBacklog(store, accountId);
    // Another took the lease over, since this drain was too slow.
    if (!fresh || fresh.drainId !== leased.drainId) return;
    // The message that was to come has met this lease and has ended.
    if (wakeMs !== undefined && fresh.missed?.has(wakeMs)) wakeMs = undefined;
    seen = fresh;
  }
}

const afterResults = (waiting: Backlog['waiting'], results: ReadonlyMap<string, number | undefined>) =>
  Object.fromEntries(
    Object.entries(waiting).flatMap(([entry, dueMs]) => {
      const nextMs = results.has(entry) ? results.get(entry) : dueMs;
      return nextMs === undefined ? [] : [[entry, nextMs] as const];
    }),
  );

/** What is due, in order; of one time by the id of the delivery, which begins with its own time. */
const entriesDue = (waiting: Backlog['waiting'], nowMs: number): string[] =>
  Object.entries(waiting)
    .filter(([, dueMs]) => dueMs <= nowMs)
    .sort(([a, aMs], [b, bMs]) => aMs - bMs || (idsOf(a).deliveryId < idsOf(b).deliveryId ? -1 : 1))
    .map(([entry]) => entry);

function idsOf(entry: string): { readonly endpointId: string; readonly deliveryId: string } {
  const [endpointId = '', deliveryId = ''] = entry.split('#');
  return { endpointId, deliveryId };
}

/** Makes the attempts, some at once, until the turn is over. Rejects with a transient failure. */
async function attemptAll(
  dependencies: NoticesDependencies,
  accountId: string,
  entries: readonly string[],
  { endMs, results }: { readonly endMs: number; readonly results: Map<string, number | undefined> },
): Promise<void> {
  const { store, telemetry } = dependencies;
  const rest = entries.values();
  const attempting = async (): Promise<void> => {
    for (const entry of rest) {
      if (store.clock.now() >= endMs) return;
      const ids = { accountId, ...idsOf(entry) };
      try {
        results.set(entry, await makeDelivery(dependencies, ids));
      } catch (error) {
        if (isTransient(error)) throw error;
        telemetry.warn('a delivery failed by a defect and waits', ids, error);
        telemetry.count(NOTICES_METRICS.failures);
        telemetry.count(NOTICES_METRICS.batchesFailed);
        results.set(entry, store.clock.now() + DEFECT_MS);
      }
    }
  };
  await allFulfilled(Array.from({ length: DELIVERIES_AT_ONCE }, attempting));
}

/** A delivery that waits is not made. A repeat that has arrived meanwhile has ended it. */
function dropDelivery(store: NoticesDependencies['store'], accountId: string, entry: string): Promise<void> {
  const { endpointId, deliveryId } = idsOf(entry);
  return replaceUnlessStale(store, {
    key: noticeItemKey.delivery(accountId, endpointId, deliveryId),
    seen: { state: 'waiting' },
    after: { state: 'failed', failure: 'dropped', nextAttemptMs: undefined },
  });
}

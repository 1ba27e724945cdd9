import type { StoredAccount } from '../../accounts/team/accounts.ts';
import { replaceUnlessStale, updateUnlessStale } from '../../accounts/store/writes.ts';
import { deliveryTtl, type DeliveryFailure, type StoredDelivery } from '../../accounts/endpoints/deliveries.ts';
import { signingSecrets } from '../../accounts/endpoints/endpoint-secrets.ts';
import { disableEndpoint } from '../../accounts/endpoints/endpoints.ts';
import type { StoredEndpoint } from '../../accounts/endpoints/stored-endpoints.ts';
import { noticeItemKey } from '../../accounts/store/notice-items.ts';
import { RefusedError } from '../../accounts/store/refusals.ts';
import { isoTime, MS_PER_MINUTE, MS_PER_SECOND, MS_PER_DAY, MS_PER_HOUR } from '../../shared/time.ts';
import { itemKey, type ItemKey } from '../../shared/store/items.ts';
import { readTogether } from '../../shared/store/tables.ts';
import type { NoticesDependencies } from '../dependencies.ts';
import { bodyOf } from './content.ts';
import { DeliveryError } from './post.ts';
import { createHmac } from 'node:crypto';

/** The status that asks for no more deliveries (Standard Webhooks 1.0.0, "Retries"). */
const GONE = 410;
/** How long a delivery waits while another attempt of it is active. */
const MET_MS = MS_PER_MINUTE;

/** A delivery of an account to one of its endpoints. */
export type DeliveryIds = Pick<StoredDelivery, 'accountId' | 'endpointId' | 'deliveryId'>;

/** One attempt of a delivery. */
interface Try {
  readonly key: ItemKey;
  readonly endpoint: StoredEndpoint;
  readonly delivery: StoredDelivery;
  readonly body: string;
  /** Including this one. */
  readonly attempts: number;
}

/**
 * Makes one attempt of a delivery that waits, and returns when the next is due; undefined: it is over. Its item holds
 * the attempts and the time of the next. An attempt claims the item before it is made. So of two at once one is made,
 * and after a crash the next is due by that claim.
 */
export async function makeDelivery(
  dependencies: NoticesDependencies,
  { accountId, endpointId, deliveryId }: DeliveryIds,
): Promise<number | undefined> {
  const { store } = dependencies;
  const key = noticeItemKey.delivery(accountId, endpointId, deliveryId);
  const [endpoint, delivery, account] = (await readTogether(store, [
    noticeItemKey.endpoint(accountId, endpointId),
    key,
    itemKey.account(accountId),
  ])) as [StoredEndpoint?, StoredDelivery?, Pick<StoredAccount, 'status'>?];
  if (delivery?.state !== 'waiting') return undefined;
  const nowMs = store.clock.now();
  const { nextAttemptMs: dueMs = 0 } = delivery;
  if (nowMs < dueMs) return dueMs;
  const body = await bodyOf(store, delivery);
  // Nobody can switch off the endpoints of a closed account.
  const isClosed = account?.status === 'closed';
  if (!endpoint || body === undefined || isClosed || (endpoint.status !== 'active' && delivery.isAsked !== true)) {
    await withdrawn(dependencies, key, delivery);
    return undefined;
  }
  const made: Try = { key, endpoint, delivery, body, attempts: delivery.attempts + 1 };
  return (await claimDelivery(dependencies, made, nowMs)) ? attempt(dependencies, made, nowMs) : nowMs + MET_MS;
}

/** Counts the attempt before it is made. False: another attempt was first. */
function claimDelivery({ store }: NoticesDependencies, made: Try, nowMs: number): Promise<boolean> {
  const { key, delivery, body, attempts } = made;
  const set = {
    body,
    attempts,
    lastAttemptAt: isoTime(nowMs),
    nextAttemptMs: nowMs + (pauseAfter(attempts, 0) ?? MET_MS),
    ttl: deliveryTtl(nowMs),
  };
  return updateUnlessStale(store, { key, when: { attempts: delivery.attempts, state: 'waiting' }, set });
}

async function attempt(dependencies: NoticesDependencies, made: Try, nowMs: number): Promise<number | undefined> {
  const { store, deliver, telemetry } = dependencies;
  const { endpoint, delivery, body } = made;
  const { noticeId: id, accountId, endpointId, deliveryId } = delivery;
  const secrets = signingSecrets(await store.keyTagSecrets(), endpoint, nowMs);
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'sandbox-gateway-webhooks/1',
    ...signedHeaders(secrets, { id, body, nowMs }),
  };
  const { status, failure } = await outcomeOf(() => deliver({ url: endpoint.url, headers, body }));
  const ids = { accountId, endpointId, deliveryId, noticeId: id };
  telemetry.info('delivery', { ...ids, attempts: made.attempts, status: status ?? null, failure: failure ?? null });
  if (failure !== undefined) return failed(dependencies, made, status, failure);
  await arrived(dependencies, made, status);
  return undefined;
}

interface Outcome {
  readonly status?: number;
  readonly failure?: DeliveryFailure;
}

async function outcomeOf(send: () => Promise<number>): Promise<Outcome> {
  try {
    const status = await send();
    return status >= 200 && status < 300 ? { status } : { status, failure: 'status' };
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error;
    return { failure: error.failure };
  }
}

async function arrived({ store }: NoticesDependencies, made: Try, status: number | undefined): Promise<void> {
  const { key, endpoint, delivery, attempts } = made;
  const { accountId, endpointId, failingSinceMs } = endpoint;
  // First: once the delivery is over, nothing brings it here again.
  if (failingSinceMs !== undefined) {
    await replaceUnlessStale(store, {
      key: noticeItemKey.endpoint(accountId, endpointId),
      seen: { failingSinceMs },
      after: { failingSinceMs: undefined },
    });
  }
  const after = { state: 'delivered', status, failure: undefined, nextAttemptMs: undefined };
  if (delivery.repeats !== undefined) {
    // What the repeated one waits for has arrived: its next attempt finds it over.
    await replaceUnlessStale(store, {
      key: noticeItemKey.delivery(accountId, endpointId, delivery.repeats),
      seen: { state: 'waiting' },
      after,
    });
  }
  await replaceUnlessStale(store, { key, seen: { attempts, state: 'waiting' }, after });
}

async function failed(
  dependencies: NoticesDependencies,
  made: Try,
  status: number | undefined,
  failure: DeliveryFailure,
): Promise<number | undefined> {
  const { store } = dependencies;
  const { key, delivery, attempts } = made;
  const nowMs = store.clock.now();
  const isOver = delivery.isAsked === true || status === GONE;
  const pauseMs = isOver ? undefined : pauseAfter(attempts, store.random());
  const nextAttemptMs = pauseMs === undefined ? undefined : nowMs + pauseMs;
  const state = nextAttemptMs === undefined ? 'failed' : 'waiting';
  // First: once the delivery is over, nothing brings it here again.
  if (delivery.isAsked !== true)
    await noteFailing(dependencies, made, { status, isGivenUp: state === 'failed' }, nowMs);
  // A repeat that has arrived meanwhile has ended this one.
  await replaceUnlessStale(store, {
    key,
    seen: { attempts, state: 'waiting' },
    after: { state, status, failure, nextAttemptMs },
  });
  return nextAttemptMs;
}

/**
 * Stores when deliveries to an endpoint began to fail. Switches the endpoint off when a delivery has failed for the
 * last time and nothing has arrived for three days. So one failure now and another one days ago are not enough. An
 * endpoint that answers 410 is switched off at once.
 */
async function noteFailing(
  { store }: NoticesDependencies,
  { endpoint }: Try,
  { status, isGivenUp }: { readonly status: number | undefined; readonly isGivenUp: boolean },
  nowMs: number,
): Promise<void> {
  const { accountId, endpointId, failingSinceMs } = endpoint;
  if (failingSinceMs === undefined) {
    await replaceUnlessStale(store, {
      key: noticeItemKey.endpoint(accountId, endpointId),
      seen: { failingSinceMs, status: 'active', url: endpoint.url },
      after: { failingSinceMs: nowMs },
    });
  }
  const isTooLong = failingSinceMs !== undefined && nowMs - failingSinceMs >= FAILING_MS;
  if (!(isGivenUp && isTooLong) && status !== GONE) return;
  try {
    await disableEndpoint(store, accountId, endpointId, 'failures', endpoint);
  } catch (error) {
    // The endpoint was deleted meanwhile.
    if (!(error instanceof RefusedError && error.code === 'NOT_FOUND')) throw error;
  }
}

/** The source or the endpoint does not exist any more. */
async function withdrawn({ store }: NoticesDependencies, key: ItemKey, delivery: StoredDelivery): Promise<void> {
  const after = { state: 'failed', failure: 'withdrawn', nextAttemptMs: undefined };
  // A repeat that has arrived meanwhile has ended this one.
  await replaceUnlessStale(store, { key, seen: { attempts: delivery.attempts, state: 'waiting' }, after });
}

/**
 * The headers of a delivery by Standard Webhooks 1.0.0: its id, the time of this attempt in epoch seconds, and a
 * signature under each of the secrets. A receiver accepts the delivery if any signature is right.
 */
function signedHeaders(
  secrets: readonly Buffer[],
  { id, body, nowMs }: { readonly id: string; readonly body: string; readonly nowMs: number },
): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / MS_PER_SECOND));
  const signatures = secrets.map(
    (secret) => `v1,${createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')}`,
  );
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}

/** The pauses after the attempts of a delivery: nine attempts within a day, then no more. */
const PAUSES_MS = [
  30 * MS_PER_SECOND,
  5 * MS_PER_MINUTE,
  30 * MS_PER_MINUTE,
  MS_PER_HOUR,
  2 * MS_PER_HOUR,
  4 * MS_PER_HOUR,
  8 * MS_PER_HOUR,
  8 * MS_PER_HOUR,
] as const;

/** An endpoint to which nothing has arrived for so long is switched off when a delivery to it is given up. */
const FAILING_MS = 3 * MS_PER_DAY;

/**
 * The time between an attempt and the next. It is up to a tenth shorter, so that many attempts do not come at once.
 * Undefined: that was the last attempt.
 * @param made attempts so far, 1 or more
 * @param random in [0, 1)
 */
export function pauseAfter(made: number, random: number): number | undefined {
  const pauseMs = PAUSES_MS[made - 1];
  return pauseMs === undefined ? undefined : Math.round(pauseMs * (1 - random / 10));
}

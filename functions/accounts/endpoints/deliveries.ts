import { isoTime, MS_PER_DAY, ttlAt } from '../../shared/time.ts';
import { generateDeliveryId } from '../../shared/ids.ts';
import { TEST_TYPE, type NoticeType } from '../../shared/notice-type.ts';
import { queryOf, readItem, readPage } from '../../shared/store/tables.ts';
import type { AccountStore } from '../store/account-store.ts';
import { audited } from '../authority/audit.ts';
import { changeAs, maySeeAccount } from '../authority/authority.ts';
import { create } from '../store/transact.ts';
import { replaceAttributes } from '../store/writes.ts';
import { bytesOf, creationOf } from '../store/idempotency.ts';
import { readEndpoint } from './stored-endpoints.ts';
import { noticeItemKey } from '../store/notice-items.ts';
import { notFound } from '../store/refusals.ts';

/** How many deliveries of an endpoint are shown. */
const SHOWN = 50;
/** How long a delivery is kept. Its source is kept longer. */
const KEPT_MS = 30 * MS_PER_DAY;

/** Why an attempt failed. It holds no text of the other side. */
export type DeliveryFailure =
  /** The answer had a status that is no success. */
  | 'status'
  | 'timeout'
  /** The name has no address, or one that is not public. */
  | 'address'
  /** No connection, or a certificate that is not the name's. */
  | 'connection'
  /** The endpoint was switched off or deleted first, or the source does not exist any more. */
  | 'withdrawn'
  /** As many of the account waited as may. */
  | 'dropped';

/** The delivery of one notice to one endpoint, as stored. */
export interface StoredDelivery {
  readonly accountId: string;
  readonly endpointId: string;
  readonly deliveryId: string;
  /** The `webhook-id`. A repeat has the same. */
  readonly noticeId: string;
  readonly type: NoticeType | typeof TEST_TYPE;
  /** The sort key of the source. Of a test or a sample: that of the delivery itself. */
  readonly source: string;
  readonly at: string;
  readonly state: 'waiting' | 'delivered' | 'failed';
  readonly attempts: number;
  /** The time of the next attempt, while the delivery waits. */
  readonly nextAttemptMs?: number;
  readonly lastAttemptAt?: string;
  /** The status of the last attempt, if there was an answer. */
  readonly status?: number;
  /** Why the last attempt failed. Absent: it succeeded, or there was none yet. */
  readonly failure?: DeliveryFailure;
  /** Somebody requested it: a test, or a repeat. It has one attempt, also when the endpoint is off. */
  readonly isAsked?: boolean;
  /** A sample of its type, which has no source. */
  readonly isSample?: boolean;
  /** The delivery that it repeats. */
  readonly repeats?: string;
  /** What was sent. Absent: nothing yet. */
  readonly body?: string;
  readonly ttl: number;
}

/** A delivery for display. */
export const deliveryView = (delivery: StoredDelivery) => ({
  deliveryId: delivery.deliveryId,
  noticeId: delivery.noticeId,
  type: delivery.type,
  at: delivery.at,
  state: delivery.state,
  attempts: delivery.attempts,
  lastAttemptAt: delivery.lastAttemptAt ?? null,
  nextAttemptAt:
    delivery.state !== 'waiting' || delivery.nextAttemptMs === undefined ? null : isoTime(delivery.nextAttemptMs),
  status: delivery.status ?? null,
  failure: delivery.failure ?? null,
  asked: delivery.isAsked ?? false,
  body: delivery.body ?? null,
});

/** When a delivery that is made at this time is deleted, in epoch seconds. */
export const deliveryTtl = (atMs: number): number => ttlAt(atMs + KEPT_MS);

/** The delivery of a notice to an endpoint, which waits. Its id is the same each time. */
export function newDelivery(
  { clock }: Pick<AccountStore, 'clock'>,
  notice: Pick<StoredDelivery, 'accountId' | 'type' | 'at'> & { readonly id: string },
  of: Pick<StoredDelivery, 'endpointId' | 'source'>,
): StoredDelivery {
  const { accountId, id: noticeId, type, at } = notice;
  const deliveryId = generateDeliveryId(Date.parse(at), bytesOf(['delivery', noticeId, of.endpointId]));
  const ttl = deliveryTtl(clock.now());
  return { accountId, ...of, deliveryId, noticeId, type, at, state: 'waiting', attempts: 0, ttl };
}

/** The newest deliveries of an endpoint, newest first. None for an unknown endpoint. */
export function readDeliveries(store: AccountStore, accountId: string, endpointId: string): Promise<StoredDelivery[]> {
  const { pk, sk: prefix } = noticeItemKey.delivery(accountId, endpointId, '');
  return readPage(store, { ...queryOf(store.tables.gateway, pk, { prefix }), ScanIndexForward: false, Limit: SHOWN });
}

/**
 * Requests a test delivery to an endpoint, or a sample of a type, and returns its id. A repeat under one
 * Idempotency-Key returns the same id. People need the role owner.
 */
export const testEndpoint = (
  store: AccountStore,
  accountId: string,
  endpointId: string,
  type: StoredDelivery['type'] = TEST_TYPE,
  idempotencyKey?: string,
): Promise<string> =>
  ask(store, { accountId, endpointId, action: 'endpoint.test', of: type, idempotencyKey }, (deliveryId) =>
    Promise.resolve({
      noticeId: `ntc_${deliveryId.slice('dlv_'.length)}`,
      type,
      ...(type !== TEST_TYPE && { isSample: true }),
      source: noticeItemKey.delivery(accountId, endpointId, deliveryId).sk,
    }),
  );

/**
 * Requests another delivery under the same `webhook-id`. When it arrives, the repeated one is over, too. Otherwise as
 * {@link testEndpoint}.
 */
export const repeatDelivery = (
  store: AccountStore,
  accountId: string,
  endpointId: string,
  deliveryId: string,
  idempotencyKey?: string,
): Promise<string> =>
  ask(store, { accountId, endpointId, action: 'endpoint.repeat', of: deliveryId, idempotencyKey }, async () => {
    const key = noticeItemKey.delivery(accountId, endpointId, deliveryId);
    const delivery = await readItem<StoredDelivery>(store, key);
    if (!delivery || !maySeeAccount(store, accountId)) throw notFound(`There is no delivery ${deliveryId}.`);
    const { noticeId, type, source, isSample, repeats = deliveryId } = delivery;
    return { noticeId, type, source, repeats, ...(isSample && { isSample }) };
  });

interface Asking {
  readonly accountId: string;
  readonly endpointId: string;
  readonly action: 'endpoint.test' | 'endpoint.repeat';
  readonly of?: string;
  readonly idempotencyKey: string | undefined;
}

/** The stream passes the new item to the notices function, which sends the delivery. */
async function ask(
  store: AccountStore,
  { accountId, endpointId, action, of = '', idempotencyKey }: Asking,
  tells: (deliveryId: string) => Promise<Pick<StoredDelivery, 'noticeId' | 'type' | 'source' | 'isSample' | 'repeats'>>,
): Promise<string> {
  // The id begins with its time, so it cannot be derived. The endpoint stores the last one.
  const { fingerprint: asked } = await creationOf(store, [action, accountId, endpointId, of], {}, idempotencyKey);
  return changeAs(store, 'owner', async () => {
    const endpoint = await readEndpoint(store, accountId, endpointId);
    if (asked !== undefined && endpoint.asked === asked && endpoint.askedId !== undefined) {
      return { result: endpoint.askedId, changes: [] };
    }
    const nowMs = store.clock.now();
    const deliveryId = generateDeliveryId(nowMs, store.randomBytes);
    const delivery: StoredDelivery = {
      accountId,
      endpointId,
      deliveryId,
      ...(await tells(deliveryId)),
      at: isoTime(nowMs),
      state: 'waiting',
      attempts: 0,
      isAsked: true,
      ttl: deliveryTtl(nowMs),
    };
    const changes = [
      replaceAttributes(store, {
        key: noticeItemKey.endpoint(accountId, endpointId),
        what: `Endpoint ${endpointId}`,
        seen: { asked: endpoint.asked },
        after: { asked, askedId: deliveryId },
      }),
      create(store, { ...noticeItemKey.delivery(accountId, endpointId, deliveryId), ...delivery }),
      await audited(
        store,
        action,
        { accountId, endpointId },
        { before: null, after: { deliveryId, type: delivery.type } },
      ),
    ];
    return { result: deliveryId, changes };
  });
}

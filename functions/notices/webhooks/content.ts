import type { StoredDelivery } from '../../accounts/endpoints/deliveries.ts';
import type { AccountStore } from '../../accounts/store/account-store.ts';
import { NOTICE_SAMPLES } from './samples.ts';
import { TEST_TYPE } from '../../shared/notice-type.ts';
import type { WebhookMessage } from '../message.ts';
import type { Notice } from '../notice.ts';
import { readNotice } from '../read-notice.ts';

/** The body of a delivery. It is the same at each attempt. */
export interface Content extends Pick<StoredDelivery, 'noticeId' | 'type' | 'at'> {
  readonly body: string;
}

/** The body of a delivery, from its source. Undefined: the source does not exist any more, or has no notice. */
export async function contentOf(
  store: AccountStore,
  { source, endpointId }: WebhookMessage,
  delivery: StoredDelivery | undefined,
): Promise<Content | undefined> {
  if (delivery?.type === TEST_TYPE) {
    const { noticeId, type } = delivery;
    const at = delivery.at;
    return { noticeId, type, at, body: bodyOf(type, at, { accountId: source.accountId, endpointId }) };
  }
  if (delivery?.isSample === true) {
    const { noticeId, type, at } = delivery;
    const data = { accountId: source.accountId, ...NOTICE_SAMPLES[type], isSample: true };
    return { noticeId, type, at, body: bodyOf(type, at, data) };
  }
  const notice = await readNotice(store, source);
  if (!notice) return undefined;
  const { id: noticeId, type, at } = notice;
  return { noticeId, type, at, body: bodyOf(type, at, dataOf(notice)) };
}

/** Ids and numbers only. There is no name and no address. Of a person there is only the member id. */
const dataOf = ({ accountId, projectId, keyId, memberId, endpointId, tokenId, data }: Notice) => ({
  accountId,
  projectId,
  keyId,
  memberId,
  endpointId,
  tokenId,
  ...data,
});

const bodyOf = (type: StoredDelivery['type'], timestamp: string, data: object): string =>
  JSON.stringify({ type, timestamp, data });

import type { StoredDelivery } from '../../accounts/endpoints/deliveries.ts';
import type { AccountStore } from '../../accounts/store/account-store.ts';
import { NOTICE_SAMPLES } from './samples.ts';
import { TEST_TYPE } from '../../shared/notice-type.ts';
import type { Notice } from '../notice.ts';
import { readNotice } from '../read-notice.ts';

/**
 * The body of a delivery, from its source. It is the same at each attempt. Undefined: the source does not exist any
 * more, or has no notice.
 */
export async function bodyOf(store: AccountStore, delivery: StoredDelivery): Promise<string | undefined> {
  const { type, at: timestamp, accountId, endpointId, isSample, source: sk } = delivery;
  const of = (data: object): string => JSON.stringify({ type, timestamp, data });
  if (type === TEST_TYPE) return of({ accountId, endpointId });
  if (isSample === true) return of({ accountId, ...NOTICE_SAMPLES[type], isSample: true });
  const notice = await readNotice(store, { accountId, sk });
  return notice && JSON.stringify({ type: notice.type, timestamp: notice.at, data: dataOf(notice) });
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

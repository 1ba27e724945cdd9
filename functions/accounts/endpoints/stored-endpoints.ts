import { isoTime } from '../../shared/time.ts';
import type { NoticeType } from '../../shared/notice-type.ts';
import { itemsFrom, readItem } from '../../shared/store/tables.ts';
import type { AccountStore } from '../store/account-store.ts';
import { maySeeAccount } from '../authority/authority.ts';
import { noticeItemKey } from '../store/notice-items.ts';
import { notFound, RefusedError } from '../store/refusals.ts';

/** A webhook endpoint of an account, as stored. */
export interface StoredEndpoint {
  readonly accountId: string;
  readonly endpointId: string;
  /** In the form of `endpointUrl`. */
  readonly url: string;
  /** The types of notices that it gets, separated by commas, in the order of `NOTICE_TYPES`. */
  readonly kinds: string;
  readonly status: 'active' | 'disabled';
  /** When and by whom it was switched off. Only while it is off. */
  readonly disabledAt?: string | undefined;
  readonly disabledBy?: 'owner' | 'operator' | 'failures' | undefined;
  /** 1 or more. The secret derives from it. */
  readonly secretVersion: number;
  /** Until when the previous version signs deliveries, too. */
  readonly previousUntilMs?: number;
  readonly rotatedAt?: string;
  /** The fingerprint of the last rotation. It identifies a repeat. */
  readonly rotation?: string;
  readonly createdAt: string;
  /** The last requested test or repeat: its delivery, and its fingerprint, which identifies a repeat of the request. */
  readonly asked?: string;
  readonly askedId?: string;
  /** The time of the first failure since the last success. Absent: the last delivery succeeded. */
  readonly failingSinceMs?: number;
}

/** The attributes that an owner chooses. */
export interface EndpointDetails {
  readonly url: string;
  readonly kinds: readonly NoticeType[];
}

/** An endpoint for display. */
export const endpointView = (endpoint: StoredEndpoint) => ({
  endpointId: endpoint.endpointId,
  url: endpoint.url,
  kinds: kindsOf(endpoint),
  status: endpoint.status,
  disabledAt: endpoint.disabledAt ?? null,
  disabledBy: endpoint.disabledBy ?? null,
  failingSince: endpoint.failingSinceMs === undefined ? null : isoTime(endpoint.failingSinceMs),
  previousSecretUntil: endpoint.previousUntilMs === undefined ? null : isoTime(endpoint.previousUntilMs),
  createdAt: endpoint.createdAt,
});

/** The types of notices that an endpoint gets. */
export const kindsOf = ({ kinds }: Pick<StoredEndpoint, 'kinds'>): NoticeType[] => kinds.split(',') as NoticeType[];

/** The endpoints of an account, in the order of their ids. None for an unknown account. */
export const listEndpoints = (store: AccountStore, accountId: string): Promise<StoredEndpoint[]> =>
  Array.fromAsync(itemsFrom<StoredEndpoint>(store, noticeItemKey.endpoint(accountId, '')));

/** One endpoint. Throws `RefusedError` when it does not exist, or not for the caller. */
export async function readEndpoint(
  store: AccountStore,
  accountId: string,
  endpointId: string,
): Promise<StoredEndpoint> {
  const endpoint = await readItem<StoredEndpoint>(store, noticeItemKey.endpoint(accountId, endpointId));
  if (!endpoint || !maySeeAccount(store, accountId)) throw noSuchEndpoint(endpointId);
  return endpoint;
}

/** The refusal of an unknown endpoint. */
export const noSuchEndpoint = (endpointId: string): RefusedError => notFound(`There is no endpoint ${endpointId}.`);

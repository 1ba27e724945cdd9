import { itemKey } from '../../shared/store/items.ts';
import { queryItems } from '../../shared/store/client.ts';
import { queryOf, readItem } from '../../shared/store/tables.ts';
import type { AccountStore, Change } from '../store/account-store.ts';
import { putOf } from '../store/writes.ts';
import { noticeItemKey } from '../store/notice-items.ts';
import { noSuchAccount } from './account-counts.ts';
import { editAccount } from './accounts.ts';

/** When an account is told of its quotas, the caps of its keys, and of what expires. An empty list: never. */
export interface NoticeThresholds {
  /** Shares of a quota in percent, from 1 to 100, the lowest first. */
  readonly percents: readonly number[];
  /** Days before a key or a management token expires, from 1 to 30, the most first. */
  readonly days: readonly number[];
}

const DEFAULT_THRESHOLDS: NoticeThresholds = { percents: [80, 100], days: [7, 1] };

/** The same as attributes of an account, such as `80, 100`. Absent: the default. */
interface StoredThresholds {
  readonly thresholdPercents?: string;
  readonly expiryDays?: string;
}

const stored = (numbers: readonly number[]): string => numbers.join(', ');
const listed = (text: string): number[] => (text === '' ? [] : text.split(', ').map(Number));

const thresholdsOf = ({ thresholdPercents, expiryDays }: StoredThresholds): NoticeThresholds => ({
  percents: thresholdPercents === undefined ? DEFAULT_THRESHOLDS.percents : listed(thresholdPercents),
  days: expiryDays === undefined ? DEFAULT_THRESHOLDS.days : listed(expiryDays),
});

/** The thresholds of an account. Throws `RefusedError` for an account that does not exist. */
export async function readThresholds(store: AccountStore, accountId: string): Promise<NoticeThresholds> {
  const account = await readItem<StoredThresholds>(store, itemKey.account(accountId));
  if (!account) throw noSuchAccount(accountId);
  return thresholdsOf(account);
}

/** The attribute of what was chosen; none where it is as before, also by default: that is no change. */
const changed = (name: keyof StoredThresholds, before: readonly number[], chosen: readonly number[] | undefined) =>
  chosen === undefined || stored(chosen) === stored(before) ? {} : { [name]: stored(chosen) };

/** Changes the thresholds of an account. Absent: unchanged. People need the role owner. */
export const updateThresholds = async (
  store: AccountStore,
  accountId: string,
  { percents, days }: { readonly [Name in keyof NoticeThresholds]?: NoticeThresholds[Name] | undefined },
): Promise<NoticeThresholds> =>
  thresholdsOf(
    await editAccount<StoredThresholds>(
      store,
      accountId,
      (account) => {
        const before = thresholdsOf(account);
        const lowestFirst = percents?.toSorted((a, b) => a - b);
        const mostFirst = days?.toSorted((a, b) => b - a);
        return {
          ...changed('thresholdPercents', before.percents, lowestFirst),
          ...changed('expiryDays', before.days, mostFirst),
        };
      },
      [],
      (_account, { expiryDays }) => (typeof expiryDays === 'string' ? [notesDays(store, accountId, expiryDays)] : []),
    ),
  );

/** Lists an account with days of its own, as a part of the change that chooses them. */
export const notesDays = (store: AccountStore, accountId: string, expiryDays: string): Change => ({
  write: { Put: putOf(store, { ...noticeItemKey.expiryDays(accountId), expiryDays }) },
});

/** Every number of days before an end at which some account is told. */
export async function readDaysInUse(store: AccountStore): Promise<ReadonlySet<number>> {
  const days = new Set(DEFAULT_THRESHOLDS.days);
  const { pk } = noticeItemKey.expiryDays('');
  const chosen = queryItems<{ readonly expiryDays: string }>(store.client, queryOf(store.tables.gateway, pk));
  for await (const { expiryDays } of chosen) for (const some of listed(expiryDays)) days.add(some);
  return days;
}

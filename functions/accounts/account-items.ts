import type { ItemKey } from '../store/table-items.ts';

/**
 * Where the items of an account live that only operators work with (docs/architecture.md, "Data model"). Apart from `itemKey`, all of
 * which is in the metered function's bundle.
 */
export const accountItemKey = {
  member: (accountId: string, memberId: string): ItemKey => ({ pk: `ACCOUNT#${accountId}`, sk: `MEMBER#${memberId}` }),
  /** In the order of time; the id tells events of one millisecond apart. */
  audit: (accountId: string, at: string, id: string): ItemKey => ({
    pk: `ACCOUNT#${accountId}`,
    sk: `AUDIT#${at}#${id}`,
  }),
} as const;

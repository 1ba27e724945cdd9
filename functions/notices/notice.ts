import type { NoticeType } from '../core/notice-type.ts';

export { NOTICE_TYPES, type NoticeType } from '../core/notice-type.ts';

/** Who makes the changes of the notices function, in the audit. */
export const NOTICES_ACTOR = 'notices';

/**
 * A notice, as it is read from its source each time: ids and numbers, no personal data. The source is an audit event or
 * a marker, an item of the account that was written once, with the change or under a condition.
 */
export interface Notice {
  /** `ntc_` and 16 characters, derived from the source: a repeat has the same. */
  readonly id: string;
  readonly type: NoticeType;
  /** When it happened, ISO 8601. */
  readonly at: string;
  readonly accountId: string;
  /** The actor of a change, as in the audit; absent: a threshold. */
  readonly actor?: string;
  readonly projectId?: string;
  readonly keyId?: string;
  readonly memberId?: string;
  /** The person of the changed member. */
  readonly userId?: string;
  readonly endpointId?: string;
  /** By its type: thresholdPercent, units, unitsLimit, period · expiresAt, days · role · before and after. */
  readonly data: Readonly<Record<string, string | number | boolean | null>>;
}

/** What finds a notice again: the sort key of its source in the partition of the account's audit or of its notices. */
export interface NoticeSource {
  readonly accountId: string;
  readonly sk: string;
}

import type { NoticeType } from '../shared/notice-type.ts';

export { NOTICE_TYPES, type NoticeType } from '../shared/notice-type.ts';

/** The actor of the notices function's own changes, in the audit. */
export const NOTICES_ACTOR = 'notices';

/**
 * A notice, read from its source each time: ids and numbers, no personal data. The source is an audit event or a
 * marker. Both are items of the account that are written once, with the change or under a condition.
 */
export interface Notice {
  /** `ntc_` and 16 characters. It derives from the source, so a repeat has the same id. */
  readonly id: string;
  readonly type: NoticeType;
  /** When it happened, ISO 8601. */
  readonly at: string;
  readonly accountId: string;
  /** The actor of a change, as in the audit. Absent: the notice tells of a threshold. */
  readonly actor?: string;
  readonly projectId?: string;
  readonly keyId?: string;
  readonly memberId?: string;
  /** The person of the changed member. */
  readonly userId?: string;
  readonly endpointId?: string;
  readonly tokenId?: string;
  /**
   * By type: thresholdPercent, units, unitsLimit, period · expiresAt, days · role · before and after · foundAt,
   * isRevoked.
   */
  readonly data: Readonly<Record<string, string | number | boolean | null>>;
}

/** The reference of a notice: the sort key of its source, in the account's partition of audit events or of notices. */
export interface NoticeSource {
  readonly accountId: string;
  readonly sk: string;
}

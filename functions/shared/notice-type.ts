/**
 * The types of notices (docs/architecture.md, "Notices"): a committed change, or a threshold that was reached. They are
 * also the types of webhook deliveries, so a published name stays.
 */
export const NOTICE_TYPES = [
  'invitation.created',
  'invitation.accepted',
  'invitation.declined',
  'member.role_changed',
  'member.removed',
  'project.suspended',
  'project.limits_changed',
  /** A share of a project's quota, as the account's thresholds say. */
  'quota.threshold_reached',
  /** A share of a key's cap, by the same thresholds. */
  'key.cap_reached',
  /** So many days before, as the account's thresholds say. */
  'key.expiring',
  /** A management token, by the same thresholds. */
  'token.expiring',
  /** A key was found in public: it was revoked, or only reported. */
  'key.leaked',
  /** A webhook endpoint was switched off, after three days of failures. */
  'endpoint.disabled',
] as const;
export type NoticeType = (typeof NOTICE_TYPES)[number];

/** The type of a test delivery. No notice has it. */
export const TEST_TYPE = 'endpoint.test';

/** The changes that the platform team and the members of an account can make. */
export const AUDIT_ACTIONS = [
  'account.create',
  'account.update',
  'account.close',
  'project.create',
  'project.update',
  'project.suspend',
  'project.resume',
  'project.close',
  'key.create',
  /** Reissued with another secret: the answer to the creation was lost. */
  'key.reissue',
  'key.update',
  'key.expire',
  'key.revoke',
  'key.rotate',
  /** Found in public: by a report, not by a person. It is revoked, too, if the stage says so. */
  'key.report',
  /** Invited; the answers are `member.join` and `member.decline`. */
  'member.add',
  'member.join',
  'member.decline',
  'member.update',
  /** By an owner or the platform team. Older events, without a `userId`, also mean members who left. */
  'member.remove',
  /** By the member, also by deleting the profile. */
  'member.leave',
  /** An invitation that was taken back, or has expired and is made anew. */
  'member.withdraw',
  'member.sign-out',
  /** The mail of an invitation was asked for again. */
  'member.resend',
  'endpoint.create',
  'endpoint.update',
  /** A new secret. The previous one stays valid for a day. */
  'endpoint.rotate',
  'endpoint.delete',
  /** Switched off by the platform team, or after three days of failures. */
  'endpoint.disable',
  /** A requested delivery: a test, or a repeat. */
  'endpoint.test',
  'endpoint.repeat',
  'token.create',
  /** Made anew with another secret: the answer to the creation was lost. */
  'token.reissue',
  'token.revoke',
  /** A counter was corrected to the sum of its events. */
  'ledger.repair',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** Those by which requests of a key or a project are refused. */
export const REFUSING_ACTIONS = [
  ...(['key.create', 'key.update', 'key.expire', 'key.revoke', 'key.rotate', 'key.report'] as const),
  'project.suspend',
] as const satisfies AuditAction[];
export type RefusingAction = (typeof REFUSING_ACTIONS)[number];

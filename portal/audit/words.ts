import type { AuditAction } from '../api/people-queries.ts';

/** The actions in words. */
export const ACTION_WORDS: Readonly<Record<AuditAction, string>> = {
  'account.create': 'Account created',
  'account.update': 'Account changed',
  'account.close': 'Account closed',
  'project.create': 'Project created',
  'project.update': 'Project changed',
  'project.suspend': 'Project suspended',
  'project.resume': 'Project resumed',
  'project.close': 'Project closed',
  'key.create': 'Key created',
  'key.reissue': 'Key shown again with a new secret',
  'key.update': 'Key changed',
  'key.expire': 'End of key changed',
  'key.rotate': 'Key rotated',
  'key.revoke': 'Key revoked',
  'member.add': 'Invited',
  'member.join': 'Invitation accepted',
  'member.decline': 'Invitation declined',
  'member.update': 'Role changed',
  'member.remove': 'Member removed',
  'member.leave': 'Member left',
  'member.withdraw': 'Invitation withdrawn',
  'member.sign-out': 'Signed out everywhere',
  'member.resend': 'Invitation sent again',
  'endpoint.create': 'Webhook endpoint created',
  'endpoint.update': 'Webhook endpoint changed',
  'endpoint.rotate': 'Webhook secret rotated',
  'endpoint.delete': 'Webhook endpoint deleted',
  'endpoint.disable': 'Webhook endpoint switched off',
  'endpoint.test': 'Test delivery sent',
  'endpoint.repeat': 'Delivery repeated',
  'ledger.repair': 'Count of usage repaired',
};

/** The names of changed attributes. Other attributes keep their own name. */
export const ATTRIBUTE_WORDS: Readonly<Record<string, string>> = {
  email: 'E-mail address',
  deliveryId: 'Delivery',
  expiresAt: 'Expires',
  kinds: 'Notices',
  mailsKeys: 'Mails of keys',
  mailsQuota: 'Mails of quotas',
  mailsTeam: 'Mails of the team',
  mode: 'Mode',
  name: 'Name',
  paused: 'Paused',
  projects: 'Projects',
  quotaLimit: 'Quota',
  replacedBy: 'New key',
  revokedAt: 'Revoked',
  role: 'Role',
  rpm: 'Requests a minute',
  scopes: 'Scopes',
  secretVersion: 'Secret number',
  sessionsSince: 'Signed out at',
  status: 'State',
  type: 'Type',
  url: 'Address',
};

/** The meaning of an absent value, where that is more than `none`. */
export const WITHOUT_VALUE: Readonly<Record<string, string>> = {
  expiresAt: 'never',
  name: 'no name',
  quotaLimit: 'no limit',
};

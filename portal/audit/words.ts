import type { AuditAction } from '../api/people-queries.ts';

/** What was done, in words, by what it was done to. */
export const ACTIONS: Readonly<Record<string, Readonly<Partial<Record<AuditAction, string>>>>> = {
  Account: {
    'account.create': 'Account created',
    'account.update': 'Account changed',
    'account.close': 'Account closed',
  },
  Projects: {
    'project.create': 'Project created',
    'project.update': 'Project changed',
    'project.suspend': 'Project suspended',
    'project.resume': 'Project resumed',
    'project.close': 'Project closed',
  },
  Keys: {
    'key.create': 'Key created',
    'key.reissue': 'Key shown again with a new secret',
    'key.update': 'Key changed',
    'key.expire': 'End of key changed',
    'key.rotate': 'Key rotated',
    'key.revoke': 'Key revoked',
  },
  Team: {
    'member.add': 'Invited',
    'member.join': 'Invitation accepted',
    'member.decline': 'Invitation declined',
    'member.update': 'Role changed',
    'member.remove': 'Removed, left or withdrawn',
    'member.sign-out': 'Signed out everywhere',
  },
};

/** What was done, in words. */
export const ACTION_WORDS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.values(ACTIONS).flatMap((actions) => Object.entries(actions)),
);

/** What a changed attribute is called; others by their own name. */
export const ATTRIBUTE_WORDS: Readonly<Record<string, string>> = {
  email: 'E-mail address',
  expiresAt: 'Expires',
  mode: 'Mode',
  name: 'Name',
  projects: 'Projects',
  quotaLimit: 'Quota',
  replacedBy: 'New key',
  revokedAt: 'Revoked',
  role: 'Role',
  rpm: 'Requests a minute',
  scopes: 'Scopes',
  sessionsSince: 'Signed out at',
  status: 'State',
};

/** What an attribute without a value means, where that is more than `none`. */
export const WITHOUT_VALUE: Readonly<Record<string, string>> = {
  expiresAt: 'never',
  name: 'no name',
  quotaLimit: 'no limit',
};

import type { Account, Role } from '../api/queries.ts';

/** The roles in words, with their permissions, for a choice. */
export const ROLE_OPTIONS: readonly (readonly [Role, string, string])[] = [
  ['viewer', 'Viewer', 'sees projects, keys and usage, and changes nothing'],
  ['member', 'Member', 'works with projects and keys'],
  ['owner', 'Owner', 'also manages the team, sees the audit, and closes projects and the account'],
];

export const ROLE_NAMES: Readonly<Record<Role, string>> = { owner: 'Owner', member: 'Member', viewer: 'Viewer' };

/** A role with its article, inside a sentence. */
export const A_ROLE: Readonly<Record<Role, string>> = { owner: 'an owner', member: 'a member', viewer: 'a viewer' };

/** Whether a role may change projects and keys. */
export const mayChange = ({ role }: Pick<Account, 'role'>): boolean => role !== 'viewer';

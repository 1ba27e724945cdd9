import type { Role } from '../api/queries.ts';

/** The roles in words, with their permissions, for a choice. */
export const ROLE_OPTIONS: readonly (readonly [Role, string, string])[] = [
  ['member', 'Member', 'works with projects and keys'],
  ['owner', 'Owner', 'also manages the team, sees the audit, and closes projects and the account'],
];

import type { Member } from '../api/queries.ts';
import { DAY_MS } from '../text/format.ts';

/** How long an invitation can be accepted, from the creation of the invited member. */
export const INVITATION_DAYS = 14;

/** The displayed name of a person. */
export const whoIs = ({ name, email, memberId }: Pick<Member, 'name' | 'email' | 'memberId'>): string =>
  name ?? email ?? memberId;

/** Whether this member is the only active owner. Without one nobody would manage the account. */
export function isOnlyOwner(members: readonly Member[], memberId: string): boolean {
  const owners = members.filter(({ role, status }) => role === 'owner' && status === 'active');
  return owners.length === 1 && owners[0]?.memberId === memberId;
}

/** When an invitation ends, as an ISO time. */
export const invitationEnd = ({ createdAt }: Pick<Member, 'createdAt'>): string =>
  new Date(Date.parse(createdAt) + INVITATION_DAYS * DAY_MS).toISOString();

/** Active members first, then invited ones, each group by age. */
export const inOrder = (members: readonly Member[]): Member[] =>
  members.toSorted(
    (one, other) =>
      Number(one.status === 'invited') - Number(other.status === 'invited') ||
      one.createdAt.localeCompare(other.createdAt),
  );

import { isoTime } from '../core/clock.ts';
import { accountItemKey } from './account-items.ts';
import type { AccountStore } from './account-store.ts';
import { isAlive, type StoredInvitation } from './invitations.ts';
import { firstOf, withAccounts } from './memberships.ts';
import type { Person } from './own-accounts.ts';
import type { MemberRole } from './stored-members.ts';
import { itemsFrom } from '../store/items.ts';

/** An invitation for display to its person. */
export interface OwnInvitation {
  readonly accountId: string;
  readonly accountName: string;
  readonly role: MemberRole;
  readonly invitedBy: string;
  readonly expiresAt: string;
}

/** The valid invitations to a person's verified address, at most fifty. Two sequential reads. */
export async function listOwnInvitations(
  store: AccountStore,
  { email, emailVerified }: Person,
): Promise<OwnInvitation[]> {
  if (email === undefined || !emailVerified) return [];
  const nowMs = store.clock.now();
  const stored = itemsFrom(store, accountItemKey.invitation(email, ''));
  const alive = await firstOf(stored as AsyncGenerator as AsyncGenerator<StoredInvitation>);
  const found = await withAccounts(
    store,
    alive.filter((invitation) => isAlive(invitation, nowMs)),
  );
  return found.flatMap(({ membership: { accountId, invitedBy, expiresAtMs }, account: { name }, member }) =>
    member.status === 'invited'
      ? [{ accountId, accountName: name, role: member.role, invitedBy, expiresAt: isoTime(expiresAtMs) }]
      : [],
  );
}

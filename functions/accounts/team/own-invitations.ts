import { isoTime } from '../../shared/time.ts';
import { untilBefore, type ItemKey } from '../../shared/store/items.ts';
import { queryOf, readItem, readPage } from '../../shared/store/tables.ts';
import { accountItemKey, invitationPartition } from '../store/account-items.ts';
import type { AccountStore } from '../store/account-store.ts';
import { canBeAccepted, type StoredInvitation } from './invitation-items.ts';
import { withAccounts } from './memberships.ts';
import type { Person } from './own-accounts.ts';

/**
 * One invitation to a person's verified address, by its account, however many others there are. Two sequential reads.
 * Undefined: there is no valid invitation.
 */
export async function readOwnInvitation(store: AccountStore, { email, emailVerified }: Person, accountId: string) {
  if (email === undefined || !emailVerified) return undefined;
  const invitation = await readItem<StoredInvitation>(store, accountItemKey.invitation(email, accountId));
  if (!canBeAccepted(invitation, store.clock.now())) return undefined;
  const [shown] = await completed(store, [invitation]);
  return shown;
}

/** Sorts behind every time. */
const LAST = '~';

/**
 * A page of the valid invitations to a person's verified address, newest first. Two sequential reads, which cost what
 * the page shows.
 * @param before only those with an earlier end than this position, so after it in the list: `next` of the previous page
 */
export async function readInvitationPage(
  store: AccountStore,
  { email, emailVerified }: Person,
  { limit, before }: { readonly limit: number; readonly before?: string | undefined },
) {
  if (email === undefined || !emailVerified) return { invitations: [], next: undefined };
  const listing = (position: string): string => accountItemKey.invitationListing(email, position).sk;
  const nowMs = store.clock.now();
  const bounds = { since: listing(isoTime(nowMs)), until: listing(LAST) };
  const until = untilBefore(bounds, before === undefined ? undefined : listing(before));
  const found = await readPage<StoredInvitation & ItemKey>(store, {
    ...queryOf(store.tables.gateway, invitationPartition(email), { ...bounds, until }),
    ScanIndexForward: false,
    // The last one of the previous page is read again, and one more shows whether there are more.
    Limit: limit + 2,
  });
  const entries = found.filter((entry) => entry.sk !== listing(before ?? '') && canBeAccepted(entry, nowMs));
  const page = entries.slice(0, limit);
  return {
    invitations: await completed(store, page),
    next: entries.length > limit ? page.at(-1)?.sk.slice(listing('').length) : undefined,
  };
}

/**
 * Invitations for display to their person. Adds data of the account and of the invited member. Omits those that were
 * answered or withdrawn meanwhile.
 */
async function completed(store: AccountStore, page: readonly StoredInvitation[]) {
  const found = await withAccounts(store, page);
  return found.flatMap(({ membership: invitation, account: { name }, member }) => {
    if (member.status !== 'invited') return [];
    const { accountId, invitedBy, invitedByKind, expiresAtMs } = invitation;
    return [
      { accountId, accountName: name, role: member.role, invitedBy, invitedByKind, expiresAt: isoTime(expiresAtMs) },
    ];
  });
}

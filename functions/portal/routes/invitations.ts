import type { AccountStore } from '../../accounts/store/account-store.ts';
import type { StoredUser } from '../../accounts/people/users.ts';
import { acceptInvitation, declineInvitation } from '../../accounts/team/invitation-answers.ts';
import { readInvitationPage, readOwnInvitation } from '../../accounts/team/own-invitations.ts';
import { invitationContract, invitationQuery } from '../contract/invitations.ts';
import { PortalError } from '../contract/errors.ts';
import { continued, nextCursor } from '../request/list-query.ts';
import { serve, type Known, type OfPerson } from '../serve/serve.ts';

/** A position in the list: an invitation's end and account. */
const POSITION = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z#acc_[0-9A-Za-z]{16}$/;
const listOf = ({ userId }: StoredUser): string => `invitations of ${userId}`;
const ownQuery = ({ person }: OfPerson<Known>) => invitationQuery(continued(listOf(person.user), POSITION));

/** A page of a person's invitations, in the form of the contract. */
export async function invitationsOf(
  store: AccountStore,
  user: StoredUser,
  query: { readonly limit: number; readonly cursor?: string | undefined },
) {
  const page = await readInvitationPage(store, user, { limit: query.limit, before: query.cursor });
  return { invitations: page.invitations, cursor: nextCursor(listOf(user), page.next) };
}

/** The invitations of the signed-in person. */
export const invitationRoutes = [
  serve(
    invitationContract.listInvitations,
    ({ store, person, input }) => invitationsOf(store, person.user, input),
    ownQuery,
  ),

  serve(invitationContract.getInvitation, async ({ store, person, id }) => {
    const invitation = await readOwnInvitation(store, person.user, id('accountId'));
    if (!invitation) throw new PortalError('NOT_FOUND');
    return invitation;
  }),

  serve(invitationContract.acceptInvitation, ({ store, person, id }) =>
    acceptInvitation(store, id('accountId'), person.user),
  ),

  serve(invitationContract.declineInvitation, ({ store, person, id }) =>
    declineInvitation(store, id('accountId'), person.user),
  ),
];

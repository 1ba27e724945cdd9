import type { Hono } from 'hono';
import type { AccountStore } from '../../accounts/account-store.ts';
import { acceptInvitation, declineInvitation } from '../../accounts/team/invitation-answers.ts';
import { readInvitationPage, readOwnInvitation } from '../../accounts/team/own-invitations.ts';
import { countRead } from '../../accounts/request-rate.ts';
import type { StoredUser } from '../../accounts/people/users.ts';
import { authorizePerson } from '../changes.ts';
import { CHANGE, COUNTED_READ } from '../writes.ts';
import type { PortalEnvironment } from '../hono-context.ts';
import { addRoute } from '../known-routes.ts';
import { PortalError } from '../errors.ts';
import { invitationQuery } from '../contract/requests/invitations.ts';
import { ROUTES } from '../contract/requests/routes.ts';
import { readQuery } from '../input.ts';
import { continued, nextCursor } from '../list-query.ts';
import { pathId } from '../paths.ts';
import { storeOf, readPerson, type AuthorityDependencies } from '../session/authority.ts';

/** A position in the list: an invitation's end and account. */
const POSITION = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z#acc_[0-9A-Za-z]{16}$/;
const listOf = ({ userId }: StoredUser): string => `invitations of ${userId}`;

const ANSWER = [...CHANGE, 'ACCOUNT/ACCOUNT', 'ACCOUNT/MEMBER', 'INVITED/ACCOUNT', 'INVITED/UNTIL'] as const;
/** What each route writes. */
const WRITES = {
  accept: [...ANSWER, 'USER/ACCOUNT', 'USER/USER'],
  decline: ANSWER,
} as const;

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
export function invitationRoutes(app: Hono<PortalEnvironment>, dependencies: AuthorityDependencies): void {
  addRoute(app, ROUTES.listInvitations, COUNTED_READ, async (c) => {
    const { person } = await readPerson(c, dependencies);
    const query = readQuery(c, invitationQuery(continued(listOf(person.user), POSITION)));
    const store = storeOf(c, dependencies, person.user);
    await countRead(store);
    return c.json(await invitationsOf(store, person.user, query));
  });

  addRoute(app, ROUTES.getInvitation, COUNTED_READ, async (c) => {
    const { person } = await readPerson(c, dependencies);
    const store = storeOf(c, dependencies, person.user);
    await countRead(store);
    const invitation = await readOwnInvitation(store, person.user, pathId(c, 'accountId'));
    if (!invitation) throw new PortalError('NOT_FOUND');
    return c.json(invitation);
  });

  addRoute(app, ROUTES.acceptInvitation, WRITES.accept, async (c) => {
    const { store, person } = await authorizePerson(c, dependencies);
    return c.json(await acceptInvitation(store, pathId(c, 'accountId'), person.user));
  });

  addRoute(app, ROUTES.declineInvitation, WRITES.decline, async (c) => {
    const { store, person } = await authorizePerson(c, dependencies);
    await declineInvitation(store, pathId(c, 'accountId'), person.user);
    return c.body(null, 204);
  });
}

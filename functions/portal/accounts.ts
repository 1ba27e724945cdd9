import type { Hono } from 'hono';
import * as v from 'valibot';
import { closeAccount } from '../accounts/account-closing.ts';
import { updateAccount } from '../accounts/accounts.ts';
import { acceptInvitation, declineInvitation } from '../accounts/invitation-answers.ts';
import { createOwnAccount } from '../accounts/own-accounts.ts';
import { askedByMember, askedByPerson } from './changes.ts';
import type { PortalEnvironment } from './environment.ts';
import { Name, Nothing } from './fields.ts';
import { pathId } from './paths.ts';
import type { AuthorityDependencies } from './session/authority.ts';

const Named = v.object({ name: Name });
const ACCOUNT = '/api/accounts/:accountId';
const INVITATION = '/api/invitations/:accountId';

/** Accounts, and invitations to them. */
export function accountRoutes(app: Hono<PortalEnvironment>, dependencies: AuthorityDependencies): void {
  app.post('/api/accounts', async (c) => {
    const { plane, person, input, idempotencyKey } = await askedByPerson(c, dependencies, Named);
    const details = { name: input.name, person: person.user };
    return c.json({ accountId: await createOwnAccount(plane, details, idempotencyKey) }, 201);
  });

  app.patch(ACCOUNT, async (c) => {
    const accountId = pathId(c, 'accountId');
    const { plane, input } = await askedByMember(c, dependencies, accountId, Named);
    const { name } = await updateAccount(plane, accountId, input);
    // Only an owner gets here.
    return c.json({ accountId, name, role: 'owner' });
  });

  app.delete(ACCOUNT, async (c) => {
    const accountId = pathId(c, 'accountId');
    const { plane } = await askedByMember(c, dependencies, accountId, Nothing);
    await closeAccount(plane, accountId);
    return c.body(null, 204);
  });

  app.post(`${INVITATION}/accept`, async (c) => {
    const { plane, person } = await askedByPerson(c, dependencies, Nothing);
    return c.json(await acceptInvitation(plane, pathId(c, 'accountId'), person.user));
  });

  app.post(`${INVITATION}/decline`, async (c) => {
    const { plane, person } = await askedByPerson(c, dependencies, Nothing);
    await declineInvitation(plane, pathId(c, 'accountId'), person.user);
    return c.body(null, 204);
  });
}

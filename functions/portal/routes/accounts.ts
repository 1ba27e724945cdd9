import type { Hono } from 'hono';
import { closeAccount } from '../../accounts/team/account-closing.ts';
import { updateAccount } from '../../accounts/team/accounts.ts';
import { createOwnAccount } from '../../accounts/team/own-accounts.ts';
import { authorizeChange, authorizePerson } from '../changes.ts';
import { CHANGE } from '../writes.ts';
import type { PortalEnvironment } from '../hono-context.ts';
import { addRoute } from '../known-routes.ts';
import { Named } from '../contract/requests/fields.ts';
import { ROUTES } from '../contract/requests/routes.ts';
import type { AuthorityDependencies } from '../session/authority.ts';

/** What each route writes. */
const WRITES = {
  create: [...CHANGE, 'ACCOUNT/ACCOUNT', 'ACCOUNT/MEMBER', 'ACCOUNTS/', 'USER/ACCOUNT', 'USER/USER'],
  rename: [...CHANGE, 'ACCOUNT/ACCOUNT'],
  close: [...CHANGE, 'ACCOUNT/ACCOUNT', 'PROJECT/PROJECT', 'USER/ACCOUNT', 'INVITED/ACCOUNT'],
} as const;

/** Accounts. */
export function accountRoutes(app: Hono<PortalEnvironment>, dependencies: AuthorityDependencies): void {
  addRoute(app, ROUTES.createAccount, WRITES.create, async (c) => {
    const { store, person, input, idempotencyKey } = await authorizePerson(c, dependencies, Named);
    const details = { name: input.name, person: person.user };
    return c.json({ accountId: await createOwnAccount(store, details, idempotencyKey) }, 201);
  });

  addRoute(app, ROUTES.updateAccount, WRITES.rename, async (c) => {
    const { store, accountId, input } = await authorizeChange(c, dependencies, Named);
    const { name } = await updateAccount(store, accountId, input);
    // Only an owner reaches this line.
    return c.json({ accountId, name, role: 'owner' });
  });

  addRoute(app, ROUTES.closeAccount, WRITES.close, async (c) => {
    const { store, accountId } = await authorizeChange(c, dependencies);
    await closeAccount(store, accountId);
    return c.body(null, 204);
  });
}

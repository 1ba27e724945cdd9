import type { Hono } from 'hono';
import { closeAccount } from '../../accounts/team/account-closing.ts';
import { updateAccount } from '../../accounts/team/accounts.ts';
import { createOwnAccount } from '../../accounts/team/own-accounts.ts';
import { authorizeChange, authorizePerson } from '../changes.ts';
import { CHANGE, declares } from '../declares.ts';
import type { PortalEnvironment } from '../hono-context.ts';
import { addRoute } from '../known-routes.ts';
import { Named, Nothing } from '../contract/requests/fields.ts';
import { ROUTES } from '../contract/requests/routes.ts';
import { pathId } from '../paths.ts';
import type { AuthorityDependencies } from '../session/authority.ts';

/** What each route writes, and who may set which member of its body. */
const MAY = {
  create: declares({
    writes: [...CHANGE, 'ACCOUNT/ACCOUNT', 'ACCOUNT/MEMBER', 'ACCOUNTS/', 'USER/ACCOUNT', 'USER/USER'],
    sets: { name: 'person' },
  }),
  rename: declares({ writes: [...CHANGE, 'ACCOUNT/ACCOUNT'], sets: { name: 'owner' } }),
  close: declares({ writes: [...CHANGE, 'ACCOUNT/ACCOUNT', 'PROJECT/PROJECT', 'USER/ACCOUNT', 'INVITED/ACCOUNT'] }),
};

/** Accounts. */
export function accountRoutes(app: Hono<PortalEnvironment>, dependencies: AuthorityDependencies): void {
  addRoute(app, ROUTES.createAccount, MAY.create, async (c) => {
    const { store, person, input, idempotencyKey } = await authorizePerson(c, dependencies, Named);
    const details = { name: input.name, person: person.user };
    return c.json({ accountId: await createOwnAccount(store, details, idempotencyKey) }, 201);
  });

  addRoute(app, ROUTES.updateAccount, MAY.rename, async (c) => {
    const accountId = pathId(c, 'accountId');
    const { store, input } = await authorizeChange(c, dependencies, accountId, Named);
    const { name } = await updateAccount(store, accountId, input);
    // Only an owner reaches this line.
    return c.json({ accountId, name, role: 'owner' });
  });

  addRoute(app, ROUTES.closeAccount, MAY.close, async (c) => {
    const accountId = pathId(c, 'accountId');
    const { store } = await authorizeChange(c, dependencies, accountId, Nothing);
    await closeAccount(store, accountId);
    return c.body(null, 204);
  });
}

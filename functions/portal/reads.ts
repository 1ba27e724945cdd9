import type { AccountStore, Membership } from '../accounts/account-store.ts';
import { countRead } from '../accounts/request-rate.ts';
import { requireOwner } from '../accounts/team/stored-members.ts';
import { readProject } from '../accounts/projects/stored-projects.ts';
import { allFulfilled } from '../shared/rules/fulfilled.ts';
import type { PortalContext } from './hono-context.ts';
import { PortalError } from './errors.ts';
import { readQuery, type Schema } from './input.ts';
import { pathId } from './paths.ts';
import { storeOf, readPerson, type AuthorityDependencies, type Person } from './session/authority.ts';

/** A requested read, with the store of the caller. */
interface AskedRead<T> {
  readonly store: AccountStore;
  readonly person: Person;
  readonly membership: Membership;
  readonly query: T;
}

/**
 * Reads the caller of a read in the account of the path: the session first, then the query, then the membership. It is
 * one round trip. Nothing of the account is read for anybody else.
 *
 * @param schema of the query; absent: the route has no query parameters
 */
export async function authorizeAccountRead<T = undefined>(
  c: PortalContext,
  dependencies: AuthorityDependencies,
  schema?: Schema<T>,
): Promise<AskedRead<T>> {
  const { person, membership } = await readPerson(c, dependencies, pathId(c, 'accountId'));
  const query = schema ? readQuery(c, schema) : (undefined as T);
  if (!membership) throw new PortalError('NOT_FOUND');
  return { store: storeOf(c, dependencies, person.user, membership), person, membership, query };
}

/**
 * The same for a read of the ledger of the project in the path. Such a read is counted, and refused with 429 before
 * anything of the ledger is read. In parallel to the count it checks that the project belongs to the account.
 */
export async function authorizeLedgerRead<T = undefined>(
  c: PortalContext,
  dependencies: AuthorityDependencies,
  schema?: Schema<T>,
): Promise<AskedRead<T>> {
  const asked = await authorizeAccountRead(c, dependencies, schema);
  await allFulfilled([countRead(asked.store), readProject(asked.store, pathId(c, 'projectId'))]);
  return asked;
}

/** The same for owners, for reads of the account alone. A member who is not an owner is refused, and counted too. */
export async function authorizeOwner<T = undefined>(
  c: PortalContext,
  dependencies: AuthorityDependencies,
  schema?: Schema<T>,
): Promise<AskedRead<T>> {
  const asked = await authorizeAccountRead(c, dependencies, schema);
  await allFulfilled([requireOwner(asked.store), countRead(asked.store)]);
  return asked;
}

import type { AccountStore } from '../accounts/account-store.ts';
import type { PortalContext } from './hono-context.ts';
import { PortalError } from './errors.ts';
import { readIdempotencyKey, readInput, type Schema } from './input.ts';
import { pathId } from './paths.ts';
import { storeOf, readPerson, type AuthorityDependencies, type Person } from './session/authority.ts';

/** A requested change, with the store of the caller. */
export interface AuthorizedChange<T> {
  readonly store: AccountStore;
  readonly person: Person;
  readonly input: T;
  readonly idempotencyKey: string | undefined;
}

/** Reads a person's change: the session first, then the input. */
export async function authorizePerson<T>(
  c: PortalContext,
  dependencies: AuthorityDependencies,
  schema?: Schema<T>,
): Promise<AuthorizedChange<T>> {
  const { person } = await readPerson(c, dependencies);
  const input = await readInput(c, schema);
  const store = storeOf(c, dependencies, person.user);
  return { store, person, input, idempotencyKey: readIdempotencyKey(c) };
}

/**
 * Reads a change by a member of the account in the path: the session first, then the input, then the membership. The
 * change itself has the membership as a condition.
 */
export async function authorizeChange<T>(
  c: PortalContext,
  dependencies: AuthorityDependencies,
  schema?: Schema<T>,
): Promise<AuthorizedChange<T> & { readonly accountId: string }> {
  const { person, membership } = await readPerson(c, dependencies, pathId(c, 'accountId'));
  const input = await readInput(c, schema);
  const idempotencyKey = readIdempotencyKey(c);
  if (!membership) throw new PortalError('NOT_FOUND');
  const { accountId } = membership;
  return { store: storeOf(c, dependencies, person.user, membership), person, accountId, input, idempotencyKey };
}

import type { AccountStore, Membership } from '../accounts/account-store.ts';
import type { PortalContext } from './environment.ts';
import { PortalError } from './errors.ts';
import { readIdempotencyKey, readInput, type Schema } from './input.ts';
import { storeOf, readPerson, type AuthorityDependencies, type Person } from './session/authority.ts';

/** A change that is asked for, in the hands of who asks. */
export interface AskedChange<T> {
  readonly store: AccountStore;
  readonly person: Person;
  readonly input: T;
  readonly idempotencyKey: string | undefined;
}

/** Reads a change that a person asks for: the session first, then the input. */
export async function askedByPerson<T>(
  c: PortalContext,
  dependencies: AuthorityDependencies,
  schema: Schema<T>,
): Promise<AskedChange<T>> {
  const { person } = await readPerson(c, dependencies);
  const input = await readInput(c, schema);
  const store = storeOf(c, dependencies, person.user);
  return { store, person, input, idempotencyKey: readIdempotencyKey(c) };
}

/**
 * Reads a change that a member of an account asks for: the session first, then the input, then whether the account is
 * theirs. The change itself is made on condition that it still is.
 */
export async function askedByMember<T>(
  c: PortalContext,
  dependencies: AuthorityDependencies,
  accountId: string,
  schema: Schema<T>,
): Promise<AskedChange<T> & { readonly membership: Membership }> {
  const { person, membership } = await readPerson(c, dependencies, accountId);
  const input = await readInput(c, schema);
  const idempotencyKey = readIdempotencyKey(c);
  if (!membership) throw new PortalError('NOT_FOUND');
  return { store: storeOf(c, dependencies, person.user, membership), person, membership, input, idempotencyKey };
}

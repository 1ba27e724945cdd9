import type { MemberRole } from '../../shared/choices.ts';
import { isoTime } from '../../shared/time.ts';
import { generateId } from '../../shared/ids.ts';
import { NOTHING_COUNTED } from './account-counts.ts';
import { accountItemKey } from '../store/account-items.ts';
import { newAccount } from './accounts.ts';
import { audited } from '../authority/audit.ts';
import { changeAs, doneBefore } from '../authority/authority.ts';
import { create } from '../store/transact.ts';
import type { Caller, Change, AccountStore, Membership } from '../store/account-store.ts';
import { SHOWS_PRESENT, updateOf } from '../store/writes.ts';
import { absentOr, below, present } from '../store/expressions.ts';
import { RefusedError } from '../store/refusals.ts';
import { creationOf, markedBy, orRepeated, unlessRepeated } from '../store/idempotency.ts';
import type { StoredMember } from './stored-members.ts';
import { firstOf, MAX_SHOWN, withOwnAccounts } from './memberships.ts';
import { itemsFrom } from '../../shared/store/tables.ts';

/** The person's data from the provider; absent: the provider gives none. */
export interface Person {
  readonly email?: string | undefined;
  readonly name?: string | undefined;
  /** Whether the provider has verified the address. */
  readonly emailVerified: boolean;
}

/**
 * Creates an account for the caller, who becomes its owner, and returns its id. A repeat under one Idempotency-Key
 * returns the same id. Throws `RefusedError` above the limit, and for a deleted person.
 */
export async function createOwnAccount(
  store: AccountStore,
  { name, person }: { readonly name: string; readonly person: Person },
  idempotencyKey?: string,
): Promise<string> {
  const asked = await creationOf(store, ['account'], { name }, idempotencyKey);
  const accountId = generateId('acc', asked.ids);
  const memberId = generateId('mem', asked.ids);
  const creation = changeAs(store, 'person', async () => {
    const { caller } = store;
    if (!caller) throw new Error('an operator has no account');
    const { userId } = caller;
    const createdAt = isoTime(store.clock.now());
    const counts = { ...NOTHING_COUNTED, members: 1, activeMembers: 1, owners: 1 };
    const account = newAccount(
      store,
      accountId,
      { name, email: person.email ?? null },
      { ...counts, ...markedBy(asked) },
      unlessRepeated(asked),
    );
    const member: StoredMember = {
      memberId,
      userId,
      email: person.email ?? null,
      role: 'owner',
      status: 'active',
      createdAt,
      ...(person.name !== undefined && { name: person.name }),
    };
    const changes = [
      ...account,
      countedAccount(store, caller),
      create(store, { ...accountItemKey.member(accountId, memberId), ...member }),
      create(store, { ...accountItemKey.membership(userId, accountId), accountId, memberId }),
      await audited(store, 'account.create', { accountId, memberId }, { before: null, after: { role: 'owner' } }),
    ];
    return { result: accountId, changes };
  });
  return orRepeated(creation, () => doneBefore(store, 'person', accountId));
}

/** Counts an account that a person creates. Closing it does not reduce the count. */
const countedAccount = (store: AccountStore, { userId, limits }: Caller): Change => ({
  write: {
    Update: {
      ...updateOf(store, {
        key: accountItemKey.user(userId),
        // An update would create a person who does not exist.
        when: { pk: present, accountsCreated: absentOr(below(limits.accountsPerPerson)) },
        add: { accountsCreated: 1 },
      }),
      ...SHOWS_PRESENT,
    },
  },
  refusal: (stored) => {
    if (!stored) return new RefusedError(`There is no person ${userId}.`, { code: 'NOT_SIGNED_IN' });
    const line = `This person has created ${limits.accountsPerPerson} accounts, which is the limit.`;
    return new RefusedError(line, { code: 'LIMIT_REACHED', publicDetail: ALL_CREATED });
  },
});

const ALL_CREATED =
  'You have created as many accounts as you may, closed ones included. Ask the platform team for more.';

/** An account of a person. */
export interface OwnAccount extends Membership {
  readonly name: string;
  readonly role: MemberRole;
}

/**
 * The accounts in which a person is an active member, in the order of their ids, at most fifty. Two sequential reads.
 */
export async function listOwnAccounts(store: AccountStore, userId: string): Promise<OwnAccount[]> {
  const memberships = itemsFrom<Membership>(store, accountItemKey.membership(userId, ''), MAX_SHOWN);
  const found = await withOwnAccounts(store, userId, await firstOf(memberships));
  return found.map(({ account: { accountId, name }, member: { memberId, role } }) => ({
    accountId,
    memberId,
    name,
    role,
  }));
}

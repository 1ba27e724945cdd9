import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { foldedAddress } from '../../shared/address.ts';
import { allFulfilled } from '../../shared/fulfilled.ts';
import { availablePages, queryItems } from '../../shared/store/client.ts';
import { itemKey, type ItemKey } from '../../shared/store/items.ts';
import { itemsFrom, names, queryOf, readBatches } from '../../shared/store/tables.ts';
import { accountItemKey, invitationPartition } from '../store/account-items.ts';
import type { AccountStore } from '../store/account-store.ts';
import type { StoredAccount } from '../team/accounts.ts';
import type { StoredInvitation } from '../team/invitation-items.ts';
import type { StoredMember } from '../team/stored-members.ts';
import type { StoredUser } from './users.ts';

/** An item of the Gateway table as the scan returns it. */
type Scanned = ItemKey &
  Partial<StoredUser> &
  Partial<Omit<StoredMember, 'status'>> &
  Partial<StoredInvitation> &
  Partial<Omit<StoredAccount, 'status'>>;

/** A person who signs in with an address, or is a member of an account under it. */
interface FoundPerson {
  readonly user: StoredUser;
  /** Stored ones, valid or not. */
  readonly sessions: number;
}

/** A member of an account, or an invited member. */
export interface FoundMember {
  readonly accountId: string;
  readonly accountName: string;
  readonly isOpen: boolean;
  readonly member: StoredMember;
}

/** An invitation as an item: each is stored twice. */
export interface FoundInvitation extends Pick<
  StoredInvitation,
  'accountId' | 'memberId' | 'expiresAtMs' | 'inviterId'
> {
  readonly key: ItemKey;
}

/** The stored data of an address, and of the people who sign in with it. */
export interface PersonData {
  readonly email: string;
  readonly people: readonly FoundPerson[];
  /** Memberships of these people, and memberships under the address that belong to no other person. */
  readonly memberships: readonly FoundMember[];
  /** To the address. */
  readonly held: readonly FoundInvitation[];
  /** Invitations by these people, with their name in them. */
  readonly made: readonly FoundInvitation[];
  /** Accounts whose own address it is. */
  readonly accounts: readonly StoredAccount[];
}

/**
 * Finds the stored data of a person by an e-mail address. On purpose there is no index by address: it reads the whole
 * Gateway table. Data that is written meanwhile may not be found.
 * @param step is called after each page
 */
export async function findPersonData(store: AccountStore, email: string, step?: () => void): Promise<PersonData> {
  const address = foldedAddress(email);
  const isOf = (stored: string | null | undefined): boolean =>
    typeof stored === 'string' && foldedAddress(stored) === address;
  const { users, members, accounts, invitations } = await scan(store, isOf, step);
  const signingIn = new Set(users.map(({ userId }) => userId));
  const ofAddress = members.flatMap(({ member: { email: theirs, userId } }) =>
    isOf(theirs) && userId ? [userId] : [],
  );
  const others = [...new Set(ofAddress)].filter((userId) => !signingIn.has(userId));
  const known = await readBatches<StoredUser>(store, others.map(accountItemKey.user));
  const people = [...users, ...known.filter((user) => user !== undefined)];
  const ids = new Set(people.map(({ userId }) => userId));
  const own = members.filter(
    ({ member: { userId, email: theirs } }) => (userId !== undefined && ids.has(userId)) || isOf(theirs),
  );
  const [found, ofOwn, held] = await allFulfilled([
    Promise.all(
      people.map(async (user) => ({
        user,
        sessions: (await Array.fromAsync(itemsFrom(store, accountItemKey.session(user.userId, '')))).length,
      })),
    ),
    readBatches<StoredAccount>(
      store,
      own.map(({ accountId }) => itemKey.account(accountId)),
    ),
    invitationsTo(store, email),
  ]);
  const memberships = own.map(({ accountId, member }, i) => {
    const account = ofOwn[i];
    return {
      accountId,
      accountName: account?.name ?? '',
      isOpen: account !== undefined && account.status === undefined,
      member,
    };
  });
  const made = invitations.filter(({ inviterId }) => inviterId !== undefined && ids.has(inviterId));
  return { email, people: found, memberships, held, made, accounts };
}

const ATTRIBUTES = [
  'pk',
  'sk',
  'userId',
  'email',
  'emailVerified',
  'name',
  'createdAt',
  'lastSignIn',
  'identityHash',
  'sessionsSince',
  'accountsCreated',
  'accountsJoined',
  'accountId',
  'memberId',
  'role',
  'status',
  'inviterId',
  'expiresAtMs',
];

/** Reads the table once. Keeps all members, since some people are found later. */
async function scan(
  store: AccountStore,
  isOf: (email: string | null | undefined) => boolean,
  step: (() => void) | undefined,
) {
  const users: StoredUser[] = [];
  const members: { accountId: string; member: StoredMember }[] = [];
  const accounts: StoredAccount[] = [];
  const invitations: FoundInvitation[] = [];
  const { client, tables } = store;
  const pages = paginateScan(
    { client },
    {
      TableName: tables.gateway,
      FilterExpression:
        '#sk IN (:user, :account) OR begins_with(#sk, :member) OR (begins_with(#pk, :invited) AND attribute_exists(#inviterId))',
      ProjectionExpression: ATTRIBUTES.map((name) => `#${name}`).join(', '),
      ExpressionAttributeNames: names(...ATTRIBUTES),
      ExpressionAttributeValues: {
        ':user': 'USER',
        ':account': 'ACCOUNT',
        ':member': 'MEMBER#',
        ':invited': 'INVITED#',
      },
      ConsistentRead: true,
    },
  );
  for await (const items of availablePages<Scanned>(pages)) {
    for (const item of items) {
      const { pk, sk, ...stored } = item;
      if (sk === 'USER' && isOf(stored.email)) users.push(stored as StoredUser);
      else if (sk === 'ACCOUNT' && isOf(stored.email)) accounts.push(stored as StoredAccount);
      else if (sk.startsWith('MEMBER#'))
        members.push({ accountId: pk.slice('ACCOUNT#'.length), member: stored as StoredMember });
      else if (pk.startsWith('INVITED#')) invitations.push({ key: { pk, sk }, ...(stored as StoredInvitation) });
    }
    step?.();
  }
  return { users, members, accounts, invitations };
}

/** The stored data under the hash of an address. */
async function invitationsTo(store: AccountStore, email: string): Promise<FoundInvitation[]> {
  const query = queryOf(store.tables.gateway, invitationPartition(email));
  const items = await Array.fromAsync(queryItems<ItemKey & StoredInvitation>(store.client, query));
  return items.map(({ pk, sk, ...invitation }) => ({ key: { pk, sk }, ...invitation }));
}

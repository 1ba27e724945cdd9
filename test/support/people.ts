import { randomUUID } from 'node:crypto';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { accountItemKey } from '../../functions/accounts/store/account-items.ts';
import { listAudit } from '../../functions/accounts/authority/audit.ts';
import { asMember, asPerson } from '../../functions/accounts/authority/authority.ts';
import type { AccountStore, Membership } from '../../functions/accounts/store/account-store.ts';
import { findOrMakePerson } from '../../functions/accounts/people/identities.ts';
import { acceptInvitation } from '../../functions/accounts/team/invitation-answers.ts';
import { inviteMember } from '../../functions/accounts/team/invitations.ts';
import { DEFAULT_LIMITS, type Limits } from '../../functions/accounts/store/limits.ts';
import { createOwnAccount, type Person } from '../../functions/accounts/team/own-accounts.ts';
import { readInvitationPage } from '../../functions/accounts/team/own-invitations.ts';
import { listMembers, type StoredMember } from '../../functions/accounts/team/stored-members.ts';
import { usedBy } from '../../functions/accounts/authority/used.ts';
import { createProject } from '../../functions/accounts/projects/projects.ts';
import type { StoredUser } from '../../functions/accounts/people/users.ts';
import { itemKey } from '../../functions/shared/store/items.ts';
import { readItem } from '../../functions/shared/store/tables.ts';
import type { MemberRole } from '../../functions/shared/choices.ts';
import { partition } from './database.ts';
import { endlessDeadline } from './deadline.ts';
import { testGateway, type TestGateway } from './gateway.ts';

/** A person who has signed in. */
export interface TestPerson {
  readonly userId: string;
  readonly profile: Person & { readonly email: string };
  /** The account store on behalf of this person, outside of any account. */
  readonly store: AccountStore;
  /** The same as a current member of an account. Throws if the person is not a member. */
  in(accountId: string): Promise<AccountStore>;
}

/** Limits that no test reaches by chance. */
const AMPLE: Limits = { ...DEFAULT_LIMITS, changesPerMinute: 100_000 };

interface PersonOptions {
  readonly email?: string;
  readonly emailVerified?: boolean;
  readonly limits?: Partial<Limits>;
}

export async function person(
  { store }: Pick<TestGateway, 'store'>,
  { email = `${randomUUID()}@example.com`, emailVerified = true, limits: own = {} }: PersonOptions = {},
): Promise<TestPerson> {
  const profile = { email, emailVerified, name: 'Ada Lovelace' };
  const userId = await findOrMakePerson(store, { issuer: 'tests', subject: randomUUID(), ...profile });
  const identityHash = (await readItem<StoredUser>(store, accountItemKey.user(userId)))?.identityHash ?? '';
  const limits = { ...AMPLE, ...own };
  const patient = { ...store, deadline: endlessDeadline() };
  return {
    userId,
    profile,
    store: asPerson(patient, { userId, identityHash, limits }),
    in: async (accountId) => {
      const membership = await readItem<Membership>(store, accountItemKey.membership(userId, accountId));
      if (!membership) throw new Error('this person is no member');
      return asMember(patient, { userId, identityHash, limits }, membership);
    },
  };
}

/** An account with a new person as its owner. */
export async function ownAccount(gateway: Pick<TestGateway, 'store'>, options: PersonOptions = {}) {
  const owner = await person(gateway, options);
  const accountId = await createOwnAccount(owner.store, { name: 'Team', person: owner.profile });
  return { owner, accountId, store: await owner.in(accountId) };
}

/** A project of a new person, with a gateway of its own unless one is given. */
export async function ownProject(limits: Partial<Limits> = {}, gateway: TestGateway = testGateway()) {
  const own = await ownAccount(gateway, { limits });
  const projectId = await createProject(own.store, { accountId: own.accountId, name: 'P', quotaLimit: 1_000 });
  return { gateway, ...own, projectId };
}

/** A new person who has joined an account. */
export async function join(
  gateway: Pick<TestGateway, 'store'>,
  accountId: string,
  role: MemberRole,
  options: PersonOptions = {},
): Promise<TestPerson & { readonly memberId: string }> {
  const someone = await person(gateway, options);
  const memberId = await inviteMember(gateway.store, accountId, { email: someone.profile.email, role });
  await acceptInvitation(someone.store, accountId, someone.profile);
  return { ...someone, memberId };
}

/** The newest invitations of a person. */
export const listOwnInvitations = async (store: AccountStore, person: Person) =>
  (await readInvitationPage(store, person, { limit: 50 })).invitations;

/** Role and status of each member, by id. */
export const membershipStatesIn = async ({ store }: Pick<TestGateway, 'store'>, accountId: string) =>
  Object.fromEntries(
    (await Array.fromAsync(listMembers(store, accountId))).map(({ memberId, role, status }: StoredMember) => [
      memberId,
      `${status} ${role}`,
    ]),
  );

/** The audit events of an account, oldest first; of one action, if it is given. */
export const auditOf = async ({ store }: Pick<TestGateway, 'store'>, accountId: string, action?: string) =>
  (await Array.fromAsync(listAudit(store, accountId))).filter((event) => (action ?? event.action) === event.action);

/** All items of a partition of the Gateway table. */
export const itemsOf = ({ store }: Pick<TestGateway, 'store'>, pk: string) => partition(store, pk);

/** What an existing person has used of their limits: all items of it. */
export async function usedLimitsOf({ store }: Pick<TestGateway, 'store'>, userId: string) {
  const identityHash = (await readItem<StoredUser>(store, accountItemKey.user(userId)))?.identityHash ?? '';
  return itemsOf({ store }, accountItemKey.remainder(await usedBy(store, { identityHash })).pk);
}

/** The results of several attempts at once, and the codes of the refusals. */
export async function outcomes<T>(attempts: readonly Promise<T>[]): Promise<{ done: T[]; refused: string[] }> {
  const settled = await Promise.allSettled(attempts);
  return {
    done: settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : [])),
    refused: settled.flatMap((result) =>
      result.status === 'rejected' ? [(result.reason as { code?: string }).code ?? String(result.reason)] : [],
    ),
  };
}

/** The same of one attempt, made many times at once. */
export const atOnce = <T>(count: number, attempt: (i: number) => Promise<T>) =>
  outcomes(Array.from({ length: count }, (_, i) => attempt(i)));

/** Removes the counts of an account, as a crash does that comes between their removal and their counting. */
export async function withoutCounts({ store }: Pick<TestGateway, 'store'>, accountId: string): Promise<void> {
  await store.client.send(
    new UpdateCommand({
      TableName: store.tables.gateway,
      Key: itemKey.account(accountId),
      UpdateExpression: 'REMOVE projects, members, activeMembers, owners',
    }),
  );
}

/** Makes the counts of an account wrong, as a restore or an edit by hand may. */
export async function miscounted({ store }: Pick<TestGateway, 'store'>, accountId: string): Promise<void> {
  await store.client.send(
    new UpdateCommand({
      TableName: store.tables.gateway,
      Key: itemKey.account(accountId),
      UpdateExpression: 'ADD projects :one, members :one, activeMembers :one, owners :one',
      ExpressionAttributeValues: { ':one': 1 },
    }),
  );
}

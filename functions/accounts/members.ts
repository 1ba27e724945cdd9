import { isoTime } from '../core/clock.ts';
import { generateMemberId } from '../core/ids.ts';
import { accountItemKey } from './account-items.ts';
import { noSuchAccount } from './accounts.ts';
import { audited, type AuditAction, type AuditEvent } from './audit.ts';
import { commit, ControlPlaneError, create, whileOvertaken, type Change, type ControlPlane } from './control-plane.ts';
import { replaceAttributes } from './edits.ts';
import { itemsFrom, readItem } from '../store/items.ts';
import { itemKey } from '../store/table-items.ts';

/** What a person may do in an account; the portal holds to it, the gateway knows keys only. */
export const MEMBER_ROLES = ['owner', 'member'] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];

/** A person who belongs to an account. */
export interface MemberDetails {
  readonly email: string;
  readonly name: string;
  readonly role: MemberRole;
}

/** A member as stored. */
export interface StoredMember extends MemberDetails {
  readonly memberId: string;
  readonly createdAt: string;
}

/** One change of the members of an account. */
interface MemberChange {
  readonly action: AuditAction;
  readonly memberId: string;
  readonly write: Change;
  readonly audit: Pick<AuditEvent, 'before' | 'after'>;
}

/** Adds a member and returns its id. Throws `ControlPlaneError` for an unknown account, and for an address that is in use. */
export async function addMember(
  plane: ControlPlane,
  accountId: string,
  { email, name, role }: MemberDetails,
): Promise<string> {
  const memberId = generateMemberId(plane.randomBytes);
  await changeMembers(plane, accountId, (members) => {
    const same = members.find((member) => member.email.toLowerCase() === email.toLowerCase());
    if (same) throw new ControlPlaneError(`Member ${same.memberId} has this e-mail address already.`);
    const item = { memberId, email, name, role, createdAt: isoTime(plane.clock.now()) };
    const write = create(plane, { ...accountItemKey.member(accountId, memberId), ...item });
    return { action: 'member.add', memberId, write, audit: { before: null, after: { role } } };
  });
  return memberId;
}

/** Gives a member another role. Throws `ControlPlaneError` for an unknown one, and for the last owner. */
export const updateMember = (
  plane: ControlPlane,
  accountId: string,
  memberId: string,
  role: MemberRole,
): Promise<void> =>
  changeMembers(plane, accountId, (members) => {
    const { role: before } = memberOf(members, accountId, memberId);
    if (before === role) return undefined;
    if (before === 'owner') requireAnotherOwner(members, accountId, memberId);
    const key = accountItemKey.member(accountId, memberId);
    const write = replaceAttributes(plane, {
      key,
      what: `Member ${memberId}`,
      seen: { role: before },
      after: { role },
    });
    return { action: 'member.update', memberId, write, audit: { before: { role: before }, after: { role } } };
  });

/** Removes a member and all that is stored of the person. Throws as {@link updateMember} does. */
export const removeMember = (plane: ControlPlane, accountId: string, memberId: string): Promise<void> =>
  changeMembers(plane, accountId, (members) => {
    const { role } = memberOf(members, accountId, memberId);
    if (role === 'owner') requireAnotherOwner(members, accountId, memberId);
    const write = {
      write: { Delete: { TableName: plane.tables.gateway, Key: accountItemKey.member(accountId, memberId) } },
    };
    return { action: 'member.remove', memberId, write, audit: { before: { role }, after: null } };
  });

/** The members of an account, in the order of their ids, read page by page as they are taken. */
export async function* listMembers(plane: ControlPlane, accountId: string): AsyncGenerator<StoredMember> {
  for await (const { pk, sk, ...member } of itemsFrom(plane, accountItemKey.member(accountId, ''))) {
    yield member as unknown as StoredMember;
  }
}

/**
 * Makes one change that was decided by all members. Every change counts up the account's `membersRevision` from what it
 * was before the members were read: of two at once one is decided again, so that two owners cannot remove each other.
 */
const changeMembers = (
  plane: ControlPlane,
  accountId: string,
  decide: (members: readonly StoredMember[]) => MemberChange | undefined,
): Promise<void> =>
  whileOvertaken(plane, async () => {
    const key = itemKey.account(accountId);
    const account = await readItem<{ membersRevision?: number }>(plane, key);
    if (!account) throw new ControlPlaneError(noSuchAccount(accountId));
    const change = decide(await Array.fromAsync(listMembers(plane, accountId)));
    if (!change) return;
    const { action, memberId, write, audit } = change;
    const { membersRevision } = account;
    const revision = replaceAttributes(plane, {
      key,
      what: `The team of account ${accountId}`,
      seen: { membersRevision },
      after: { membersRevision: (membersRevision ?? 0) + 1 },
    });
    await commit(plane, [revision, write, await audited(plane, action, { accountId, memberId }, audit)]);
  });

function memberOf(members: readonly StoredMember[], accountId: string, memberId: string): StoredMember {
  const member = members.find((candidate) => candidate.memberId === memberId);
  if (!member) throw new ControlPlaneError(`There is no member ${memberId} in account ${accountId}.`);
  return member;
}

function requireAnotherOwner(members: readonly StoredMember[], accountId: string, memberId: string): void {
  if (members.some((member) => member.role === 'owner' && member.memberId !== memberId)) return;
  throw new ControlPlaneError(`Member ${memberId} is the last owner of account ${accountId}; make another one first.`);
}

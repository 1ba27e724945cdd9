import { answer, Refused, recordChange, type Answer } from './answers.ts';
import type { Asked } from './commands.ts';
import { OPERATOR } from './operator.ts';
import { forget } from './people.ts';
import { endOf, isLastOwner, leave, take } from './teams.ts';
import { folded, type Invitation, type World } from './world.ts';

/**
 * Deletes what is stored under an address, and the one person who signs in with it or is known by it in an account.
 * What they did stays in the audit. Refused as a whole while they are the last owner of an open account.
 */
export function operatorDeletesPerson(world: World, { email = '' }: Asked): Answer {
  const address = folded(email);
  const has = (stored: string | null | undefined): boolean => folded(stored ?? '') === address;
  const members = () => world.accounts.flatMap((account) => account.members.map((member) => ({ account, member })));
  const known = new Set(members().flatMap(({ member }) => (has(member.email) ? (member.userId ?? []) : [])));
  const people = world.people.filter((person) => has(person.email) || known.has(person.userId));
  if (people.length > 1) throw new Refused('INVALID_REQUEST');
  const [person] = people;
  const isTheirs = (userId: string | undefined): boolean => userId !== undefined && userId === person?.userId;
  const own = members().filter(({ member }) => isTheirs(member.userId) || has(member.email));
  const isOrphaned = own.some(
    ({ account, member }) =>
      account.closedAtMs === undefined && member.userId !== undefined && isLastOwner(account, member),
  );
  if (isOrphaned) throw new Refused('LAST_OWNER');

  for (const { account, member } of own) {
    const end = endOf(member, false);
    if (account.closedAtMs === undefined) take(world, account, member, OPERATOR, end);
    else leave(world, account, member, OPERATOR, end);
  }
  const withoutName = <T extends Invitation>(invitation: T): T => {
    const { inviterId, ...others } = invitation;
    return isTheirs(inviterId) ? ({ ...others, invitedBy: 'an owner' } as T) : invitation;
  };
  for (const { member } of members()) member.invitation &&= withoutName(member.invitation);
  const isClosed = (id: string): boolean =>
    world.accounts.some(({ accountId, closedAtMs }) => accountId === id && closedAtMs !== undefined);
  world.listings = world.listings
    .map(withoutName)
    .filter((listing) => listing.address !== address || !isClosed(listing.accountId));
  for (const account of world.accounts.filter((one) => has(one.email))) {
    account.email = null;
    const change = { before: { email: 'changed' }, after: { email: 'changed' } };
    recordChange(world, account, OPERATOR, 'account.update', change);
  }
  if (person) forget(world, person);
  return answer(200);
}

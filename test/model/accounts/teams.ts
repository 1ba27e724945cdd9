import {
  actorOf,
  answer,
  asMember,
  count,
  found,
  madeBefore,
  openAccount,
  Refused,
  requireName,
  requireOwner,
  signedIn,
  sortable,
  recordChange,
  type Answer,
  type Seen,
} from './answers.ts';
import type { Asked } from './commands.ts';
import {
  activeOwners,
  byId,
  dayOf,
  folded,
  INVITATION_MS,
  iso,
  isInvitationAlive,
  LIMITS,
  openProjects,
  type Account,
  type Invitation,
  type Member,
  type World,
} from './world.ts';

const idIn = (seen: Answer, name: string): string => (seen.body as Record<string, string> | undefined)?.[name] ?? '';
const statusOf = ({ userId }: Member): string => (userId === undefined ? 'invited' : 'active');
const CHANGED = { name: 'changed' };

export function createAccount(world: World, asked: Asked, seen: Seen): Answer {
  const { person } = signedIn(world, asked);
  requireName(asked);
  count(world, person, 'CHANGES');
  const { id, remember } = madeBefore(world, person, asked, { name: asked.name.kept }, 'account');
  if (id !== undefined) return answer(201, { accountId: id });
  if (person.accountsCreated >= LIMITS.accountsPerPerson) throw new Refused('LIMIT_REACHED');
  const accountId = idIn(seen, 'accountId');
  const { userId, name, email = null } = person;
  person.accountsCreated++;
  const { memberId = '' } = seen;
  const member: Member = {
    ...{ memberId, email, name, role: 'owner', userId, createdAtMs: world.nowMs, invitation: undefined },
  };
  const account: Account = {
    ...{ accountId, name: asked.name.kept ?? '', email, createdAtMs: world.nowMs },
    ...{ closedAtMs: undefined, counts: undefined, members: [member], audit: [] },
  };
  world.accounts.push(account);
  recordChange(world, account, actorOf(person), 'account.create', { memberId, before: null, after: { role: 'owner' } });
  remember(accountId);
  return answer(201, { accountId });
}

export function renameAccount(world: World, asked: Asked): Answer {
  const { person, account, member } = asMember(world, asked);
  requireOwner(member);
  count(world, person, 'CHANGES');
  const { accountId } = account;
  const name = asked.name.kept ?? '';
  if (name !== account.name) {
    recordChange(world, account, actorOf(person), 'account.update', { before: CHANGED, after: CHANGED });
    account.name = name;
  }
  return answer(200, { accountId, name, role: 'owner' });
}

export function closeAccount(world: World, asked: Asked): Answer {
  const { person, account, member } = asMember(world, asked);
  requireOwner(member);
  count(world, person, 'CHANGES');
  close(world, account, actorOf(person));
  return answer(204);
}

export function close(world: World, account: Account, actor: string): void {
  const projects = openProjects(world, account).sort(byId((p) => p.projectId));
  account.counts = countsOf(world, account);
  for (const project of projects) project.status = 'closed';
  for (const member of account.members) member.invitation = undefined;
  account.closedAtMs = world.nowMs;
  const before = { status: 'open', projects: projects.map(({ projectId }) => projectId) };
  recordChange(world, account, actor, 'account.close', { before, after: { status: 'closed' } });
}

export const countsOf = (world: World, account: Account): Record<string, number> => ({
  projects: openProjects(world, account).length,
  members: account.members.length,
  activeMembers: account.members.filter(({ userId }) => userId !== undefined).length,
  owners: activeOwners(account).length,
});

const view = (member: Member) => ({
  memberId: member.memberId,
  email: member.email,
  name: member.name ?? null,
  role: member.role,
  status: statusOf(member),
  createdAt: iso(member.createdAtMs),
});

export function listMembers(world: World, asked: Asked): Answer {
  const { account } = asMember(world, asked);
  const members = account.members.toSorted(byId((m) => m.memberId));
  // No mail goes out: nothing reads the table's stream here.
  return answer(200, { members: members.map((member) => ({ ...view(member), mail: null })) });
}

export function invite(world: World, asked: Asked, seen: Answer): Answer {
  const { person, account, member } = asMember(world, asked);
  requireOwner(member);
  count(world, person, 'CHANGES');
  const { email, role } = asked;
  const { id, remember } = madeBefore(world, person, asked, { email, role }, 'member', account.accountId);
  // This holds whatever the state of the member is.
  if (id !== undefined) return answer(201, { memberId: id });
  const same = memberWith(account, asked.email);
  if (same) requireReplaceable(same, world.nowMs);
  if (!same && account.members.length >= LIMITS.membersPerAccount) throw new Refused('LIMIT_REACHED');
  // It also counts after it was withdrawn or declined, so that nobody can bury the invitations of others.
  const name = `${dayOf(world.nowMs)} ${person.subject} ${folded(email ?? '')}`;
  const before = world.invited[name] ?? 0;
  if (before >= LIMITS.invitationsPerAddress) throw new Refused('LIMIT_REACHED');
  world.invited[name] = before + 1;
  const memberId = idIn(seen, 'memberId');
  const inviter = {
    invitedBy: member.name ?? member.email ?? 'an owner',
    invitedByKind: 'person' as const,
    inviterId: person.userId,
  };
  add(world, account, asked, memberId, inviter, actorOf(person));
  remember(memberId);
  return answer(201, { memberId });
}

export const memberWith = ({ members }: Account, address: string | undefined): Member | undefined =>
  members.find(({ email }) => email !== null && folded(email) === folded(address ?? ''));

export function requireReplaceable(same: Member, nowMs: number): void {
  if (same.userId !== undefined || isInvitationAlive(same, nowMs)) throw new Refused('ALREADY_MEMBER');
}

/** Invites an address. The invitation replaces an expired one. */
export function add(
  world: World,
  account: Account,
  { email = '', role }: Asked,
  memberId: string,
  inviter: Pick<Invitation, 'invitedBy' | 'invitedByKind' | 'inviterId'>,
  actor: string,
): void {
  const expired = memberWith(account, email);
  // An expired invitation stays stored until the table deletes it.
  if (expired) leave(world, account, expired, actor, 'member.withdraw');
  const { accountId } = account;
  const invitation = { address: folded(email), ...inviter, expiresAtMs: world.nowMs + INVITATION_MS };
  account.members.push({
    ...{ memberId, email, name: undefined, role, userId: undefined, createdAtMs: world.nowMs },
    invitation,
  });
  world.listings.push({ accountId, memberId, ...invitation });
  recordChange(world, account, actor, 'member.add', { memberId, before: null, after: { role, status: 'invited' } });
}

/** Removes a member or withdraws an invitation, with its audit event. */
export function take(world: World, account: Account, member: Member, actor: string, action: string): void {
  unlist(world, member);
  leave(world, account, member, actor, action);
}

function unlist(world: World, { memberId }: Member): void {
  world.listings = world.listings.filter((listing) => listing.memberId !== memberId);
}

export function leave(world: World, account: Account, member: Member, actor: string, action: string): void {
  const { memberId, role } = member;
  recordChange(world, account, actor, action, {
    memberId,
    ...who(member),
    before: { role, status: statusOf(member) },
    after: null,
  });
  account.members = account.members.filter((other) => other !== member);
}

export function changeRole(world: World, asked: Asked): Answer {
  const { person, account, member } = asMember(world, asked);
  const changed = found(account.members.find(({ memberId }) => memberId === asked.memberId));
  requireOwner(member);
  count(world, person, 'CHANGES');
  const { role: before } = changed;
  if (before !== asked.role) {
    if (isLastOwner(account, changed)) throw new Refused('LAST_OWNER');
    changed.role = asked.role;
    const change = {
      memberId: changed.memberId,
      ...who(changed),
      before: { role: before },
      after: { role: asked.role },
    };
    recordChange(world, account, actorOf(person), 'member.update', change);
  }
  return answer(200, view(changed));
}

export function remove(world: World, asked: Asked): Answer {
  const { person, account, member } = asMember(world, asked);
  const removed = found(account.members.find(({ memberId }) => memberId === asked.memberId));
  if (removed !== member) requireOwner(member);
  count(world, person, 'CHANGES');
  if (isLastOwner(account, removed)) throw new Refused('LAST_OWNER');
  take(world, account, removed, actorOf(person), endOf(removed, removed === member));
  return answer(204);
}

/** What the end of a membership is told as. */
export const endOf = ({ userId }: Member, isBySelf: boolean): string =>
  userId === undefined ? 'member.withdraw' : isBySelf ? 'member.leave' : 'member.remove';

/** The person of a member, by id alone. */
const who = ({ userId }: Member): { userId?: string } => (userId === undefined ? {} : { userId });

export const isLastOwner = (account: Account, member: Member): boolean =>
  activeOwners(account).every((owner) => owner === member) && activeOwners(account).length > 0;

/** The valid invitation to the person's verified address. */
function invitationOf(world: World, asked: Asked) {
  const { person } = signedIn(world, asked);
  const account = openAccount(world, asked.accountId);
  const { email, verified } = person;
  const invited = account?.members.find(
    (member) =>
      verified && isInvitationAlive(member, world.nowMs) && member.invitation?.address === folded(email ?? ''),
  );
  const member = account?.members.find(({ userId }) => userId === person.userId);
  return { person, account: found(account), invited, member };
}

export function accept(world: World, asked: Asked): Answer {
  const { person, account, invited, member } = invitationOf(world, asked);
  const joining = found(invited ?? member);
  count(world, person, 'CHANGES');
  const { accountId, name } = account;
  const { role, memberId } = joining;
  if (invited) {
    if (member) throw new Refused('ALREADY_MEMBER');
    person.accountsJoined++;
    unlist(world, invited);
    const { userId, email = null } = person;
    Object.assign(invited, { userId, email, name: person.name ?? invited.name, invitation: undefined });
    const change = { memberId, before: { status: 'invited' }, after: { status: 'active' } };
    recordChange(world, account, actorOf(person), 'member.join', change);
  }
  return answer(200, { accountId, name, role });
}

export function decline(world: World, asked: Asked): Answer {
  const { person, account, invited } = invitationOf(world, asked);
  const declined = found(invited);
  count(world, person, 'CHANGES');
  take(world, account, declined, actorOf(person), 'member.decline');
  return answer(204);
}

/** The audit for owners, in one page. */
export function readAudit(world: World, asked: Asked): Answer {
  const { person, account, member } = asMember(world, asked);
  try {
    count(world, person, 'READS');
  } finally {
    // A person who is no owner is refused first. The read counts all the same.
    requireOwner(member);
  }
  // Who is no member any more is named as long as they have a profile.
  const namesOf = (userId: string | undefined) => {
    const known = account.members.find((other) => other.userId !== undefined && other.userId === userId);
    const gone = world.people.find((other) => other.userId === userId);
    const { name, email } = known ?? { name: gone?.name, email: gone?.verified ? (gone.email ?? null) : null };
    return { known, name: name ?? email, email };
  };
  const events = account.audit.map(({ actor, userId, ...event }) => {
    const isPerson = actor.startsWith('user:');
    const author = namesOf(isPerson ? actor.slice('user:'.length) : undefined);
    const isBySelf = ['account.create', 'member.join', 'member.leave'].includes(event.action);
    const present = account.members.find(({ memberId }) => memberId === event.memberId);
    const subject = present
      ? { name: present.name ?? present.email, email: present.email }
      : namesOf(isBySelf ? actor.slice('user:'.length) : userId);
    const isOfMember = event.memberId !== undefined;
    return {
      ...{ projectId: null, keyId: null, memberId: null, endpointId: null, ...event },
      actor: isPerson ? (author.name ?? (author.known ? 'a member' : 'former member')) : 'operator',
      actorEmail: author.email ?? null,
      actorKind: author.known ? 'member' : isPerson ? 'former' : 'operator',
      actorId: author.known?.memberId ?? null,
      memberName: isOfMember ? (subject.name ?? null) : null,
      memberEmail: isOfMember ? (subject.email ?? null) : null,
    };
  });
  return answer(200, { events: inOneOrder(events), cursor: null });
}

/** Events of one moment have no order. */
export const inOneOrder = <T extends { readonly at: string }>(events: readonly T[]): T[] =>
  events.toSorted((a, b) => (a.at === b.at ? (sortable(a) < sortable(b) ? -1 : 1) : a.at < b.at ? 1 : -1));

import {
  actorOf,
  answer,
  count,
  endOf,
  found,
  NO_ATTEMPT_COOKIE,
  NO_SESSION_COOKIE,
  Refused,
  sessionCookie,
  signedIn,
  recordChange,
  type Answer,
} from './answers.ts';
import type { Asked } from './commands.ts';
import {
  activeOwners,
  byId,
  folded,
  holds,
  iso,
  isInvitationAlive,
  LIMITS,
  REMAINDER_MS,
  type Person,
  type World,
} from './world.ts';

/** The session token that an answer sets; empty: none. */
const tokenIn = ({ cookies }: Answer): string =>
  cookies.map((line) => /^__Host-Http-session=([^;]+);/.exec(line)?.[1]).find((token) => token !== undefined) ?? '';

/** Signs in the person that the provider names. The earlier session of the browser ends. */
export function signIn(world: World, { browser, subject, email, verified, personName }: Asked, seen: Answer): Answer {
  try {
    count(world, { subject }, 'SIGN-INS');
  } catch {
    return { ...answer(303), location: '/?signIn=failed&reason=tooOften' };
  }
  const token = tokenIn(seen);
  const profile = { email, verified: email !== undefined && verified === true, name: personName };
  let person = world.people.find((known) => known.subject === subject);
  if (person) Object.assign(person, profile, { signedInAtMs: world.nowMs });
  else {
    const { accountsCreated = 0, untilMs = 0 } = world.remainders[subject] ?? {};
    world.remainders[subject] = undefined;
    person = {
      ...{ userId: token.split('.')[0] ?? '', subject, ...profile },
      ...{ createdAtMs: world.nowMs, signedInAtMs: world.nowMs, sessionsSinceMs: undefined },
      ...{ accountsCreated: world.nowMs < untilMs ? accountsCreated : 0, accountsJoined: 0 },
    };
    world.people.push(person);
  }
  const { userId, sessionsSinceMs } = person;
  if (token.split('.')[0] !== userId) throw new Error('a session of somebody else');
  world.sessions = world.sessions.filter((session) => session.token !== world.cookies[browser]);
  const times = { createdAtMs: world.nowMs, lastSeenAtMs: world.nowMs, sessionsSinceMs };
  world.sessions.push({ userId, token, sessionId: undefined, ...times });
  world.cookies[browser] = token;
  return { ...answer(303, undefined, [sessionCookie(token), NO_ATTEMPT_COOKIE].sort()), location: '/' };
}

export function signOut(world: World, asked: Asked): Answer {
  const { person, session } = signedIn(world, asked);
  if (asked.everywhere) person.sessionsSinceMs = nextSince(world, person);
  else world.sessions = world.sessions.filter((other) => other !== session);
  world.cookies[asked.browser] = '';
  return answer(200, { location: 'https://provider.example.com/end' }, [NO_SESSION_COOKIE]);
}

/** The id is never one that existed before. */
export const nextSince = ({ nowMs }: World, { sessionsSinceMs }: { readonly sessionsSinceMs: number | undefined }) =>
  Math.max(nowMs, (sessionsSinceMs ?? -1) + 1);

export function listSessions(world: World, asked: Asked, seen: Answer): Answer {
  const before = world.sessions.find(({ token }) => token === world.cookies[asked.browser])?.lastSeenAtMs ?? 0;
  const { person, session: current } = signedIn(world, asked);
  const shown = ((seen.body as { sessions?: { sessionId: string; lastSeen: string; current: boolean }[] }).sessions ??
    []) as readonly { sessionId: string; lastSeen: string; current: boolean }[];
  // The list is read while the time of this request is recorded.
  const isLate = shown.find((session) => session.current)?.lastSeen === iso(before);
  const own = world.sessions
    .filter((session) => session.userId === person.userId && holds(world, session))
    .map((session) => ({ session, lastSeenMs: session === current && isLate ? before : session.lastSeenAtMs }))
    .sort((a, b) => b.lastSeenMs - a.lastSeenMs || b.session.createdAtMs - a.session.createdAtMs);
  for (const [i, { session }] of own.entries()) session.sessionId ??= shown[i]?.sessionId;
  const sessions = own.map(({ session, lastSeenMs }) => ({
    sessionId: session.sessionId,
    createdAt: iso(session.createdAtMs),
    lastSeen: iso(lastSeenMs),
    expiresAt: iso(endOf(session)),
    browser: 'Another browser',
    current: session === current,
  }));
  return answer(200, { sessions });
}

export function endSession(world: World, asked: Asked): Answer {
  const { person, session: current } = signedIn(world, asked);
  const ended = found(
    world.sessions.find(
      (session) => session.sessionId === asked.sessionId && session.userId === person.userId && holds(world, session),
    ),
  );
  count(world, person, 'CHANGES');
  world.sessions = world.sessions.filter((session) => session !== ended);
  if (ended !== current) return answer(204);
  world.cookies[asked.browser] = '';
  return answer(204, undefined, [NO_SESSION_COOKIE]);
}

/** The signed-in person with their memberships and invitations. */
export function readSession(world: World, asked: Asked): Answer {
  const { person } = signedIn(world, asked);
  const { userId, email, name, verified } = person;
  const open = world.accounts.filter(({ closedAtMs }) => closedAtMs === undefined).sort(byId((a) => a.accountId));
  const accounts = open.flatMap((account) =>
    account.members
      .filter((member) => member.userId === userId)
      .map(({ memberId, role }) => ({ accountId: account.accountId, memberId, name: account.name, role })),
  );
  const newestFirst = open
    .flatMap((account) => account.members.map((member) => ({ account, member })))
    .filter(({ member }) => verified && isInvitationAlive(member, world.nowMs))
    .filter(({ member }) => member.invitation?.address === folded(email ?? ''))
    .sort(({ member: one, account: ofOne }, { member: other, account: ofOther }) => {
      const sooner = (one.invitation?.expiresAtMs ?? 0) - (other.invitation?.expiresAtMs ?? 0);
      return -sooner || (ofOne.accountId < ofOther.accountId ? 1 : -1);
    });
  const invitations = newestFirst.map(
    ({ account: { accountId, name: accountName }, member: { role, invitation } }) => ({
      ...{ accountId, accountName, role, expiresAt: iso(invitation?.expiresAtMs ?? 0) },
      ...{ invitedBy: invitation?.invitedBy, invitedByKind: invitation?.invitedByKind },
    }),
  );
  return answer(200, {
    user: { userId, email: email ?? null, name: name ?? null, emailVerified: verified },
    ...{
      accounts,
      invitations,
      invitationsCursor: null,
      gatewayUrl: 'https://gateway.example.com',
      stage: 'dev',
      hasMail: true,
      supportUrl: null,
      limits: LIMITS,
    },
  });
}

/** Deletes a person with all that is stored of them. Their audit events stay, and their limits stay used. */
export function deleteProfile(world: World, asked: Asked): Answer {
  const { person } = signedIn(world, asked);
  const { userId } = person;
  count(world, person, 'CHANGES');
  const own = world.accounts
    .filter(({ closedAtMs, members }) => closedAtMs === undefined && members.some((m) => m.userId === userId))
    .sort(byId((a) => a.accountId));
  const orphaned = own.filter((account) => activeOwners(account).every((owner) => owner.userId === userId));
  if (orphaned.length > 0) {
    throw new Refused('LAST_OWNER', { accounts: orphaned.map(({ accountId, name }) => ({ accountId, name })) });
  }
  for (const account of own) {
    for (const { memberId, role } of account.members.filter((member) => member.userId === userId)) {
      recordChange(world, account, actorOf(person), 'member.leave', {
        ...{ memberId, userId, before: { role, status: 'active' }, after: null },
      });
    }
    account.members = account.members.filter((member) => member.userId !== userId);
  }
  forget(world, person);
  world.cookies[asked.browser] = '';
  return answer(204, undefined, [NO_SESSION_COOKIE]);
}

/** Takes a person without memberships out of the world. */
export function forget(world: World, person: Person): void {
  const { userId, subject, accountsCreated } = person;
  world.people = world.people.filter((other) => other !== person);
  world.sessions = world.sessions.filter((session) => session.userId !== userId);
  const untilMs = Math.ceil((world.nowMs + REMAINDER_MS) / 1000) * 1000;
  if (accountsCreated > 0) world.remainders[subject] = { accountsCreated, untilMs };
}

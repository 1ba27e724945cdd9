import { BROWSERS, isByPerson, PEOPLE, type Asked, type Command, type End } from './commands.ts';
import {
  ABSOLUTE_MS,
  folded,
  holds,
  IDLE_MS,
  isActive,
  isInvitationAlive,
  minuteOf,
  REISSUE_MS,
  SEEN_MS,
  type Account,
  type World,
} from './world.ts';

/** Ids that nobody has. */
const NOTHING = {
  accountId: `acc_${'x'.repeat(16)}`,
  projectId: 'x'.repeat(12),
  keyId: `key_${'x'.repeat(16)}`,
  memberId: `mem_${'x'.repeat(16)}`,
  sessionId: `ses_${'x'.repeat(16)}`,
} as const;

/** The person of a browser. */
export const userOf = (browser: number): number => (browser % BROWSERS) % PEOPLE;

/**
 * Finds the things for a command: suitable ones if there are any, otherwise any. `tag` separates the people of a
 * sequence from others.
 */
export function resolve(world: World, command: Command, tag: string): Asked {
  const { strange, thing } = command;
  const who = userOf(command.browser);
  const subject = `${tag} ${who}`;
  const own = command.do === 'signIn' && !strange;
  const address = own ? who : command.address;
  // Some providers send none.
  const email = command.do === 'signIn' && address === PEOPLE ? undefined : addressOf(address, command.loud, tag);
  const person = world.people.find((known) => known.subject === subject);
  const isFit = (account: Account): boolean => {
    if (command.do === 'accept' || command.do === 'decline') {
      const invited = folded(person?.email ?? '');
      return account.members.some((m) => isInvitationAlive(m, world.nowMs) && m.invitation?.address === invited);
    }
    const isOpen = account.closedAtMs === undefined;
    return isOpen && (!isByPerson(command.do) || account.members.some(({ userId }) => userId === person?.userId));
  };
  const account = pick(world.accounts, command.account, strange ? undefined : isFit);
  const { accountId = NOTHING.accountId, members = [] } = account ?? {};
  const isOpen = (project: World['projects'][number]): boolean =>
    project.accountId === accountId && project.status !== 'closed';
  const { projectId = NOTHING.projectId } = pick(world.projects, thing, strange ? undefined : isOpen) ?? {};
  const key = pick(world.keys, thing, strange ? undefined : (known) => known.projectId === projectId);
  // A person whose invitation has expired is invited again.
  const late = members.find(({ invitation }) => invitation !== undefined && world.nowMs >= invitation.expiresAtMs);
  const self = members.find(({ userId }) => userId === person?.userId);
  const member = command.do === 'leave' ? self : pick(members, thing);
  const isOwn = ({ userId, sessionId }: World['sessions'][number]): boolean =>
    userId === person?.userId && sessionId !== undefined;
  const session = pick(world.sessions, thing, strange ? undefined : isOwn);
  const isUnseen = strange && key !== undefined && key.unseen.length > 0;
  return {
    ...command,
    ...{ accountId, projectId, subject },
    email: command.do === 'invite' && !strange ? (late?.email ?? email) : email,
    keyId: key?.keyId ?? NOTHING.keyId,
    ends: command.namesPredecessor ? (strange ? NOTHING.keyId : key?.replaces) : undefined,
    key: (isUnseen ? key.unseen[0] : key?.secret) ?? `svc_test_${'x'.repeat(42)}`,
    memberId: member?.memberId ?? NOTHING.memberId,
    sessionId: session?.sessionId ?? NOTHING.sessionId,
  };
}

/** The thing of an index among the suitable ones, or among all if none is suitable. */
function pick<T>(things: readonly T[], index: number, isFit?: (thing: T) => boolean): T | undefined {
  const fitting = isFit ? things.filter(isFit) : things;
  const among = fitting.length > 0 ? fitting : things;
  return among[index % among.length];
}

function addressOf(index: number, loud: boolean, tag: string): string {
  const address = `${['ada', 'bob', 'cem', 'dee'][index] ?? 'nobody'}-${tag}@example.com`;
  return loud ? address.toUpperCase() : address;
}

/** Whether a command needs a session that its browser does not have. */
export function needsSignIn(world: World, { do: action, browser, signedOut }: Command): boolean {
  if (!isByPerson(action) || action === 'signIn' || signedOut) return false;
  const session = world.sessions.find(({ token }) => token === world.cookies[browser]);
  return session === undefined || !holds(world, session);
}

/** The time of the next end of this kind; undefined if there is none. */
export function nextEndMs(world: World, end: End): number | undefined {
  const { nowMs, sessions, accounts, keys } = world;
  const alive = sessions.filter((session) => holds(world, session));
  const ends: Readonly<Record<End, () => (number | undefined)[]>> = {
    minute: () => [(minuteOf(nowMs) + 1) * 60_000],
    seen: () => alive.map(({ lastSeenAtMs }) => lastSeenAtMs + SEEN_MS),
    idle: () => alive.map(({ lastSeenAtMs }) => lastSeenAtMs + IDLE_MS),
    absolute: () => alive.map(({ createdAtMs }) => createdAtMs + ABSOLUTE_MS),
    invitation: () => accounts.flatMap(({ members }) => members.map(({ invitation }) => invitation?.expiresAtMs)),
    key: () => keys.map(({ expiresAtMs }) => expiresAtMs),
    reissue: () => keys.filter((key) => isActive(key, nowMs)).map(({ createdAtMs }) => createdAtMs + REISSUE_MS),
  };
  const later = ends[end]().filter((ms) => ms !== undefined && ms > nowMs) as number[];
  return later.length === 0 ? undefined : Math.min(...later);
}

import { createHash } from 'node:crypto';
import type { Item, Stored } from '../../support/stored/items.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../support/times.ts';
import { BROWSERS, isByPerson, PEOPLE, type Asked, type Command, type End } from './commands.ts';

/** The longest times of a session: without a request, and in all. */
export const IDLE_MS = 2 * HOUR_MS;
export const ABSOLUTE_MS = 3 * HOUR_MS;
/** How exact the time of a session's last request is, and how long a key's creation can be repeated. */
const SEEN_MS = 10 * MINUTE_MS;
const REISSUE_MS = 10 * MINUTE_MS;

/** What is stored, and what only answers tell. */
export interface Known {
  readonly stored: Stored;
  readonly nowMs: number;
  /** API keys by id. */
  readonly keys: ReadonlyMap<string, string>;
  readonly sessionIds: readonly string[];
}

/** Ids that nobody has. */
const NOTHING = {
  accountId: `acc_${'x'.repeat(16)}`,
  projectId: 'x'.repeat(12),
  keyId: `key_${'x'.repeat(16)}`,
  memberId: `mem_${'x'.repeat(16)}`,
  sessionId: `ses_${'x'.repeat(16)}`,
} as const;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The items whose partition and sort key begin so. */
export const itemsAt = ({ items }: Stored, pk: string, sk: string): Item[] =>
  Object.entries(items).flatMap(([name, item]) => (name.startsWith(pk) && name.includes(` ${sk}`) ? [item] : []));

/** The role of a person in an account; undefined: not a member. */
export function roleIn(stored: Stored, subject: string, accountId: string): unknown {
  const member = itemsAt(stored, `ACCOUNT#${accountId}`, 'MEMBER#').find(
    ({ userId, status }) => status === 'active' && userId === userIdOf(stored, subject),
  );
  return stored.items[`ACCOUNT#${accountId} ACCOUNT`]?.status === undefined ? member?.role : undefined;
}

const idOf = (value: unknown): string | undefined => value as string | undefined;

const userIdOf = ({ items }: Stored, subject: string): unknown =>
  items[`IDENTITY#${sha256(`tests\n${subject}`)} IDENTITY`]?.userId;

/**
 * Finds the things for a command: suitable ones if there are any, otherwise any. `tag` separates the people of a
 * sequence from others.
 */
export function resolve({ stored, keys: secrets, sessionIds }: Known, command: Command, tag: string): Asked {
  const { strange, thing } = command;
  const who = (command.browser % BROWSERS) % PEOPLE;
  const subject = `${tag} ${who}`;
  const own = command.do === 'signIn' && !strange;
  const address = own ? who : command.address;
  // Some providers send none.
  const email = command.do === 'signIn' && address === PEOPLE ? undefined : addressOf(address, command.loud, tag);
  const person = stored.items[`USER#${String(userIdOf(stored, subject))} USER`];
  const isFit = ({ accountId, status }: Item): boolean => {
    if (command.do === 'accept' || command.do === 'decline') {
      const hash = sha256(String(person?.email).toLowerCase());
      return `INVITED#${hash} ACCOUNT#${String(accountId)}` in stored.items;
    }
    return (
      status === undefined && (!isByPerson(command.do) || roleIn(stored, subject, String(accountId)) !== undefined)
    );
  };
  const accounts = itemsAt(stored, 'ACCOUNT#', 'ACCOUNT').filter(({ createdAt }) => createdAt !== undefined);
  const account = pick(accounts, command.account, strange ? undefined : isFit);
  const accountId = idOf(account?.accountId) ?? NOTHING.accountId;
  const isOpen = (project: Item): boolean => project.accountId === accountId && project.status !== 'closed';
  const projects = itemsAt(stored, 'PROJECT#', 'PROJECT');
  const projectId = idOf(pick(projects, thing, strange ? undefined : isOpen)?.projectId) ?? NOTHING.projectId;
  const key = pick(itemsAt(stored, 'KEY#', 'KEY'), thing, strange ? undefined : (one) => one.projectId === projectId);
  const members = itemsAt(stored, `ACCOUNT#${accountId}`, 'MEMBER#');
  const self = members.find(({ userId }) => userId !== undefined && userId === person?.userId);
  const member = command.do === 'leave' ? self : pick(members, thing);
  const predecessor = strange ? NOTHING.keyId : idOf(key?.replaces);
  const keyId = idOf(key?.keyId) ?? NOTHING.keyId;
  return {
    ...command,
    accountId,
    projectId,
    keyId,
    subject,
    email,
    ownEmail: addressOf(who, false, tag),
    ends: command.namesPredecessor ? predecessor : undefined,
    key: secrets.get(keyId) ?? `svc_test_${'x'.repeat(42)}`,
    memberId: idOf(member?.memberId) ?? NOTHING.memberId,
    sessionId: sessionIds[thing % sessionIds.length] ?? NOTHING.sessionId,
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

/** The time of the next end of this kind; undefined if there is none. */
export function nextEndMs({ stored, nowMs }: Known, end: End): number | undefined {
  const sessions = itemsAt(stored, 'USER#', 'SESSION#');
  const keys = itemsAt(stored, 'KEY#', 'KEY');
  const ends: Readonly<Record<End, () => unknown[]>> = {
    minute: () => [(Math.floor(nowMs / MINUTE_MS) + 1) * MINUTE_MS],
    seen: () => sessions.map(({ lastSeenAtMs }) => Number(lastSeenAtMs) + SEEN_MS),
    idle: () => sessions.map(({ lastSeenAtMs }) => Number(lastSeenAtMs) + IDLE_MS),
    absolute: () => sessions.map(({ createdAtMs }) => Number(createdAtMs) + ABSOLUTE_MS),
    invitation: () => itemsAt(stored, 'INVITED#', 'ACCOUNT#').map(({ expiresAtMs }) => expiresAtMs),
    key: () => keys.map(({ expiresAtMs }) => expiresAtMs),
    reissue: () => keys.map(({ createdAt }) => Date.parse(String(createdAt)) + REISSUE_MS),
  };
  const later = ends[end]().filter((ms) => Number(ms) > nowMs && Number(ms) < nowMs + 91 * DAY_MS);
  return later.length === 0 ? undefined : Math.min(...later.map(Number));
}

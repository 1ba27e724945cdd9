import { createHash } from 'node:crypto';
import { isoTime } from '../core/clock.ts';
import { generateUserId } from '../core/ids.ts';
import { readItem } from '../store/items.ts';
import { accountItemKey, userItemKey } from './account-items.ts';
import { commit, create, retryWhileStale } from './changes.ts';
import type { Change, AccountStore } from './account-store.ts';
import { StaleError } from './refusals.ts';
import { replaceAttributes } from './conditional-writes.ts';
import { makeRoom, readSessions, type LocatedSession } from './own-sessions.ts';
import {
  newSession,
  type SessionLimits,
  type SessionReference,
  type SessionUser,
  type StoredSession,
} from './sessions.ts';
import type { Person } from './own-accounts.ts';
import { countedSignIn } from './request-rate.ts';
import { takenOver } from './used-limits.ts';
import type { StoredUser } from './users.ts';

/** Who a provider says that someone is. */
export interface Identity extends Person {
  /** Name of the issuer: its address, unless a setting names it otherwise. */
  readonly issuer: string;
  /** The provider's own name of the person, which never goes to another (`sub` of OpenID Connect). */
  readonly subject: string;
}

/** What is to be known of a session besides whose it is. */
export interface SignIn extends Pick<StoredSession, 'browser' | 'idToken'> {
  readonly limits: SessionLimits;
  /** Sign-ins of one person in a minute. */
  readonly perMinute: number;
  /** The session that the same browser had before; it ends. */
  readonly earlier?: SessionReference | undefined;
}

/** A person who has just signed in. */
export interface SignedIn {
  readonly userId: string;
  /** For the session's cookie, and for nothing else. */
  readonly token: string;
}

/**
 * Signs a person in, in one transaction: the person, new or with what the provider says by now; a new session; and the
 * end of the one before, and of those above fifty. Of two first sign-ins at once one makes the person and the other finds it.
 * Throws `TooManyRequestsError` for a person who has signed in as often as they may in this minute: nothing begins or ends.
 */
export const signIn = (store: AccountStore, identity: Identity, { limits, perMinute, earlier, ...details }: SignIn) =>
  retryWhileStale(store, async (): Promise<SignedIn> => {
    const nowMs = store.clock.now();
    const { user, changes, sessions } = await changesOfUser(store, identity, isoTime(nowMs));
    // An item may occur once in a transaction.
    const others = sessions.filter(({ secretHash }) => secretHash !== earlier?.secretHash);
    const { token, item } = newSession(user, details, nowMs, limits, {
      randomBytes: store.randomBytes,
      secrets: await store.keyTagSecrets(),
    });
    await commit(store, [
      // First: who signs in too often is told so, whatever else has changed meanwhile.
      await countedSignIn(store, { userId: user.userId, identityHash: hashOf(identity) }, perMinute),
      ...changes,
      // Under the hash of 210 random bits.
      { ...create(store, { ...item }), proves: true },
      ...(earlier ? [earlier] : []).concat(makeRoom(others)).map((session) => ended(store, session)),
    ]);
    return { userId: user.userId, token };
  });

/** The person that an identity stands for; makes one, who has not signed in yet, where there is none. */
export const findOrMakePerson = (store: AccountStore, identity: Identity): Promise<string> =>
  retryWhileStale(store, async () => {
    const known = await readUserId(store, identity);
    if (known !== undefined) return known;
    const { user, changes } = await newUser(store, identity, isoTime(store.clock.now()));
    await commit(store, changes);
    return user.userId;
  });

/** A person whose session begins, those that there are, and what is to be written of the person. */
interface Signing {
  readonly user: SessionUser;
  readonly sessions: readonly LocatedSession[];
  readonly changes: readonly Change[];
}

async function changesOfUser(store: AccountStore, identity: Identity, now: string): Promise<Signing> {
  const userId = await readUserId(store, identity);
  if (userId === undefined) return newUser(store, identity, now);
  const key = accountItemKey.user(userId);
  // Before the sessions, not beside them: of one that begins from then on another sign-in is noted.
  const { sessionsSince, lastSignIn } = (await readItem<StoredUser>(store, key)) ?? {};
  const sessions = await readSessions(store, userId);
  const { email, emailVerified, name } = identity;
  const after = { email, emailVerified, name, lastSignIn: now, identityHash: hashOf(identity) };
  return {
    user: { userId, sessionsSince },
    sessions,
    // A session under an earlier value would have ended when it begins; and of many at once each makes room for one.
    changes: [replaceAttributes(store, { key, what: `User ${userId}`, seen: { sessionsSince, lastSignIn }, after })],
  };
}

async function newUser(store: AccountStore, identity: Identity, now: string): Promise<Signing> {
  const { email, emailVerified, name } = identity;
  const userId = generateUserId(store.randomBytes);
  const identityHash = hashOf(identity);
  const { accountsCreated, changes } = await takenOver(store, identityHash);
  const user: StoredUser = {
    ...{ userId, email, emailVerified, name, createdAt: now, lastSignIn: now, identityHash },
    ...(accountsCreated > 0 && { accountsCreated }),
  };
  // Someone else may just have made the same person.
  const overtaken = () => new StaleError('This person');
  return {
    user,
    sessions: [],
    changes: [
      create(store, { ...userItemKey.identity(identityHash), userId }, overtaken),
      create(store, { ...accountItemKey.user(userId), ...user }, overtaken),
      ...changes,
    ],
  };
}

const readUserId = async (store: AccountStore, identity: Identity): Promise<string | undefined> =>
  (await readItem<{ userId: string }>(store, userItemKey.identity(hashOf(identity))))?.userId;

const ended = ({ tables }: AccountStore, { userId, secretHash }: SessionReference): Change => ({
  write: { Delete: { TableName: tables.gateway, Key: userItemKey.session(userId, secretHash) } },
});

// No issuer's address holds a line feed, so no two pairs join to the same text.
const hashOf = ({ issuer, subject }: Identity): string =>
  createHash('sha256').update(`${issuer}\n${subject}`).digest('hex');

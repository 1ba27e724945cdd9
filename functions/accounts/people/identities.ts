import { createHash } from 'node:crypto';
import { isoTime } from '../../shared/time.ts';
import { generateId } from '../../shared/ids.ts';
import { readItem } from '../../shared/store/tables.ts';
import { accountItemKey } from '../store/account-items.ts';
import { commit, create, retryWhileStale } from '../store/transact.ts';
import type { Change, AccountStore } from '../store/account-store.ts';
import { StaleError } from '../store/refusals.ts';
import { replaceAttributes } from '../store/writes.ts';
import { makeRoom, readSessions, type LocatedSession } from './own-sessions.ts';
import {
  newSession,
  type SessionLimits,
  type SessionReference,
  type SessionUser,
  type StoredSession,
} from './sessions.ts';
import type { Person } from '../team/own-accounts.ts';
import { countedSignIn } from '../authority/rate.ts';
import { takenOver } from '../authority/used.ts';
import type { StoredUser } from './users.ts';

/** A person as the provider identifies them. */
export interface Identity extends Person {
  /** Name of the issuer: its address, or the name in the settings. */
  readonly issuer: string;
  /** The provider's own id of the person, which is never given to another person (`sub` of OpenID Connect). */
  readonly subject: string;
}

/** The data of a sign-in, without the person. */
export interface SignIn extends Pick<StoredSession, 'browser'> {
  /** For the provider's sign-out. It is stored sealed. Absent: the provider gives none. */
  readonly idToken?: string | undefined;
  readonly limits: SessionLimits;
  /** Sign-ins of one person in a minute. */
  readonly perMinute: number;
  /** The earlier session of the same browser; it ends. */
  readonly earlier?: SessionReference | undefined;
}

/** A person who has just signed in. */
export interface SignedIn {
  readonly userId: string;
  /** For the session's cookie only. */
  readonly token: string;
}

/**
 * Signs a person in, in one transaction. It writes the person, new or with the provider's present data; a new session;
 * and the end of the earlier session and of those above fifty. Of two parallel first sign-ins, one makes the person and
 * the other finds it. Throws `TooManyRequestsError` for a person without sign-ins left in this minute: then nothing
 * begins or ends.
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
      // First in order: this refusal comes before any other.
      ...(await countedSignIn(store, { identityHash: hashOf(identity) }, perMinute)),
      ...changes,
      // Its key is the hash of 210 random bits.
      { ...create(store, { ...item }), provesCommit: true },
      ...(earlier ? [earlier] : []).concat(makeRoom(others)).map((session) => ended(store, session)),
    ]);
    return { userId: user.userId, token };
  });

/** The person of an identity. Makes one who has not signed in yet, if there is none. */
export const findOrMakePerson = (store: AccountStore, identity: Identity): Promise<string> =>
  retryWhileStale(store, async () => {
    const known = await readUserId(store, identity);
    if (known !== undefined) return known;
    const { user, changes } = await newUser(store, identity, isoTime(store.clock.now()));
    await commit(store, changes);
    return user.userId;
  });

/** The person who signs in, the present sessions, and the writes of the person's item. */
interface Signing {
  readonly user: SessionUser;
  readonly sessions: readonly LocatedSession[];
  readonly changes: readonly Change[];
}

async function changesOfUser(store: AccountStore, identity: Identity, now: string): Promise<Signing> {
  const userId = await readUserId(store, identity);
  if (userId === undefined) return newUser(store, identity, now);
  const key = accountItemKey.user(userId);
  // Read before the sessions, and not in parallel: a session that begins later changes `lastSignIn`.
  const { sessionsSince, lastSignIn } = (await readItem<StoredUser>(store, key)) ?? {};
  const sessions = await readSessions(store, userId);
  const { email, emailVerified, name } = identity;
  const after = { email, emailVerified, name, lastSignIn: now, identityHash: hashOf(identity) };
  return {
    user: { userId, sessionsSince },
    sessions,
    // A session under an earlier value would have ended already. Of many parallel sign-ins, each makes room for one.
    changes: [replaceAttributes(store, { key, what: `User ${userId}`, seen: { sessionsSince, lastSignIn }, after })],
  };
}

async function newUser(store: AccountStore, identity: Identity, now: string): Promise<Signing> {
  const { email, emailVerified, name } = identity;
  const userId = generateId('usr', store.randomBytes);
  const identityHash = hashOf(identity);
  const { accountsCreated, changes } = await takenOver(store, identityHash);
  const user: StoredUser = {
    userId,
    email,
    emailVerified,
    name,
    createdAt: now,
    lastSignIn: now,
    identityHash,
    ...(accountsCreated > 0 && { accountsCreated }),
  };
  // A parallel request may have made the same person.
  const stale = () => new StaleError('This person');
  return {
    user,
    sessions: [],
    changes: [
      create(store, { ...accountItemKey.identity(identityHash), userId }, stale),
      create(store, { ...accountItemKey.user(userId), ...user }, stale),
      ...changes,
    ],
  };
}

const readUserId = async (store: AccountStore, identity: Identity): Promise<string | undefined> =>
  (await readItem<{ userId: string }>(store, accountItemKey.identity(hashOf(identity))))?.userId;

const ended = ({ tables }: AccountStore, { userId, secretHash }: SessionReference): Change => ({
  write: { Delete: { TableName: tables.gateway, Key: accountItemKey.session(userId, secretHash) } },
});

// No issuer's address contains a line feed, so no two pairs join to the same text.
const hashOf = ({ issuer, subject }: Identity): string =>
  createHash('sha256').update(`${issuer}\n${subject}`).digest('hex');

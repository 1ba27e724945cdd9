import { createHash } from 'node:crypto';
import type { RandomBytes } from '../../shared/ids.ts';
import { MS_PER_MINUTE, ttlAt } from '../../shared/time.ts';
import { isKeyTag, keyTag, type KeyTagSecrets } from '../../shared/credentials/api-key.ts';
import type { ItemKey } from '../../shared/store/items.ts';
import { type Store } from '../../shared/store/tables.ts';
import { accountItemKey } from '../store/account-items.ts';
import type { StoredUser } from './users.ts';
import { removeItem, updateUnlessStale } from '../store/writes.ts';
import { below } from '../store/expressions.ts';
import { seal, unseal, type SealedAs } from '../store/sealing.ts';

/** A session's secret has 35 random characters (210 bits), and the tag of everything before the tag. */
const RANDOM_LENGTH = 35;
/** Enough bytes for as many characters of base64url. */
const RANDOM_BYTES = 27;
/** The shortest interval between two writes of the time of the last request. */
const SEEN_INTERVAL_MS = 10 * MS_PER_MINUTE;
/** A session's token in the browser: user id and secret. */
const TOKEN = /^(usr_[0-9A-Za-z]{16})\.([0-9A-Za-z_-]{43})$/;

/** How long sessions last. */
export interface SessionLimits {
  /** Without activity. */
  readonly idleMs: number;
  /** In total. */
  readonly absoluteMs: number;
}

/** The key of a session. It cannot be used as the session. */
export interface SessionReference {
  readonly userId: string;
  /** SHA-256 of the secret, hex: the only form in which it is stored. */
  readonly secretHash: string;
}

/** A session as stored. */
export interface StoredSession {
  readonly createdAtMs: number;
  /** Time of a recent request, at most ten minutes late. */
  readonly lastSeenAtMs: number;
  readonly expiresAtMs: number;
  /** The person's `sessionsSince` at the sign-in. */
  readonly sessionsSince?: string | undefined;
  /** Kind of browser, such as `Firefox on Linux`. */
  readonly browser: string;
  /** The hint for the provider's own sign-out, sealed. Absent: the provider gave none, or one that is too long. */
  readonly sealedIdToken?: Uint8Array | undefined;
}

/** A new session: the browser's token, and the stored item. */
export interface NewSession {
  /** For the cookie only. */
  readonly token: string;
  readonly item: ItemKey & StoredSession & { readonly ttl: number };
}

/** The person whose session begins, and the present `sessionsSince`. */
export type SessionUser = Pick<StoredUser, 'userId'> & Pick<StoredSession, 'sessionsSince'>;

/** Makes a session of a person. It exists when its item is stored. Its token is tagged under the newest secret. */
export function newSession(
  user: SessionUser,
  { browser, idToken }: { readonly browser: string; readonly idToken?: string | undefined },
  nowMs: number,
  { absoluteMs }: SessionLimits,
  { randomBytes, secrets }: { readonly randomBytes: RandomBytes; readonly secrets: KeyTagSecrets },
): NewSession {
  const { userId, sessionsSince } = user;
  const random = Buffer.from(randomBytes(RANDOM_BYTES)).toString('base64url').slice(0, RANDOM_LENGTH);
  const secret = random + keyTag(tagged(userId, random), secrets[0]);
  const secretHash = hashOf(secret);
  const expiresAtMs = nowMs + absoluteMs;
  return {
    token: `${userId}.${secret}`,
    item: {
      ...accountItemKey.session(userId, secretHash),
      createdAtMs: nowMs,
      lastSeenAtMs: nowMs,
      expiresAtMs,
      sessionsSince,
      browser,
      sealedIdToken: idToken === undefined ? undefined : sealIdToken(idToken, secretHash, secrets, randomBytes),
      ttl: ttlAt(expiresAtMs),
    },
  };
}

/** The session of a token; undefined: the token has the wrong form. Costs no I/O. */
export function readSessionToken(token: string | undefined): SessionReference | undefined {
  const [, userId, secret] = TOKEN.exec(token ?? '') ?? [];
  return userId === undefined || secret === undefined ? undefined : { userId, secretHash: hashOf(secret) };
}

/**
 * Whether a well-formed token was made under one of these secrets: invented tokens are recognised without I/O. The
 * stored hash authenticates.
 */
export function hasSessionTag(token: string, secrets: KeyTagSecrets): boolean {
  const [userId = '', secret = ''] = token.split('.');
  return isKeyTag(secret.slice(RANDOM_LENGTH), tagged(userId, secret.slice(0, RANDOM_LENGTH)), secrets);
}

/** The text of the tag. API keys are tagged under the same secrets, and begin differently. */
const tagged = (userId: string, random: string): string => `session ${userId}.${random}`;

/** Whether a session is valid. Its expiry is checked here: TTL deletes days later. */
export const isSessionValid = (
  { createdAtMs, lastSeenAtMs, expiresAtMs, sessionsSince }: StoredSession,
  user: Pick<StoredUser, 'sessionsSince'>,
  nowMs: number,
  { idleMs, absoluteMs }: SessionLimits,
): boolean =>
  sessionsSince === user.sessionsSince &&
  nowMs < expiresAtMs &&
  // The settings may have become shorter since.
  nowMs < createdAtMs + absoluteMs &&
  nowMs < lastSeenAtMs + idleMs;

/** Whether this request shall be stored as the session's last one. */
export const isSeenAnew = ({ lastSeenAtMs }: StoredSession, nowMs: number): boolean =>
  nowMs >= lastSeenAtMs + SEEN_INTERVAL_MS;

/** Stores the time of a session's last request. A session that has ended meanwhile is not revived. */
export async function noteSeen(reader: Store, { userId, secretHash }: SessionReference, nowMs: number): Promise<void> {
  await updateUnlessStale(reader, {
    key: accountItemKey.session(userId, secretHash),
    // Without this condition, an update would create a deleted session again. Time never goes back.
    when: { lastSeenAtMs: below(nowMs) },
    set: { lastSeenAtMs: nowMs },
  });
}

/** The hint for the provider's sign-out; undefined: there is none, or it cannot be read any more. */
export const idTokenOf = (
  { sealedIdToken }: StoredSession,
  { secretHash }: SessionReference,
  secrets: KeyTagSecrets,
): string | undefined => sealedIdToken && unsealIdToken(sealedIdToken, secretHash, secrets);

/** Ends a session, from the next request on. An ended session is unchanged. */
export async function endSession(reader: Store, { userId, secretHash }: SessionReference): Promise<void> {
  await removeItem(reader, accountItemKey.session(userId, secretHash));
}

const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');

/** The ID token of a session is personal data. It is bound to its session, and cannot be decrypted in another item. */
const sealedAs = (session: string): SealedAs => ({ label: 'sandbox-gateway: ID token of a session', boundTo: session });

/**
 * The token as it is stored, 28 bytes longer.
 *
 * @param session what it is bound to: the hash of the session's secret
 */
const sealIdToken = (idToken: string, session: string, secrets: KeyTagSecrets, randomBytes: RandomBytes): Uint8Array =>
  seal(idToken, sealedAs(session), secrets, randomBytes);

/** The token in clear; undefined: it was sealed under another secret or for another session, or was changed. */
export const unsealIdToken = (sealed: Uint8Array, session: string, secrets: KeyTagSecrets): string | undefined =>
  unseal(sealed, sealedAs(session), secrets)?.toString();

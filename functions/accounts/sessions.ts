import { createHash } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { RandomBytes } from '../core/ids.ts';
import { MS_PER_MINUTE, MS_PER_SECOND } from '../core/clock.ts';
import { isKeyTag, keyTag, type KeyTagSecrets } from '../core/api-key.ts';
import { available } from '../store/client.ts';
import { callOptions, writeItem, names, type Store, type ItemKey } from '../store/items.ts';
import { userItemKey } from './account-items.ts';
import type { StoredUser } from './users.ts';

/** A session's secret: so many random characters, 210 bits, and the tag of all that is before it. */
const RANDOM_LENGTH = 35;
/** Bytes that are at least as many characters of base64url. */
const RANDOM_BYTES = 27;
/** How often at most the time of the last request is written. */
const SEEN_INTERVAL_MS = 10 * MS_PER_MINUTE;
/** A session's token as a browser holds it: user id and secret. Tokens from before there were tags look alike. */
const TOKEN = /^(usr_[0-9A-Za-z]{16})\.([0-9A-Za-z_-]{43})$/;

/** How long sessions last. */
export interface SessionLimits {
  /** Without a request. */
  readonly idleMs: number;
  /** In all. */
  readonly absoluteMs: number;
}

/** Which session is meant, without what it takes to use it. */
export interface SessionReference {
  readonly userId: string;
  /** SHA-256 of the secret, hex: the only form in which it is stored. */
  readonly secretHash: string;
}

/** A session as stored. */
export interface StoredSession {
  readonly createdAtMs: number;
  /** Time of a recent request, late by ten minutes at most. */
  readonly lastSeenAtMs: number;
  readonly expiresAtMs: number;
  /** The person's `sessionsSince` at the sign-in. */
  readonly sessionsSince?: string | undefined;
  /** Kind of browser, such as `Firefox on Linux`. */
  readonly browser: string;
  /** What the provider wants to be shown at the end of its own session. Absent: it gave none that can be kept. */
  readonly idToken?: string | undefined;
}

/** A new session: what the browser keeps, and what is stored of it. */
export interface NewSession {
  /** For the cookie only. */
  readonly token: string;
  readonly item: ItemKey & StoredSession & { readonly ttl: number };
}

/** Whose session begins, and under which `sessionsSince`. */
export type SessionUser = Pick<StoredUser, 'userId'> & Pick<StoredSession, 'sessionsSince'>;

/** Makes a session of a person, which is one when its item is stored. Its token is tagged under the newest of the secrets. */
export function newSession(
  user: SessionUser,
  { browser, idToken }: Pick<StoredSession, 'browser' | 'idToken'>,
  nowMs: number,
  { absoluteMs }: SessionLimits,
  { randomBytes, secrets }: { readonly randomBytes: RandomBytes; readonly secrets: KeyTagSecrets },
): NewSession {
  const { userId, sessionsSince } = user;
  const random = Buffer.from(randomBytes(RANDOM_BYTES)).toString('base64url').slice(0, RANDOM_LENGTH);
  const secret = random + keyTag(tagged(userId, random), secrets[0]);
  const expiresAtMs = nowMs + absoluteMs;
  return {
    token: `${userId}.${secret}`,
    item: {
      ...userItemKey.session(userId, hashOf(secret)),
      createdAtMs: nowMs,
      lastSeenAtMs: nowMs,
      expiresAtMs,
      sessionsSince,
      browser,
      idToken,
      ttl: Math.ceil(expiresAtMs / MS_PER_SECOND),
    },
  };
}

/** The session that a token stands for; undefined: it has not the form of one. Costs no I/O. */
export function readSessionToken(token: string | undefined): SessionReference | undefined {
  const [, userId, secret] = TOKEN.exec(token ?? '') ?? [];
  return userId === undefined || secret === undefined ? undefined : { userId, secretHash: hashOf(secret) };
}

/**
 * Whether a token of the right form was made under one of these secrets. Any other was never made here, unless before
 * tokens had tags: made-up ones are known without I/O. It is the stored hash that authenticates.
 */
export function hasSessionTag(token: string, secrets: KeyTagSecrets): boolean {
  const [userId = '', secret = ''] = token.split('.');
  return isKeyTag(secret.slice(RANDOM_LENGTH), tagged(userId, secret.slice(0, RANDOM_LENGTH)), secrets);
}

/** What the tag is of. API keys, which are tagged under the same secrets, begin otherwise. */
const tagged = (userId: string, random: string): string => `session ${userId}.${random}`;

/** Whether a session still holds. Its expiry is checked here: the table's TTL deletes days late. */
export const isAlive = (
  { createdAtMs, lastSeenAtMs, expiresAtMs, sessionsSince }: StoredSession,
  user: Pick<StoredUser, 'sessionsSince'>,
  nowMs: number,
  { idleMs, absoluteMs }: SessionLimits,
): boolean =>
  sessionsSince === user.sessionsSince &&
  nowMs < expiresAtMs &&
  // The settings may have been made shorter since.
  nowMs < createdAtMs + absoluteMs &&
  nowMs < lastSeenAtMs + idleMs;

/** Whether a request now is to be noted as the session's last. */
export const isSeenAnew = ({ lastSeenAtMs }: StoredSession, nowMs: number): boolean =>
  nowMs >= lastSeenAtMs + SEEN_INTERVAL_MS;

/** Notes the time of a session's last request. One that has ended meanwhile stays so. */
export async function noteSeen(reader: Store, { userId, secretHash }: SessionReference, nowMs: number): Promise<void> {
  const command = new UpdateCommand({
    TableName: reader.tables.gateway,
    Key: userItemKey.session(userId, secretHash),
    UpdateExpression: 'SET #lastSeenAtMs = :now',
    // An update would revive a session that was just deleted; and time does not go back.
    ConditionExpression: '#lastSeenAtMs < :now',
    ExpressionAttributeNames: names('lastSeenAtMs'),
    ExpressionAttributeValues: { ':now': nowMs },
  });
  await available(reader.client.send(command, callOptions(reader))).catch((error: unknown) => {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  });
}

/** Ends a session, from the next request on; one that has ended already stays so. */
export async function endSession(reader: Store, { userId, secretHash }: SessionReference): Promise<void> {
  const Key = userItemKey.session(userId, secretHash);
  const command = new DeleteCommand({ TableName: reader.tables.gateway, Key });
  await writeItem(reader, () => reader.client.send(command, callOptions(reader)));
}

const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');

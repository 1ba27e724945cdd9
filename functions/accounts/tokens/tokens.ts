import { lastFour } from '../../shared/credentials/api-key.ts';
import type { TokenScope } from '../../shared/choices.ts';
import { isoTime, MS_PER_DAY, MS_PER_MINUTE, MS_PER_SECOND, ttlAt } from '../../shared/time.ts';
import { allFulfilled } from '../../shared/fulfilled.ts';
import { generateId } from '../../shared/ids.ts';
import { generateToken, hashToken } from '../../shared/credentials/management-token.ts';
import type { ItemKey } from '../../shared/store/items.ts';
import { queryOf, readBatches, readItem, readPage } from '../../shared/store/tables.ts';
import { accountItemKey } from '../store/account-items.ts';
import type { AccountStore, Caller, StoredItem } from '../store/account-store.ts';
import { audited, auditValues } from '../authority/audit.ts';
import { edit } from '../authority/edit.ts';
import { changeAs, maySeeAccount } from '../authority/authority.ts';
import { create } from '../store/transact.ts';
import { counted, countedDay } from '../store/counters.ts';
import { deleteItem, replaceAttributes, updateUnlessStale } from '../store/writes.ts';
import { creationOf, markedBy, orRepeated, repeatOf, unlessRepeated } from '../store/idempotency.ts';
import { requireOpenProject, readProject } from '../projects/stored-projects.ts';
import { notesEnd } from '../store/expiring.ts';
import { absentOr, below, present } from '../store/expressions.ts';
import { limitReached, notFound, RefusedError, StaleError } from '../store/refusals.ts';
import { moveCounts } from '../team/account-counts.ts';
import { entersActive, freeSlot, leavesActive, MAX_ACTIVE_TOKENS, readActive } from './active-tokens.ts';
import type { TokenState } from '../authority/token-check.ts';

/** How long an ended token is kept. For this time lists show it, and its refusal says why. */
const KEPT_AFTER_END_MS = 90 * MS_PER_DAY;
/** How long a creation can be repeated. */
const REISSUED_FOR_MS = 10 * MS_PER_MINUTE;
/** The shortest interval between two writes of the time of the last use. */
const USED_INTERVAL_MS = 10 * MS_PER_MINUTE;
/** The most tokens that are made in an account in one UTC day. */
const MADE_PER_DAY = 30;
const noRoom = (): RefusedError =>
  limitReached(`There are ${MAX_ACTIVE_TOKENS} active tokens in the account, which is the limit.`, 'Revoke one first.');
const allMade = (): RefusedError =>
  limitReached(
    `${MADE_PER_DAY} tokens were made in the account today, revoked ones included, which is the limit.`,
    'Make the next one tomorrow (UTC).',
  );
/** The most ended tokens of a list. */
const MOST_LISTED = 90;

/** The attributes of a new token, which never change. */
export interface TokenDetails {
  readonly name: string;
  readonly scopes: readonly TokenScope[];
  readonly lifetimeMs: number;
  /** Undefined: every project of the account. */
  readonly projectId?: string | undefined;
}

/** A management token as stored: everything except the token itself. */
export interface StoredToken extends TokenState {
  readonly accountId: string;
  readonly tokenId: string;
  readonly name: string;
  readonly scopes: readonly TokenScope[];
  readonly lastFour: string;
  readonly createdAt: string;
  /** The member id of the owner who made it. It may outlive the member. */
  readonly createdBy?: string | undefined;
  readonly revokedAt?: string | undefined;
  /** Its place among the account's active ones, below 10; absent: it was made before there were places. */
  readonly slot?: number | undefined;
  /** Time of a recent use, at most ten minutes late. Absent: it was not used. */
  readonly usedAtMs?: number | undefined;
  /** In epoch seconds: the table deletes it some time after its end. */
  readonly ttl: number;
}

/** A token that was just created. */
export interface NewToken {
  readonly tokenId: string;
  /** The whole token. It is shown once and never stored. */
  readonly token: string;
  readonly expiresAt: string;
}

/**
 * Creates a token. People need the role owner. A repeat under one Idempotency-Key within ten minutes gives the same
 * token id another secret, unless the first one was used. Throws `RefusedError` for an unknown account or project,
 * beyond the most active tokens, and beyond those that may be made in a day.
 */
export async function createToken(
  store: AccountStore,
  accountId: string,
  details: TokenDetails,
  idempotencyKey?: string,
): Promise<NewToken> {
  const { name, scopes, lifetimeMs, projectId } = details;
  const asked = await creationOf(store, ['token', accountId], details, idempotencyKey);
  const tokenId = generateId('tok', asked.ids);
  const creation = changeAs(store, 'owner', async () => {
    const [active, { token, hash }] = await allFulfilled([
      readActive(store, accountId),
      newSecret(store, accountId),
      projectId === undefined ? Promise.resolve() : readProject(store, projectId),
    ]);
    const nowMs = store.clock.now();
    const expiresAtMs = nowMs + lifetimeMs;
    const referenceKey = accountItemKey.tokenReference(accountId, tokenId);
    const slot = freeSlot(active ?? {}, nowMs);
    if (slot === undefined) {
      const made = await readItem<StoredItem>(store, referenceKey);
      throw made ? repeatOf(asked, made) : noRoom();
    }
    const stored: StoredToken = {
      accountId,
      tokenId,
      name,
      scopes,
      status: 'active',
      expiresAtMs,
      slot,
      ...(projectId !== undefined && { projectId }),
      lastFour: lastFour(token),
      createdAt: isoTime(nowMs),
      ttl: ttlAfter(expiresAtMs),
      createdBy: store.caller?.membership?.memberId,
    };
    const subject = { accountId, ...(projectId !== undefined && { projectId }), tokenId };
    const { ttl, createdAt } = stored;
    const reference = { ...referenceKey, tokenId, tokenHash: hash, ttl };
    const { day, endEpochSeconds } = countedDay(nowMs);
    const made = { key: accountItemKey.tokensMade(accountId, day), limit: MADE_PER_DAY, endEpochSeconds };
    const after = auditValues({ name, scopes: new Set(scopes), projectId, expiresAtMs, status: 'active' });
    const changes = [
      create(store, { ...reference, ...markedBy(asked) }, unlessRepeated(asked)),
      moveCounts(store, accountId, { by: {} }),
      ...(projectId === undefined ? [] : [requireOpenProject(store, projectId)]),
      entersActive(store, accountId, active, { [tokenId]: { hash, name, createdAt, expiresAtMs, slot } }),
      counted(store, made, allMade),
      create(store, { ...accountItemKey.token(hash), ...stored }),
      notesEnd(store, { accountId, id: tokenId, expiresAtMs }),
      await audited(store, 'token.create', subject, { before: null, after }),
    ];
    return { result: { tokenId, token, expiresAt: isoTime(expiresAtMs) }, changes };
  });
  return orRepeated(creation, () => reissueToken(store, accountId, tokenId));
}

/**
 * Answers the repeat of a creation whose answer was lost, with another token in place of the unseen one. Throws
 * `RefusedError` when that was used or revoked, or is older than ten minutes.
 */
const reissueToken = (store: AccountStore, accountId: string, tokenId: string): Promise<NewToken> =>
  changeAs(store, 'owner', async () => {
    const [active, { pk, sk, ...old }] = await allFulfilled([
      readActive(store, accountId),
      readToken(store, accountId, tokenId),
    ]);
    const { status, usedAtMs, createdAt, expiresAtMs, name, slot } = old;
    const isUnseen = status === 'active' && usedAtMs === undefined;
    if (!isUnseen || store.clock.now() >= Date.parse(createdAt) + REISSUED_FOR_MS) {
      throw new RefusedError(`Token ${tokenId} was created already, and cannot be shown again.`, {
        code: 'CHANGED_MEANWHILE',
      });
    }
    const { token, hash } = await newSecret(store, accountId);
    const what = `Token ${tokenId}`;
    const changes = [
      deleteItem(store, { key: { pk, sk }, what, seen: { status, usedAtMs } }),
      create(store, { ...accountItemKey.token(hash), ...old, lastFour: lastFour(token) }),
      replaceAttributes(store, {
        key: accountItemKey.tokenReference(accountId, tokenId),
        what,
        seen: {},
        after: { tokenHash: hash },
      }),
      entersActive(store, accountId, active, { [tokenId]: { hash, name, createdAt, expiresAtMs, slot } }),
      await audited(store, 'token.reissue', { accountId, tokenId }, { before: {}, after: {} }),
    ];
    return { result: { tokenId, token, expiresAt: isoTime(expiresAtMs) }, changes };
  });

/** Revokes a token; its next request is refused, and no change of it lands any more. People need the role owner. */
export const revokeToken = (store: AccountStore, accountId: string, tokenId: string): Promise<StoredToken> =>
  edit<StoredToken & ItemKey>(store, {
    key: () => findToken(store, accountId, tokenId),
    what: `Token ${tokenId}`,
    absent: () => new StaleError(`Token ${tokenId}`),
    authority: 'owner',
    action: 'token.revoke',
    subject: () => ({ accountId, tokenId }),
    decide: ({ status }) => (status === 'revoked' ? {} : { status: 'revoked', revokedAt: isoTime(store.clock.now()) }),
    dependsOn: ['status'],
    derives: ({ expiresAtMs }) => ({ ttl: ttlAfter(Math.min(expiresAtMs, store.clock.now())) }),
    alsoWrites: ({ expiresAtMs }) => [
      leavesActive(store, accountId, tokenId),
      replaceAttributes(store, {
        key: accountItemKey.tokenReference(accountId, tokenId),
        what: `Token ${tokenId}`,
        seen: {},
        after: { ttl: ttlAfter(Math.min(expiresAtMs, store.clock.now())) },
      }),
    ],
  });

/** The tokens of an account, the newest first: all that are active, and some that ended in the last 90 days. */
export async function listTokens(store: AccountStore, accountId: string): Promise<StoredToken[]> {
  const { pk, sk } = accountItemKey.tokenReference(accountId, '');
  const [active, page] = await allFulfilled([
    readActive(store, accountId),
    readPage<{ tokenHash: string }>(store, {
      ...queryOf(store.tables.gateway, pk, { prefix: sk }),
      Limit: MOST_LISTED,
    }),
  ]);
  const ofActive = Object.values(active ?? {}).map(({ hash }) => hash);
  const hashes = new Set([...ofActive, ...page.map(({ tokenHash }) => tokenHash)]);
  const tokens = await readBatches<StoredToken>(store, [...hashes].map(accountItemKey.token));
  return tokens
    .filter((token) => token !== undefined)
    .filter(({ ttl }) => store.clock.now() < ttl * MS_PER_SECOND)
    .toSorted((one, other) => (one.createdAt < other.createdAt ? 1 : -1));
}

/** One token. Throws `RefusedError` when it does not exist, or not for the caller. */
export async function readToken(
  store: AccountStore,
  accountId: string,
  tokenId: string,
): Promise<StoredToken & ItemKey> {
  const token = await readItem<StoredToken & ItemKey>(store, await findToken(store, accountId, tokenId));
  if (!token) throw new StaleError(`Token ${tokenId}`);
  return token;
}

/** A token whose time of deletion has passed does not exist any more, whether it is deleted or not. */
async function findToken(store: AccountStore, accountId: string, tokenId: string): Promise<ItemKey> {
  const reference = maySeeAccount(store, accountId)
    ? await readItem<{ tokenHash: string; ttl: number }>(store, accountItemKey.tokenReference(accountId, tokenId))
    : undefined;
  if (!reference || store.clock.now() >= reference.ttl * MS_PER_SECOND)
    throw notFound(`There is no token ${tokenId} in account ${accountId}.`);
  return accountItemKey.token(reference.tokenHash);
}

async function newSecret({ keyTagSecrets, randomBytes }: AccountStore, accountId: string) {
  const token = generateToken(accountId, await keyTagSecrets(), randomBytes);
  return { token, hash: hashToken(token) };
}

const ttlAfter = (endMs: number): number => ttlAt(endMs + KEPT_AFTER_END_MS);

/**
 * How a token's requests are counted: in the part of its place, which the next token there inherits. A token without a
 * place, from before there were any, has a part of its own.
 */
export const countedAs = ({ accountId, tokenId, slot }: StoredToken): NonNullable<Caller['countedAs']> => ({
  accountId,
  part: slot === undefined ? tokenId : `slot${slot}`,
});

/** Whether a use shall be stored as the token's last one. */
export const isUsedAnew = ({ usedAtMs = -Infinity }: StoredToken, nowMs: number): boolean =>
  nowMs >= usedAtMs + USED_INTERVAL_MS;

/** Stores the time of a token's last use. Time never goes back, and a deleted token is not revived. */
export async function noteUsed(store: AccountStore, hash: string, nowMs: number): Promise<void> {
  await updateUnlessStale(store, {
    key: accountItemKey.token(hash),
    when: { pk: present, usedAtMs: absentOr(below(nowMs)) },
    set: { usedAtMs: nowMs },
  });
}

/** A token for display: never the token itself, nor its hash. */
export const tokenView = (token: StoredToken, nowMs: number) => ({
  tokenId: token.tokenId,
  name: token.name,
  scopes: [...token.scopes],
  projectId: token.projectId ?? null,
  lastFour: token.lastFour,
  status: token.status === 'active' && nowMs >= token.expiresAtMs ? ('expired' as const) : token.status,
  createdAt: token.createdAt,
  createdBy: token.createdBy ?? null,
  expiresAt: isoTime(token.expiresAtMs),
  revokedAt: token.revokedAt ?? null,
  lastUsed: token.usedAtMs === undefined ? null : isoTime(token.usedAtMs),
});

import { createHash } from 'node:crypto';
import { foldedAddress } from '../../shared/address.ts';
import { inAccount, inProject, type ItemKey } from '../../shared/store/items.ts';

/** The sort keys of audit events begin with it. */
export const AUDIT_PREFIX = 'AUDIT#';

/** The partition of the invitations to an address. No key of the table contains an address. */
export const invitationPartition = (email: string): string =>
  `INVITED#${createHash('sha256').update(foldedAddress(email)).digest('hex')}`;

/**
 * The keys of items that only people use (docs/architecture.md, "Data model"). They are separate from `itemKey`, which
 * is in the metered function's bundle.
 */
export const accountItemKey = {
  member: (accountId: string, memberId: string): ItemKey => inAccount(accountId, `MEMBER#${memberId}`),
  /** Exists if the invitation was made under an Idempotency-Key. It stays after the member is deleted. */
  invited: (accountId: string, memberId: string): ItemKey => inAccount(accountId, `INVITED#${memberId}`),
  /** The number of projects that its members have made in a period of the quota. */
  projectsMade: (accountId: string, periodId: string): ItemKey => inAccount(accountId, `MADE#${periodId}`),
  /** How many of its keys reports have ended in a minute. */
  reported: (accountId: string, minute: string): ItemKey => inAccount(accountId, `REPORTED#${minute}`),
  /** By `<time>#<id>`, in the order of time. The id distinguishes events of one millisecond. */
  audit: (accountId: string, position: string): ItemKey => inAccount(accountId, `${AUDIT_PREFIX}${position}`),
  /** A key in its project's list, by its position. */
  keyListing: (accountId: string, projectId: string, position: string): ItemKey =>
    inAccount(accountId, `KEY#${projectId}#${position}`),
  /** The active keys of a project. */
  activeKeys: (projectId: string): ItemKey => inProject(projectId, 'KEYS'),
  /** In its own partition, as keys: forged tokens cannot heat that of an account. */
  token: (tokenHash: string): ItemKey => ({ pk: `TOKEN#${tokenHash}`, sk: 'TOKEN' }),
  /** From a token's public id to its item. */
  tokenReference: (accountId: string, tokenId: string): ItemKey => inAccount(accountId, `TOKEN#${tokenId}`),
  /** The active tokens of an account. */
  activeTokens: (accountId: string): ItemKey => inAccount(accountId, 'TOKENS'),
  user: (userId: string): ItemKey => ofUser(userId, 'USER'),
  /** By the hash of the provider's id of the person, never by an address, which can change hands. */
  identity: (identityHash: string): ItemKey => ({ pk: `IDENTITY#${identityHash}`, sk: 'IDENTITY' }),
  /** By the hash of the session's secret: with the content of the table nobody can use a session. */
  session: (userId: string, secretHash: string): ItemKey => ofUser(userId, `SESSION#${secretHash}`),
  /** The membership pointer: it exists exactly while the person is an active member of the account. */
  membership: (userId: string, accountId: string): ItemKey => ofUser(userId, `ACCOUNT#${accountId}`),
  /** The counts of a person (for the id see `usedBy`), or of the tokens of an account (by its id), in one minute. */
  minute: (usedBy: string, kind: 'CHANGES' | 'READS' | 'SIGN-INS', minute: string): ItemKey =>
    inUse(usedBy, `${kind}#${minute}`),
  /** How many tokens were made in an account in one day. */
  tokensMade: (accountId: string, day: string): ItemKey => inUse(accountId, `TOKENS#${day}`),
  /** What remains of a deleted person. */
  remainder: (usedBy: string): ItemKey => inUse(usedBy, 'REMAINDER'),
  /** An invitation, found by its address. */
  invitation: (email: string, accountId: string): ItemKey => ({
    pk: invitationPartition(email),
    sk: `ACCOUNT#${accountId}`,
  }),
  /**
   * The same invitation in the list of its address, by `<end>#<account id>`. It sorts after those by account, so one
   * query reads both.
   */
  invitationListing: (email: string, position: string): ItemKey => ({
    pk: invitationPartition(email),
    sk: `UNTIL#${position}`,
  }),
  /** How often a person has invited an address in one day. For the key see `countedInvitation`. */
  invitedInDay: (usedBy: string, day: string, address: string): ItemKey => inUse(usedBy, `INVITED#${day}#${address}`),
} as const;

const ofUser = (userId: string, sk: string): ItemKey => ({ pk: `USER#${userId}`, sk });
const inUse = (usedBy: string, sk: string): ItemKey => ({ pk: `USED#${usedBy}`, sk });

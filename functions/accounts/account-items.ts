import { createHash } from 'node:crypto';
import type { ItemKey } from '../store/items.ts';

/**
 * The keys of items that only people use (docs/architecture.md, "Data model"). They are separate from `itemKey`, which
 * is in the metered function's bundle.
 */
export const accountItemKey = {
  member: (accountId: string, memberId: string): ItemKey => ({ pk: `ACCOUNT#${accountId}`, sk: `MEMBER#${memberId}` }),
  /** Exists if the invitation was made under an Idempotency-Key; it stays when the member is gone. */
  invited: (accountId: string, memberId: string): ItemKey => ({
    pk: `ACCOUNT#${accountId}`,
    sk: `INVITED#${memberId}`,
  }),
  /** The number of projects that its members have made in a period of the quota. */
  projectsMade: (accountId: string, periodId: string): ItemKey => ({
    pk: `ACCOUNT#${accountId}`,
    sk: `MADE#${periodId}`,
  }),
  /** By `<time>#<id>`, in the order of time. The id distinguishes events of one millisecond. */
  audit: (accountId: string, position: string): ItemKey => ({ pk: `ACCOUNT#${accountId}`, sk: `AUDIT#${position}` }),
  /** A key in its project's list, by its position. */
  keyListing: (accountId: string, projectId: string, position: string): ItemKey => ({
    pk: `ACCOUNT#${accountId}`,
    sk: `KEY#${projectId}#${position}`,
  }),
  /** The active keys of a project. */
  activeKeys: (projectId: string): ItemKey => ({ pk: `PROJECT#${projectId}`, sk: 'KEYS' }),
  user: (userId: string): ItemKey => ({ pk: `USER#${userId}`, sk: 'USER' }),
  /** The membership pointer: it exists exactly while the person is an active member of the account. */
  membership: (userId: string, accountId: string): ItemKey => ({ pk: `USER#${userId}`, sk: `ACCOUNT#${accountId}` }),
  /** A person's counts in one minute; for the id see `usedBy`. */
  minute: (usedBy: string, kind: 'CHANGES' | 'READS' | 'SIGN-INS', minute: string): ItemKey => ({
    pk: `USED#${usedBy}`,
    sk: `${kind}#${minute}`,
  }),
  /** What remains of a deleted person. */
  remainder: (usedBy: string): ItemKey => ({ pk: `USED#${usedBy}`, sk: 'REMAINDER' }),
  /** An invitation, found by its address. No key of the table contains an address. */
  invitation: (email: string, accountId: string): ItemKey => ({
    pk: `INVITED#${createHash('sha256').update(foldedAddress(email)).digest('hex')}`,
    sk: `ACCOUNT#${accountId}`,
  }),
} as const;

/** An address in the form for comparisons: only A to Z are folded to a to z. */
export const foldedAddress = (email: string): string => email.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

/** The keys of a person's identities and sessions, in addition to `accountItemKey`. */
export const userItemKey = {
  /** By the hash of the provider's id of the person, never by an address, which can change hands. */
  identity: (identityHash: string): ItemKey => ({ pk: `IDENTITY#${identityHash}`, sk: 'IDENTITY' }),
  /** By the hash of the session's secret: with the content of the table nobody can use a session. */
  session: (userId: string, secretHash: string): ItemKey => ({ pk: `USER#${userId}`, sk: `SESSION#${secretHash}` }),
} as const;

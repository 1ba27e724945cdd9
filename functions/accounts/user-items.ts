import type { ItemKey } from '../store/table-items.ts';

/** Where a person's identities and sessions are, beside what `accountItemKey` names. */
export const userItemKey = {
  /** By what the provider says of a person, hashed: never by an address, which can change hands. */
  identity: (identityHash: string): ItemKey => ({ pk: `IDENTITY#${identityHash}`, sk: 'IDENTITY' }),
  /** By the hash of the session's secret: whoever reads the table can use no session. */
  session: (userId: string, secretHash: string): ItemKey => ({ pk: `USER#${userId}`, sk: `SESSION#${secretHash}` }),
} as const;

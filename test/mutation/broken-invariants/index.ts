import { ACCOUNTS } from './accounts.ts';
import { EVASIONS } from './evasions.ts';
import { INVITED } from './invitations.ts';
import type { Invariant } from './invariant.ts';
import { LEDGER } from './ledger.ts';
import { PEOPLE } from './people.ts';
import { PORTAL } from './portal.ts';
import { REQUESTS } from './requests.ts';
import { USAGE } from './usage.ts';
import { VERIFICATION } from './verification.ts';

/**
 * Every condition that holds a promise is dropped, and every shortcut that would break one is taken. A condition is
 * dropped by adding what is always true: DynamoDB refuses an expression that leaves a name or a value unused.
 */
export const INVARIANTS: readonly Invariant[] = [
  ...REQUESTS,
  ...LEDGER,
  ...VERIFICATION,
  ...ACCOUNTS,
  ...PEOPLE,
  ...INVITED,
  ...PORTAL,
  ...EVASIONS,
  ...USAGE,
];

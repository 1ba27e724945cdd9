import { ACCOUNTS } from './accounts.ts';
import { EVASIONS } from './evasions.ts';
import { INVITED } from './invitations.ts';
import { listed, type Invariant } from './invariant.ts';
import { LEDGER } from './ledger.ts';
import { NOTICES } from './notices.ts';
import { PEOPLE } from './people.ts';
import { PORTAL } from './portal.ts';
import { SIMULATIONS } from './simulations.ts';
import { REQUESTS } from './requests.ts';
import { USAGE } from './usage.ts';
import { VERIFICATION } from './verification.ts';

/**
 * Each entry removes a condition that holds a promise, or adds a shortcut that breaks one. A condition is
 * removed by adding an alternative that is always true, since DynamoDB refuses unused names and values.
 */
export const INVARIANTS: readonly Invariant[] = [
  ...[REQUESTS, SIMULATIONS, LEDGER, VERIFICATION, ACCOUNTS, PEOPLE, INVITED, NOTICES, PORTAL, EVASIONS, USAGE],
].flatMap(listed);

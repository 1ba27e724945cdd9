import type { AccessRequirement } from './admission.ts';
import { SANDBOX_MODE, SANDBOX_SCOPE } from './api-key.ts';

/** A metered operation: where it is, and what it asks of a key. */
export interface Operation {
  /** Name in usage events and logs. */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly requires: AccessRequirement;
}

/** The access that every sandbox operation asks for (specification, section 5). */
export const SANDBOX_ACCESS: AccessRequirement = { mode: SANDBOX_MODE, scope: SANDBOX_SCOPE };

import { expectLimitFields } from '../../bin/smoke/limit-fields.ts';
import { mismatches, portalValidator } from '../../local/openapi/validation.ts';
import type { Mismatch, ReceivedResponse } from '../../local/openapi/validation.ts';

/**
 * Throws when a response is not as `openapi.yaml` documents it, with all differences, and when its fields about limits
 * contradict each other.
 */
export function assertDocumented(method: string, path: string, response: ReceivedResponse): void {
  assertNone(`${method} ${path} → ${response.status} is not as openapi.yaml says`, mismatches(method, path, response));
  expectLimitFields(response);
}

/** The same for the portal's function, by `portal/openapi.yaml`. */
export function assertPortalDocumented(method: string, path: string, response: ReceivedResponse): void {
  const found = portalValidator().mismatches(method, path, response);
  assertNone(`${method} ${path} → ${response.status} is not as portal/openapi.yaml says`, found);
}

function assertNone(what: string, found: readonly Mismatch[]): void {
  if (found.length === 0) return;
  const lines = found.map(
    ({ subject, expected, actual }) => `${subject}: expected ${expected}, got ${JSON.stringify(actual)}`,
  );
  throw new Error(`${what}: ${lines.join('; ')}`);
}

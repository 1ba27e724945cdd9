import { expectLimitFields } from '../../bin/smoke/limit-fields.ts';
import { PORTAL_PREFIXES } from '../../functions/shared/names.ts';
import { manageValidator, mismatches, portalValidator } from '../../local/openapi/validation.ts';
import type { Mismatch, ReceivedResponse } from '../../local/openapi/validation.ts';

/**
 * Throws when a response is not as `openapi.yaml` documents it, with all differences, and when its fields about limits
 * contradict each other.
 */
export function assertDocumented(method: string, path: string, response: ReceivedResponse): void {
  assertNone(`${method} ${path} → ${response.status} is not as openapi.yaml says`, mismatches(method, path, response));
  expectLimitFields(response);
}

/** The same for the portal's function, by `portal/openapi.yaml`, or `portal/manage.yaml` for programs. */
export function assertPortalDocumented(method: string, path: string, response: ReceivedResponse): void {
  const isManage = path.startsWith(PORTAL_PREFIXES.manage);
  const found = (isManage ? manageValidator() : portalValidator()).mismatches(method, path, response);
  const document = isManage ? 'portal/manage.yaml' : 'portal/openapi.yaml';
  assertNone(`${method} ${path} → ${response.status} is not as ${document} says`, found);
}

function assertNone(what: string, found: readonly Mismatch[]): void {
  if (found.length === 0) return;
  const lines = found.map(
    ({ subject, expected, actual }) => `${subject}: expected ${expected}, got ${JSON.stringify(actual)}`,
  );
  throw new Error(`${what}: ${lines.join('; ')}`);
}

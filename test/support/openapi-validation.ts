import { expectLimitFields } from '../../bin/smoke/limit-fields.ts';
import { portalDocument } from '../../local/openapi/document.ts';
import { mismatches, validatorOf } from '../../local/openapi/validation.ts';
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
  portal ??= validatorOf(portalDocument());
  const found = portal.mismatches(method, path, response);
  assertNone(`${method} ${path} → ${response.status} is not as portal/openapi.yaml says`, found);
}
let portal: ReturnType<typeof validatorOf> | undefined;

function assertNone(what: string, found: readonly Mismatch[]): void {
  if (found.length === 0) return;
  const lines = found.map(
    ({ subject, expected, actual }) => `${subject}: expected ${expected}, got ${JSON.stringify(actual)}`,
  );
  throw new Error(`${what}: ${lines.join('; ')}`);
}

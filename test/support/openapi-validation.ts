import { PORTAL_PREFIXES } from '../../functions/shared/names.ts';
import { mismatches, type Mismatch, type ReceivedResponse } from '../../local/openapi/validation.ts';
import { inputMismatches, manageMismatches, portalMismatches } from './portal-answers.ts';
import { expectLimitFields } from './limit-fields.ts';

/**
 * Throws when a response is not as `openapi.yaml` documents it, with all differences, and when its fields about limits
 * contradict each other.
 */
export function assertDocumented(method: string, path: string, response: ReceivedResponse): void {
  assertNone(`${method} ${path} → ${response.status} is not as openapi.yaml says`, mismatches(method, path, response));
  expectLimitFields(response);
}

interface SentRequest {
  readonly method?: string;
  readonly path: string;
  readonly query?: string;
  readonly body?: unknown;
}

/** The same for the portal's function, by its contract, or that for programs; and of what it accepts. */
export function assertPortalDocumented(
  { method = 'GET', path, query = '', body }: SentRequest,
  response: ReceivedResponse,
): void {
  const isManage = path.startsWith(PORTAL_PREFIXES.manage);
  const input = { method, path, query, text: typeof body === 'string' ? body : JSON.stringify(body ?? {}) };
  const found = [
    ...(isManage ? manageMismatches : portalMismatches)(method, path, response),
    ...inputMismatches(input, response.status),
  ];
  const contract = isManage ? 'functions/portal/contract/manage.ts' : 'functions/portal/contract';
  assertNone(`${method} ${path} → ${response.status} is not as ${contract} says`, found);
}

function assertNone(what: string, found: readonly Mismatch[]): void {
  if (found.length === 0) return;
  const lines = found.map(
    ({ subject, expected, actual }) => `${subject}: expected ${expected}, got ${JSON.stringify(actual)}`,
  );
  throw new Error(`${what}: ${lines.join('; ')}`);
}

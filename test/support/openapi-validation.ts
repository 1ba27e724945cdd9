import { mismatches, type ReceivedResponse } from '../../local/openapi/validation.ts';

/** Throws when `openapi.yaml` does not document a response to a request, with all in which it is not as documented. */
export function assertDocumented(method: string, path: string, response: ReceivedResponse): void {
  const found = mismatches(method, path, response);
  if (found.length === 0) return;
  const told = found.map(
    ({ subject, expected, actual }) => `${subject}: expected ${expected}, got ${JSON.stringify(actual)}`,
  );
  throw new Error(`${method} ${path} → ${response.status} is not as openapi.yaml says: ${told.join('; ')}`);
}

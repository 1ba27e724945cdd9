import { type Fault, type Spot, spotsOf } from '../fault-cases.ts';
import type { PortalAnswer } from '../portal.ts';
import type { ChangePath } from './paths.ts';

/** A call of a path. */
export interface ChangeSpot extends Spot {
  /** Its position among the calls of the path, from 0 on. */
  readonly index: number;
  /** Whether the path cannot have written anything before this call is answered. */
  readonly isFirstRead: boolean;
}

/** Whether a call of DynamoDB changes something. */
export const isWrite = (operation: string): boolean => /^(Transact|Put|Update|Delete)/.test(operation);

/** The calls of a path as spots. */
export function changeSpotsOf({ calls, behind = [], beside = [] }: ChangePath): ChangeSpot[] {
  const all = [...calls, ...behind];
  const firstWrite = all.findIndex((operation) => isWrite(operation) && !beside.includes(operation));
  return spotsOf(all).map((spot, index) => ({
    ...spot,
    index,
    isFirstRead: index < firstWrite && !isWrite(spot.operation),
  }));
}

/**
 * Whether this call is tried with a fault. A ping meets all faults in each of its calls (test/chain/faults.test.ts);
 * here each kind is tried once, since the same code handles the answers.
 */
export function isTried(
  { name, passes, isConflict, strikes, endsRequest }: Fault,
  path: ChangePath,
  spot: ChangeSpot,
): boolean {
  const { operation, index } = spot;
  // The deadline belongs to the whole request, which goes on beside this call.
  if (!strikes(operation) || (endsRequest && path.beside?.includes(operation))) return false;
  if (isWrite(operation)) return !ANOTHER_FORM.test(name) && !name.endsWith(NO_LIST);
  if (isConflict || passes || ANOTHER_FORM.test(name)) return false;
  // A read of a missing item has an empty answer, too.
  if (name.endsWith(NO_LIST)) return operation !== 'GetItem';
  return !(index % 2 === 0 ? /throttled/ : /in time/).test(name);
}
/** Faults that the SDK, or `available`, handles like another fault that is tried. */
const ANOTHER_FORM = /fails inside|answersHtml|answersOtherTypes|3 times|(not reached|in time).*once/;
/** An answer without the requested data. A write returns no data. */
const NO_LIST = 'answersNothing';

/** The required result of a change when one of its calls fails. */
export interface Expectation {
  /** Whether the response is the same as without the fault. */
  readonly isDone: boolean;
  /** Whether the change was made, completely; else nothing was written. */
  readonly isMade: boolean;
}

export function expectation({ calls, beside }: ChangePath, spot: ChangeSpot, fault: Fault): Expectation {
  const commit = calls.length - 1;
  if (fault.passes || spot.index > commit || beside?.includes(spot.operation)) return { isDone: true, isMade: true };
  return { isDone: false, isMade: spot.index === commit && fault.isApplied };
}

/**
 * The response when the store fails: retry later, with a time; at the end of a sign-in, a redirect to a page of the
 * portal.
 */
export const retryAdvice = ({ operation }: ChangePath) =>
  operation === 'GET /api/sign-in/callback'
    ? { status: 303, location: '/?signIn=failed', cookies: [] }
    : { status: 503, code: 'SERVICE_UNAVAILABLE', retryAfter: '1', cookies: [] };

/** A response, in the form of {@link retryAdvice}. */
export const tellingOf = ({ status, headers, cookies, body }: PortalAnswer) => ({
  status,
  cookies,
  ...(headers.location !== undefined && { location: headers.location }),
  ...(headers['retry-after'] !== undefined && { retryAfter: headers['retry-after'] }),
  ...(status >= 400 && { code: (body as { code: string }).code }),
});

/** The key in the response of a creation. */
export const keyIn = ({ body }: PortalAnswer): string | undefined => (body as { key?: string } | undefined)?.key;

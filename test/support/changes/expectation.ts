import type { Fault, Spot } from '../fault-cases.ts';
import { spotsOf } from '../fault-cases.ts';
import type { PortalAnswer } from '../portal.ts';
import type { ChangePath } from './paths.ts';

/** A call of a path. */
export interface ChangeSpot extends Spot {
  /** Where it stands among the calls of the path, from 0 on. */
  readonly index: number;
  /** Whether nothing of this path can have been written before it is answered. */
  readonly isFirstRead: boolean;
}

const isWrite = (operation: string): boolean => /^(Transact|Put|Update|Delete)/.test(operation);

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
 * Whether a fault is one that this call is tried with. All of them are tried with each call of a ping
 * (test/handlers/faults.test.ts); here each kind once: what is made of an answer is the same code.
 */
export function isTried(
  { name, passes, isConflict, strikes, endsRequest }: Fault,
  path: ChangePath,
  spot: ChangeSpot,
): boolean {
  const { operation, index } = spot;
  // The deadline is that of the whole request, which goes on beside it.
  if (!strikes(operation) || (endsRequest && path.beside?.includes(operation))) return false;
  if (isWrite(operation)) return !ANOTHER_FORM.test(name) && !name.endsWith(NO_LIST);
  if (isConflict || passes || ANOTHER_FORM.test(name)) return false;
  // Of an item that is not there nothing is answered, too.
  if (name.endsWith(NO_LIST)) return operation !== 'GetItem';
  return !(index % 2 === 0 ? /throttled/ : /in time/).test(name);
}
/** What the SDK, or `available`, makes the same of as of another fault that is tried. */
const ANOTHER_FORM = /fails inside|answersHtml|answersOtherTypes|3 times|(not reached|in time).*once/;
/** An answer without what was asked for: of a write nothing is. */
const NO_LIST = 'answersNothing';

/** What must become of a change when a call of it fails. */
export interface Expectation {
  /** Whether it is answered as if nothing had gone wrong. */
  readonly isDone: boolean;
  /** Whether it was made: all of it, or nothing. */
  readonly isMade: boolean;
}

export function expectation({ calls, beside }: ChangePath, spot: ChangeSpot, fault: Fault): Expectation {
  const commit = calls.length - 1;
  if (fault.passes || spot.index > commit || beside?.includes(spot.operation)) return { isDone: true, isMade: true };
  return { isDone: false, isMade: spot.index === commit && fault.isApplied };
}

/** What a person is told when the store fails: to try again, and when; at the end of a sign-in, on a page of the portal. */
export const retryAdvice = ({ operation }: ChangePath) =>
  operation === 'GET /api/sign-in/callback'
    ? { status: 303, location: '/?signIn=failed', cookies: [] }
    : { status: 503, code: 'SERVICE_UNAVAILABLE', retryAfter: '1', cookies: [] };

/** An answer, in the terms of {@link retryAdvice}. */
export const tellingOf = ({ status, headers, cookies, body }: PortalAnswer) => ({
  status,
  cookies,
  ...(headers.location !== undefined && { location: headers.location }),
  ...(headers['retry-after'] !== undefined && { retryAfter: headers['retry-after'] }),
  ...(status >= 400 && { code: (body as { code: string }).code }),
});

/** The key in an answer that creates one. */
export const keyIn = ({ body }: PortalAnswer): string | undefined => (body as { key?: string } | undefined)?.key;

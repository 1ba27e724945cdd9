import type { Problem } from '../../functions/portal/contract/problem.ts';

/** Codes of the contract, and two of the page: no answer came, or one that is not the portal's. */
type Code = Problem['code'] | 'NO_ANSWER' | 'UNEXPECTED_ANSWER';

interface About extends Pick<Problem, 'field' | 'accounts' | 'ends' | 'keptInstead'> {
  readonly requestId?: string;
  readonly retryAfterSeconds?: number;
}

/** A request that did not succeed. Its message is for the reader. */
export class PortalError extends Error {
  readonly code: Code;
  /** The member of the body that is wrong, with `INVALID_REQUEST`. */
  readonly field: string | undefined;
  /** To quote in a report; undefined when the portal did not answer. */
  readonly requestId: string | undefined;
  /** Whole seconds to wait before the same request; undefined when the portal names none. */
  readonly retryAfterSeconds: number | undefined;
  /** The accounts that would be without an owner, with `LAST_OWNER` of one's profile. */
  readonly accounts: NonNullable<Problem['accounts']>;

  /** The key in its grace that a rotation would have to end, with `LIMIT_REACHED` of one. */
  readonly ends: string | undefined;
  /** Refusals that were kept in the minute of a request that was not found: one may stand for it. */
  readonly keptInstead: NonNullable<Problem['keptInstead']>;

  constructor(code: Code, message: string, about: About) {
    super(message);
    this.name = 'PortalError';
    this.code = code;
    this.field = about.field;
    this.requestId = about.requestId;
    this.retryAfterSeconds = about.retryAfterSeconds;
    this.accounts = about.accounts ?? [];
    this.ends = about.ends;
    this.keptInstead = about.keptInstead ?? [];
  }

  /** Whether the request may have been executed nevertheless: its answer does not say. */
  get isOpen(): boolean {
    return ['NO_ANSWER', 'UNEXPECTED_ANSWER', 'INTERNAL_ERROR', 'SERVICE_UNAVAILABLE'].includes(this.code);
  }

  /** Whether the same request may succeed later. */
  get isTransient(): boolean {
    return ['NO_ANSWER', 'UNEXPECTED_ANSWER', 'SERVICE_UNAVAILABLE', 'TOO_MANY_REQUESTS', 'STILL_COUNTING'].includes(
      this.code,
    );
  }
}

/** The error of an answer that is no success. */
export function errorOf(response: Response, body: unknown): PortalError {
  if (!isProblem(body)) {
    return new PortalError(
      'UNEXPECTED_ANSWER',
      `The portal answered with ${response.status}. Try again in a moment.`,
      {},
    );
  }
  const { code, detail, requestId, field, accounts, ends, keptInstead } = body;
  const seconds = Number(response.headers.get('Retry-After') ?? NaN);
  return new PortalError(code, messageOf(code, detail, seconds), {
    requestId,
    ...(field !== undefined && { field }),
    ...(accounts && { accounts }),
    ...(ends !== undefined && { ends }),
    ...(keptInstead && { keptInstead }),
    ...(Number.isFinite(seconds) && { retryAfterSeconds: seconds }),
  });
}

/** The error of a request without an answer: of the network, or the page's timeout. */
export const noAnswer = (): PortalError => new PortalError('NO_ANSWER', 'The portal did not answer. Try again.', {});

function messageOf(code: Problem['code'], detail: string, seconds: number): string {
  switch (code) {
    case 'TOO_MANY_REQUESTS':
      return `The portal's own limit of a minute is reached, not one of your keys. Pages read themselves again; try a change again in ${Math.max(1, seconds || 1)} seconds.`;
    case 'SERVICE_UNAVAILABLE':
      return 'The portal cannot reach its store at this moment. Try again.';
    case 'INTERNAL_ERROR':
      return 'The portal failed at this. Try again, and report it if it happens again.';
    case 'NOT_FOUND':
      return 'This is not there any more, or never was. Perhaps somebody has removed it.';
    case 'CHANGED_MEANWHILE':
      return 'This has been changed meanwhile, perhaps by somebody else. Look at it again before you repeat it.';
    default:
      return detail;
  }
}

const isProblem = (body: unknown): body is Problem =>
  typeof body === 'object' && body !== null && 'code' in body && 'detail' in body && 'requestId' in body;

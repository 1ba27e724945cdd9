import { withoutApiKeys } from '../../functions/shared/rules/credentials/credential-text.ts';
import { errorDefinition, type ErrorCode } from '../../functions/shared/rules/http/errors.ts';
import type { Mismatch, ReceivedResponse } from '../../local/openapi/validation.ts';
import { json } from '../cli/text.ts';

const MAX_CHARACTERS = 120;

/** The key of a request; the project of the second key has no units left. */
export type Caller = 'key' | 'exhaustedKey';

/** The answer to a check's request, with all deviations from its contract. */
export interface Answer extends ReceivedResponse {
  readonly check: string;
  /** Undefined: nobody's key. */
  readonly caller: Caller | undefined;
  readonly mismatches: readonly Mismatch[];
}

/**
 * Ends a check that has a finding: a note on a documented peculiarity, skipped because it is impossible, or failed. The
 * message is one line, without a key.
 */
export class Ending extends Error {
  readonly status: 'note' | 'skip' | 'fail';
  constructor(status: Ending['status'], message: string) {
    super(message);
    this.status = status;
  }
}

/** A deviation from the contract: the expectation in words, and the actual value as JSON. */
export const deviation = (subject: string, expected: string, actual: unknown): Ending =>
  new Ending('fail', `${subject}: expected ${shortened(expected)}, got ${shown(actual)}`);

/** Throws a deviation unless a value is the expected one; undefined: there must be none. */
export function expectValue(subject: string, expected: unknown, actual: unknown): void {
  if (actual !== expected) throw deviation(subject, shown(expected), actual);
}

/** The parts of an answer that can be read without its contract. */
export type Received = Pick<Answer, 'status' | 'headers' | 'body'>;

/** The value of a header; undefined when it is absent. */
export const header = ({ headers }: Pick<Received, 'headers'>, name: string): string | undefined =>
  headers[name.toLowerCase()];

/** As {@link expectValue}, for a header. */
export const expectHeader = (answer: Answer, name: string, expected: string | undefined): void =>
  expectValue(name, expected, header(answer, name));

/** Throws a deviation from the contract in one of these: headers by their names, `body` with all its members. */
export function expectDocumented({ mismatches }: Answer, ...subjects: string[]): void {
  const first = mismatches.find(({ subject }) => subjects.includes(subject.split('.', 1)[0] ?? ''));
  if (first) throw deviation(first.subject, first.expected, first.actual);
}

/** Expects the documented answer of a status, or the problem of a code; returns it as {@link outcomeOf}. */
export function expectAnswer(answer: Answer, expected: number | ErrorCode): string {
  const [status, code] = typeof expected === 'number' ? [expected] : [errorDefinition(expected).status, expected];
  const outcome = `${status} ${code ?? ''}`.trim();
  if (answer.status !== status) throw new Ending('fail', `status: expected ${outcome}, got ${outcomeOf(answer)}`);
  expectDocumented(answer, 'Content-Type');
  if (code !== undefined) expectValue('body.code', code, membersOf(answer).code);
  expectDocumented(answer, 'body');
  return outcome;
}

/** Status and code of an answer: the status alone is not enough. */
export const outcomeOf = (answer: Answer): string => `${answer.status} ${codeOf(answer) ?? ''}`.trim();

/** The `code` of a problem; undefined when there is none. */
export const codeOf = (answer: Pick<Received, 'body'>): string | undefined =>
  /^[A-Z_]{1,40}$/.exec(String(membersOf(answer).code))?.[0];

/** The members of a body that is a JSON object; none of another. */
export const membersOf = ({ body }: Pick<Received, 'body'>): Record<string, unknown> =>
  Object(body) as Record<string, unknown>;

/** A value in one line of bounded length. Keys are removed first: half a key would not be found. */
const shown = (value: unknown): string =>
  value === undefined || value === null ? 'none' : shortened(withoutApiKeys(json(value)));

const shortened = (text: string) => (text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text);

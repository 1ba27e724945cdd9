import { withoutApiKeys } from '../../functions/core/api-key.ts';
import { errorDefinition, type ErrorCode } from '../../functions/core/errors.ts';
import { mismatches } from '../../local/openapi/validation.ts';
import { json } from '../admin/unseen.ts';
import type { Answer } from './http-client.ts';

const MAX_SHOWN_CHARACTERS = 120;

/** The service deviates from its contract. The message is one line, without a key. */
export class Deviation extends Error {}
/** A check could not be made. The message is the reason, in one line. */
export class Skipped extends Error {}

/** The deviation in one line: `expected` as words, and what came instead as JSON, without a key. */
export const deviation = (subject: string, expected: string, actual: unknown): Deviation =>
  new Deviation(`${subject}: expected ${shortened(expected)}, got ${shown(actual)}`);

/** Throws a deviation unless a value is the expected one; undefined: there must be none. */
export function expectValue(subject: string, expected: unknown, actual: unknown): void {
  if (actual !== expected) throw deviation(subject, shown(expected), actual);
}

/** The value of a header; undefined when it is absent. */
export const header = ({ headers }: Answer, name: string): string | undefined => headers[name.toLowerCase()];

/** As {@link expectValue}, of a header. */
export const expectHeader = (answer: Answer, name: string, expected: string | undefined): void =>
  expectValue(name, expected, header(answer, name));

/** Throws what deviates from `openapi.yaml` in one of these: headers by their names, `body` with all of its members. */
export function expectDocumented(answer: Answer, ...subjects: string[]): void {
  const { method, path } = answer.request;
  // Parameters, such as a charset that something in between adds, do not matter.
  const mediaType = header(answer, 'Content-Type')?.split(';', 1)[0]?.trim();
  const headers = { ...answer.headers, ...(mediaType !== undefined && { 'content-type': mediaType }) };
  const first = mismatches(method, path.split('?', 1)[0] ?? '', { ...answer, headers }).find(({ subject }) =>
    subjects.includes(subject.split('.', 1)[0] ?? ''),
  );
  if (first) throw deviation(first.subject, first.expected, first.actual);
}

/** Expects the documented answer of a status, or the problem of a code. */
export function expectAnswer(answer: Answer, expected: number | ErrorCode): void {
  const [status, code] = typeof expected === 'number' ? [expected] : [errorDefinition(expected).status, expected];
  if (answer.status !== status) {
    // With the code: a status alone leaves one wondering.
    const [wanted, got] = [`${status} ${code ?? ''}`, `${answer.status} ${codeOf(answer) ?? ''}`];
    throw new Deviation(`status: expected ${wanted.trim()}, got ${got.trim()}`);
  }
  expectDocumented(answer, 'Content-Type');
  if (code !== undefined) expectValue('body.code', code, membersOf(answer).code);
  expectDocumented(answer, 'body');
}

/** The `code` of a problem; undefined when there is none. */
export function codeOf(answer: Answer): string | undefined {
  const { code } = membersOf(answer);
  return typeof code === 'string' && /^[A-Z_]{1,40}$/.test(code) ? code : undefined;
}

/** The members of a body that is a JSON object; none of another. */
export const membersOf = ({ body }: Answer): Readonly<Record<string, unknown>> =>
  Object(body) as Record<string, unknown>;

/** A value in one line of bounded length. Keys go first: one cut in two would no longer be found. */
const shown = (value: unknown): string =>
  value === undefined || value === null ? 'none' : shortened(withoutApiKeys(json(value)));

const shortened = (text: string): string =>
  text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text;

import { errorDefinition, type ErrorCode } from '../../functions/core/errors.ts';
import { withoutApiKeys } from '../../functions/core/api-key.ts';
import { Deviation } from './check.ts';
import type { Answer } from './http-client.ts';

/** A text that is not known beforehand. */
export interface Pattern {
  readonly words: string;
  readonly matches: RegExp;
}
/** A UUID in its usual form (RFC 9562, section 4). */
export const UUID: Pattern = {
  words: 'a UUID',
  matches: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
};
/** A number without sign or fraction, as headers write it. */
export const WHOLE_NUMBER: Pattern = { words: 'a whole number', matches: /^\d{1,15}$/ };
const SOME_TEXT: Pattern = { words: 'a text', matches: /\S/ };

type Expected = string | number | boolean | Pattern;

const MAX_SHOWN_CHARACTERS = 120;
/** What JSON leaves as it is although a terminal may obey it, or break the line. */
const UNSAFE = /[\u007f-\u009f\u2028\u2029]/g;

/** Throws the {@link Deviation} that says "expected … got …" unless a value is the expected one. */
export function expectValue(what: string, expected: Expected, actual: unknown): void {
  const isAsExpected =
    typeof expected === 'object' ? typeof actual === 'string' && expected.matches.test(actual) : actual === expected;
  if (!isAsExpected) {
    throw deviation(what, typeof expected === 'object' ? expected.words : shown(expected), shown(actual));
  }
}

/** The deviation in one line. Both sides are fit to be shown already. */
export const deviation = (what: string, expected: string, actual: string): Deviation =>
  new Deviation(`${what}: expected ${expected}, got ${actual}`);

/** A value in one line of bounded length, without a key. */
export function shown(value: unknown): string {
  if (value === undefined || value === null) return 'none';
  // Keys first: one cut in two would no longer be found.
  const text = withoutApiKeys(JSON.stringify(value)).replaceAll(UNSAFE, '?');
  return text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text;
}

/** The value of a header; undefined when it is absent. */
export const header = ({ headers }: Answer, name: string): string | undefined => headers.get(name) ?? undefined;

/** Expects a header to have a value. */
export const expectHeader = (answer: Answer, name: string, expected: Expected): void =>
  expectValue(name, expected, header(answer, name));

/** Expects a comma-separated header to have these members, in any order and case. */
export function expectSameMembers(answer: Answer, name: string, members: readonly string[]): void {
  const expected = members.map((member) => member.toLowerCase());
  if (listHeader(answer, name).sort().join() === expected.sort().join()) return;
  throw deviation(name, shown(members.join(', ')), shown(header(answer, name)));
}

/** The members of a comma-separated header, in lower case. */
export const listHeader = (answer: Answer, name: string): string[] =>
  (header(answer, name) ?? '')
    .toLowerCase()
    .split(',')
    .map((member) => member.trim())
    .filter((member) => member !== '');

/** Expects the 200 with exactly these members, and a `requestId`. */
export function expectSuccess(answer: Answer, members: Readonly<Record<string, Expected>>): void {
  expectStatus(answer, 200);
  expectMediaType(answer, 'application/json');
  expectMembers(answer.body, { ...members, requestId: UUID });
}

/** Expects the problem of a code with exactly the members of RFC 9457 and of the gateway. */
export function expectProblem(answer: Answer, code: ErrorCode): void {
  const { status, title } = errorDefinition(code);
  expectStatus(answer, status, code);
  expectMediaType(answer, 'application/problem+json');
  const type = `urn:sandbox-gateway:error:${code.toLowerCase().replaceAll('_', '-')}`;
  expectMembers(answer.body, { code, type, title, status, detail: SOME_TEXT, ok: false, requestId: UUID });
}

/** Expects a status without a body. */
export function expectEmpty(answer: Answer, status: number): void {
  expectStatus(answer, status);
  expectValue('body', '', answer.text);
}

/** The `code` of a problem; undefined when there is none. */
export function codeOf({ body }: Answer): string | undefined {
  const { code } = membersOf(body);
  return typeof code === 'string' && /^[A-Z_]{1,40}$/.test(code) ? code : undefined;
}

/** The members of a JSON object; none when it is no object. */
export const membersOf = (body: unknown): Readonly<Record<string, unknown>> =>
  typeof body === 'object' && body !== null && !Array.isArray(body) ? (body as Record<string, unknown>) : {};

/** Says the code too: a status alone leaves one wondering. */
function expectStatus(answer: Answer, status: number, code?: ErrorCode): void {
  if (answer.status === status) return;
  const withCode = (number: number, name: string | undefined) =>
    name === undefined ? `${number}` : `${number} ${name}`;
  throw deviation('status', withCode(status, code), withCode(answer.status, codeOf(answer)));
}

/** Parameters, such as a charset that something in between adds, do not matter. */
function expectMediaType(answer: Answer, expected: string): void {
  expectValue('Content-Type', expected, header(answer, 'Content-Type')?.split(';', 1)[0]?.trim());
}

function expectMembers(body: unknown, expected: Readonly<Record<string, Expected>>): void {
  const members = membersOf(body);
  for (const [name, value] of Object.entries(expected)) expectValue(`body.${name}`, value, members[name]);
  const unknown = Object.keys(members).find((name) => !Object.hasOwn(expected, name));
  if (unknown !== undefined) throw deviation('body', 'no further member', shown(unknown));
}

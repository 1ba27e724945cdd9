import * as v from 'valibot';
import { CONTRACT } from '../../functions/portal/contract/index.ts';
import { MANAGE_CONTRACT } from '../../functions/portal/contract/manage.ts';
import { ManageProblem, Problem } from '../../functions/portal/contract/problem.ts';
import { RequestId } from '../../functions/portal/contract/ids.ts';
import {
  codesOf,
  Csv,
  CsvPart,
  Empty,
  manageCodesOf,
  partsOf,
  type ManageOperation,
  type PortalOperation,
} from '../../functions/portal/contract/operation.ts';
import { PORTAL_ERRORS, type PortalErrorDefinition } from '../../functions/portal/contract/errors.ts';
import { MANAGE_ERRORS } from '../../functions/portal/contract/manage-errors.ts';
import { PROBLEM, problemType } from '../../functions/shared/http/errors.ts';
import { pathPattern } from '../../local/openapi/path-pattern.ts';
import type { Mismatch, ReceivedResponse } from '../../local/openapi/validation.ts';

/** An operation, and where it is. */
interface Known extends Pick<PortalOperation, 'query' | 'body' | 'answers' | 'setsCookie'> {
  readonly method: string;
  readonly pattern: RegExp;
  readonly codes: readonly string[];
}
/** One of the portal's two APIs. */
interface Api {
  readonly operations: readonly Known[];
  readonly errors: Readonly<Record<string, PortalErrorDefinition>>;
  readonly problem: v.ObjectEntries;
  /** The statuses whose refusals say how to authenticate (RFC 6750). */
  readonly challenges: readonly number[];
}
function known(operation: PortalOperation | ManageOperation, codes: readonly string[]): Known {
  const [method, path] = partsOf(operation);
  return { ...operation, method, pattern: pathPattern(path), codes };
}
const PAGE_API: Api = {
  operations: Object.values<PortalOperation>(CONTRACT).map((operation) => known(operation, codesOf(operation))),
  errors: PORTAL_ERRORS,
  problem: Problem.entries,
  challenges: [],
};
const MANAGE_API: Api = {
  operations: Object.values<ManageOperation>(MANAGE_CONTRACT).map((operation) =>
    known(operation, manageCodesOf(operation)),
  ),
  errors: MANAGE_ERRORS,
  problem: ManageProblem.entries,
  challenges: [401, 403],
};

/** What an answer may be: its body, and its headers without the `Content-Type`. */
interface Expected {
  readonly mediaType?: string;
  readonly body: v.GenericSchema;
  readonly headers: Readonly<Record<string, v.GenericSchema>>;
}

/** All deviations of an answer from the contract between the portal's page and its function, also additional parts. */
export const portalMismatches = (method: string, path: string, received: ReceivedResponse): Mismatch[] =>
  mismatches(PAGE_API, method, path, received);

/** The same of the contract for programs. */
export const manageMismatches = (method: string, path: string, received: ReceivedResponse): Mismatch[] =>
  mismatches(MANAGE_API, method, path, received);

function mismatches(api: Api, method: string, path: string, received: ReceivedResponse): Mismatch[] {
  const { status, headers, body, text } = received;
  const expected = expectedOf(api, method, path, status);
  if (!expected) return [{ subject: 'status', expected: 'a documented one', actual: status }];
  const { 'content-type': mediaType, ...others } = headers;
  const found = deviations('', v.strictObject(expected.headers), asWritten(others, Object.keys(expected.headers)));
  if (mediaType !== expected.mediaType) {
    found.push({ subject: 'Content-Type', expected: JSON.stringify(expected.mediaType ?? null), actual: mediaType });
  }
  // The answer to HEAD has the headers of a body, which the server may remove.
  if (method === 'HEAD' && text === '') return found;
  return [...found, ...deviations('body', expected.body, text === '' ? undefined : body)];
}

/**
 * What the contract of either API does not allow in the input of a request that was answered with success: its route
 * reads it by another schema.
 */
export function inputMismatches(
  { method, path, query, text }: { method: string; path: string; query: string; text: string },
  status: number,
): Mismatch[] {
  const route = [...PAGE_API.operations, ...MANAGE_API.operations].find(
    (one) => one.method === method && one.pattern.test(path),
  );
  if (!route?.answers[status]) return [];
  return [
    ...(route.query ? deviations('query', route.query, Object.fromEntries(new URLSearchParams(query))) : []),
    ...(route.body ? deviations('body', route.body, JSON.parse(text || '{}')) : []),
  ];
}

function expectedOf(api: Api, method: string, path: string, status: number): Expected | undefined {
  const there = api.operations.filter(({ pattern }) => pattern.test(path));
  const route = there.find((one) => one.method === method);
  // Unknown paths and unknown methods have one refusal each.
  if (!route) return refusal(api, there.length === 0 ? ['NOT_FOUND'] : ['METHOD_NOT_ALLOWED'], status);
  const body = route.answers[status];
  if (!body) return refusal(api, route.codes, status);
  const isTable = body === Csv || body === CsvPart;
  return {
    ...(body !== Empty && { mediaType: isTable ? 'text/csv' : 'application/json' }),
    body,
    headers: {
      ...ALWAYS,
      ...(status >= 300 && { Location: v.string() }),
      ...(route.setsCookie === status && { 'Set-Cookie': v.exactOptional(v.string()) }),
      ...(isTable && { 'Content-Disposition': ATTACHMENT }),
      ...(body === CsvPart && { 'X-Next-Cursor': v.exactOptional(v.string()) }),
    },
  };
}

/** A refusal with one of these codes; undefined: none of them has this status. */
function refusal(api: Api, codes: readonly string[], status: number): Expected | undefined {
  const possible = Object.entries(api.errors).filter(
    ([code, error]) => codes.includes(code) && error.status === status,
  );
  if (possible.length === 0) return undefined;
  // The title and the type of a code never change.
  const bodies = possible.map(([code, { title }]) =>
    v.strictObject({
      ...api.problem,
      type: v.literal(problemType(code)),
      title: v.literal(title),
      status: v.literal(status),
      code: v.literal(code),
    }),
  );
  const isRetryable = possible.some(([, { retryable }]) => retryable);
  return {
    mediaType: PROBLEM,
    body: v.variant('code', bodies),
    headers: {
      ...ALWAYS,
      ...(isRetryable && { 'Retry-After': v.pipe(v.string(), v.regex(/^[1-9]\d*$/)) }),
      ...(api.challenges.includes(status) && { 'WWW-Authenticate': v.string() }),
      ...(status === PORTAL_ERRORS.METHOD_NOT_ALLOWED.status && { Allow: METHODS }),
    },
  };
}

const ALWAYS = {
  'X-Service-Request-Id': RequestId,
  'X-Service-Time': v.pipe(v.string(), v.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)),
  'Cache-Control': v.literal('no-store'),
};
const ATTACHMENT = v.pipe(v.string(), v.regex(/^attachment; filename="[0-9A-Za-z._-]+"$/));
const METHODS = v.pipe(v.string(), v.regex(/^(GET|POST|PATCH|DELETE)(, (GET|POST|PATCH|DELETE))*$/));

/** Headers under the names that are written here. */
const asWritten = (headers: ReceivedResponse['headers'], names: readonly string[]): object =>
  Object.fromEntries(
    Object.entries(headers).map(([given, value]) => [
      names.find((name) => name.toLowerCase() === given) ?? given,
      value,
    ]),
  );

const deviations = (whole: string, schema: v.GenericSchema, value: unknown): Mismatch[] =>
  (v.safeParse(schema, value).issues ?? []).map((issue) => ({
    subject: [whole, v.getDotPath(issue)].filter(Boolean).join('.'),
    expected: issue.expected === 'never' ? 'no further member' : (issue.expected ?? issue.message),
    actual: issue.expected === 'never' ? v.getDotPath(issue) : issue.input,
  }));

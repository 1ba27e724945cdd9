import * as v from 'valibot';
import { CONTRACT } from '../../functions/portal/contract/index.ts';
import { Problem } from '../../functions/portal/contract/problem.ts';
import { RequestId } from '../../functions/portal/contract/ids.ts';
import { Csv, CsvPart, Empty, type Route } from '../../functions/portal/contract/route.ts';
import { PORTAL_ERRORS, type PortalErrorCode } from '../../functions/portal/errors.ts';
import { PROBLEM, problemType } from '../../functions/shared/rules/http/problem.ts';
import { pathPattern } from '../../functions/shared/rules/http/path-pattern.ts';
import type { Mismatch, ReceivedResponse } from './validation.ts';

const ROUTES = Object.values<Route>(CONTRACT).map((route) => ({ ...route, pattern: pathPattern(route.path) }));

/** What an answer may be: its body, and its headers without the `Content-Type`. */
interface Expected {
  readonly mediaType?: string;
  readonly body: v.GenericSchema;
  readonly headers: Readonly<Record<string, v.GenericSchema>>;
}

/** All deviations of an answer from the contract between the portal's page and its function, also additional parts. */
export function portalMismatches(method: string, path: string, received: ReceivedResponse): Mismatch[] {
  const { status, headers, body, text } = received;
  const expected = expectedOf(method, path, status);
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

function expectedOf(method: string, path: string, status: number): Expected | undefined {
  const there = ROUTES.filter(({ pattern }) => pattern.test(path));
  const route = there.find((one) => one.method === method);
  // Unknown paths and unknown methods have one refusal each.
  if (!route) return refusal(there.length === 0 ? ['NOT_FOUND'] : ['METHOD_NOT_ALLOWED'], status);
  const body = route.answers[status];
  if (!body) return refusal(route.refuses, status);
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
function refusal(codes: readonly PortalErrorCode[], status: number): Expected | undefined {
  const possible = codes.filter((code) => PORTAL_ERRORS[code].status === status);
  if (possible.length === 0) return undefined;
  // The title and the type of a code never change.
  const bodies = possible.map((code) =>
    v.strictObject({
      ...Problem.entries,
      type: v.literal(problemType(code)),
      title: v.literal(PORTAL_ERRORS[code].title),
      status: v.literal(status),
      code: v.literal(code),
    }),
  );
  const isRetryable = possible.some((code) => PORTAL_ERRORS[code].retryable);
  return {
    mediaType: PROBLEM,
    body: v.variant('code', bodies),
    headers: {
      ...ALWAYS,
      ...(isRetryable && { 'Retry-After': v.pipe(v.string(), v.regex(/^[1-9]\d*$/)) }),
      ...(status === PORTAL_ERRORS.METHOD_NOT_ALLOWED.status && { Allow: METHODS }),
    },
  };
}

const ALWAYS = { 'X-Service-Request-Id': RequestId, 'Cache-Control': v.literal('no-store') };
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

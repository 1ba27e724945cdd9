import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { PROBLEM } from '../../functions/shared/http/errors.ts';
import { openapi, resolve, type Example, type Header, type ResponseObject } from '../../portal/build/openapi.ts';
import { pathPattern } from './path-pattern.ts';

/** A response as received. */
export interface ReceivedResponse {
  readonly status: number;
  /** Names in lower case, each with one joined value. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body: parsed if it is JSON, otherwise its text; undefined if there is none. */
  readonly body: unknown;
  readonly text: string;
}

/** One deviation of a response from its documentation. */
export interface Mismatch {
  /** `status`, `body`, a member as `body.title`, or the name of a header as the document writes it. */
  readonly subject: string;
  /** What is documented, in a few words. */
  readonly expected: string;
  /** What was received instead; undefined: nothing. */
  readonly actual: unknown;
}

interface Validators {
  readonly headers: ValidateFunction;
  /** Absent: the response has no body. */
  readonly body?: { readonly mediaType: string; readonly schema: ValidateFunction };
}

/** What is expected where a header or a member is not documented. */
export const UNDOCUMENTED = 'none';
/** The two versions of the document: as it is written, and closed, for the answers that we send. */
const AS_WRITTEN = 'as-written';
const DOCUMENT = 'document';

const { BadRequest, NotFound, MethodNotAllowed, Preflight } = openapi.components.responses;
const PATHS = Object.entries(openapi.paths).map(([template, operations]) => ({
  pattern: pathPattern(template),
  operations,
}));
// The top level is no schema, so that it is registered without a check. `npm run check` checks the schemas.
const AJV = new Ajv2020({ allErrors: true, verbose: true, validateSchema: false, meta: false });
AJV.addVocabulary(Object.keys(openapi));
AJV.addSchema(openapi, AS_WRITTEN).addSchema(closed(openapi) as object, DOCUMENT);
addFormats.default(AJV);

/** Whether a schema of `openapi.yaml` allows a value. The schema is named by its place, such as `#/…`. */
export const matches = (place: string, value: unknown): boolean => AJV.validate(AS_WRITTEN + place, value);

/** All deviations of a response from `openapi.yaml`, also additional headers and members. */
export function mismatches(method: string, path: string, received: ReceivedResponse): Mismatch[] {
  const response = documented(method, path, received.status);
  if (!response) return [{ subject: 'status', expected: 'a documented one', actual: received.status }];
  const validators = validatorsOf(response);
  const { 'content-type': mediaType, ...headers } = received.headers;
  const found = failures('', validators.headers, asDocumented(headers, headersOf(response)));
  if (mediaType !== validators.body?.mediaType) {
    found.push({ subject: 'Content-Type', expected: text(validators.body?.mediaType), actual: mediaType });
  }
  // The answer to HEAD has the headers of a response with a body, which the server may remove.
  if (method === 'HEAD' && received.text === '') return found;
  if (validators.body) {
    found.push(
      ...problemMismatches(response, received.body),
      ...failures('body', validators.body.schema, received.body),
    );
  } else if (received.text !== '') {
    found.push({ subject: 'body', expected: 'none', actual: received.text });
  }
  return found;
}

/** What an unknown path and an unknown method answer is under `components`: also that a key is where none may be. */
function documented(method: string, path: string, status: number): ResponseObject | undefined {
  const operations = PATHS.find(({ pattern }) => pattern.test(path))?.operations;
  if (!operations) return { 400: BadRequest, 404: NotFound }[status];
  const operation = operations[method.toLowerCase()];
  if (!operation) return { 400: BadRequest, 405: MethodNotAllowed }[status];
  const response = operation.responses[status];
  return response && resolve<ResponseObject>(response);
}

/** The document lists the CORS headers once, at the preflight, for every response. */
const headersOf = ({ headers }: ResponseObject): ResponseObject['headers'] => ({ ...Preflight?.headers, ...headers });

const headersSchema = (headers: ResponseObject['headers']): object => ({
  type: 'object',
  properties: Object.fromEntries(
    Object.entries(headers).map(([name, { $ref }]) => [name, { $ref: `${DOCUMENT}${$ref}/schema` }]),
  ),
  required: Object.entries(headers).flatMap(([name, reference]) => (resolve<Header>(reference).required ? [name] : [])),
  additionalProperties: false,
});

// At their first use, since few runs see every response.
const compiled = new Map<ResponseObject, Validators>();
function validatorsOf(response: ResponseObject): Validators {
  const known = compiled.get(response);
  if (known) return known;
  const [[mediaType, content] = []] = Object.entries(response.content ?? {});
  const body = content && AJV.compile({ $ref: DOCUMENT + content.schema.$ref });
  const validators: Validators = {
    headers: AJV.compile(headersSchema(headersOf(response))),
    ...(mediaType !== undefined && body && { body: { mediaType, schema: body } }),
  };
  compiled.set(response, validators);
  return validators;
}

/** The response must name a problem's code, and the members of the code never change. */
function problemMismatches({ content }: ResponseObject, body: unknown): Mismatch[] {
  const examples = content?.[PROBLEM]?.examples;
  if (!examples || typeof body !== 'object' || body === null) return [];
  const { code, ...members } = body as Readonly<Record<string, unknown>>;
  const example = examples[String(code)];
  if (!example) return [{ subject: 'body.code', expected: Object.keys(examples).map(text).join(' or '), actual: code }];
  const value = resolve<Example>(example).value as Readonly<Record<string, unknown>>;
  return ['type', 'title', 'status']
    .filter((name) => members[name] !== value[name])
    .map((name) => ({ subject: `body.${name}`, expected: text(value[name]), actual: members[name] }));
}

/**
 * Closes every object to members that it does not list. Clients must accept new members; a check of a server must not.
 */
function closed(node: unknown): unknown {
  if (typeof node !== 'object' || node === null) return node;
  if (Array.isArray(node)) return node.map(closed);
  const members = Object.fromEntries(Object.entries(node).map(([name, value]) => [name, closed(value)]));
  return members.type === 'object' && 'properties' in members ? { ...members, additionalProperties: false } : members;
}

/** Headers under their documented names, with digits as a number, as their schemas expect. */
function asDocumented(headers: ReceivedResponse['headers'], documented: ResponseObject['headers']): object {
  const names = new Map(Object.keys(documented).map((name) => [name.toLowerCase(), name]));
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      names.get(name) ?? name,
      /^\d{1,15}$/.test(value) ? Number(value) : value,
    ]),
  );
}

/** What AJV tells of the rule that a value breaks. */
interface Failed {
  readonly missingProperty?: string;
  readonly additionalProperty?: string;
  readonly allowedValue?: unknown;
  readonly allowedValues?: unknown;
}

function failures(whole: string, validate: ValidateFunction, value: unknown): Mismatch[] {
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, params, message = '', data }: ErrorObject) => {
    const { missingProperty, additionalProperty: further, allowedValue, allowedValues } = params as Failed;
    const names = [whole, ...instancePath.split('/').slice(1), missingProperty ?? further];
    const [subject, allowed] = [names.filter(Boolean).join('.'), allowedValue ?? allowedValues];
    if (missingProperty !== undefined) return { subject, expected: 'a value', actual: undefined };
    if (further !== undefined)
      return { subject, expected: UNDOCUMENTED, actual: (data as Record<string, unknown>)[further] };
    return { subject, expected: allowed === undefined ? message : text(allowed), actual: data };
  });
}

const text = (value: unknown): string => (value === undefined ? 'none' : JSON.stringify(value));

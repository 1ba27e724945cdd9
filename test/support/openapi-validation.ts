import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { openapi, resolve, type ResponseObject } from './openapi.ts';

/** What the contract is held against: a response as a test reads it. Header names are in lower case. */
interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
  readonly text: string;
}
interface Checks {
  readonly headers: ValidateFunction;
  /** Absent: the response has no body. */
  readonly body?: { readonly mediaType: string; readonly schema: ValidateFunction };
}

const { NotFound, MethodNotAllowed, Preflight } = openapi.components.responses;
const DOCUMENT = 'openapi.yaml';
// Its top level is no schema; named as known, its parts can be referred to.
const ajv = new Ajv2020({ allErrors: true }).addVocabulary(Object.keys(openapi)).addSchema(openapi, DOCUMENT);
addFormats.default(ajv);

/** Throws when `openapi.yaml` does not document a response to a request, with all that deviates. */
export function assertDocumented(method: string, path: string, answer: Answer): void {
  const deviations = deviationsOf(documentedResponse(method, path, answer.status), answer);
  if (deviations.length === 0) return;
  throw new Error(`${method} ${path} → ${answer.status} is not as openapi.yaml says: ${deviations.join('; ')}`);
}

/** Whether a value is one that a schema of the contract allows; the schema is named by its place in the document. */
export const matches = (place: string, value: unknown): boolean => ajv.validate(DOCUMENT + place, value);

/** A path or method that is no operation has one answer each, under `components`. */
function documentedResponse(method: string, path: string, status: number): ResponseObject | undefined {
  const operations = openapi.paths[path];
  if (!operations) return status === 404 ? NotFound : undefined;
  const operation = operations[method.toLowerCase()];
  if (!operation) return status === 405 ? MethodNotAllowed : undefined;
  const response = operation.responses[status];
  return response && (resolve(response) as ResponseObject);
}

function deviationsOf(response: ResponseObject | undefined, { headers, body, text }: Answer): string[] {
  if (!response) return ['undocumented status'];
  const checks = checksOf(response);
  const { 'content-type': mediaType, ...others } = headers;
  const deviations = failures('headers', checks.headers, withNumbers(others));
  if (mediaType !== checks.body?.mediaType) deviations.push(`content type ${mediaType}`);
  if (!checks.body) return text === '' ? deviations : [...deviations, 'a body'];
  deviations.push(...failures('body', checks.body.schema, body));
  if ('code' in body && !isDocumentedProblem(response, body))
    deviations.push('a code, type, title or status of its own');
  return deviations;
}

/** Whether a response names this code, with the members that never change. */
function isDocumentedProblem({ content }: ResponseObject, { code, type, title, status }: Answer['body']): boolean {
  const example = content?.['application/problem+json']?.examples[String(code)];
  if (!example) return false;
  const { value } = resolve(example) as { value: Record<string, unknown> };
  return value.type === type && value.title === title && value.status === status;
}

const compiled = new Map<ResponseObject, Checks>();

/** Compiled at the first use, since few test files see every response. */
function checksOf(response: ResponseObject): Checks {
  const known = compiled.get(response);
  if (known) return known;
  const [[mediaType, content] = []] = Object.entries(response.content ?? {});
  const checks: Checks = {
    headers: ajv.compile(headersSchema({ ...Preflight?.headers, ...response.headers })),
    ...(mediaType !== undefined &&
      content && { body: { mediaType, schema: ajv.compile(closed(content.schema.$ref)) } }),
  };
  compiled.set(response, checks);
  return checks;
}

/** Closed here and not in the contract: clients must bear a new member, tests must not. */
const closed = ($ref: string): object => ({ type: 'object', $ref: DOCUMENT + $ref, unevaluatedProperties: false });

/** The headers as one object. The contract lists those of CORS with the preflight, for every response. */
function headersSchema(headers: ResponseObject['headers']): object {
  const entries = Object.entries(headers).map(([name, reference]) => [name.toLowerCase(), reference] as const);
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, { $ref }]) => [name, { $ref: `${DOCUMENT}${$ref}/schema` }])),
    required: entries
      .filter(([, reference]) => (resolve(reference) as { required?: boolean }).required)
      .map(([name]) => name),
    additionalProperties: false,
  };
}

/** Headers as their schemas see them: digits are a number. */
const withNumbers = (headers: Answer['headers']): object =>
  Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, /^\d+$/.test(text) ? Number(text) : text]));

function failures(what: string, validate: ValidateFunction, value: unknown): string[] {
  if (validate(value)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message = '', params }) => `${what}${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';

interface Reference {
  readonly $ref: string;
}
interface ResponseObject {
  readonly headers: Readonly<Record<string, Reference>>;
  readonly content?: Readonly<
    Record<string, { readonly schema: Reference; readonly examples: Readonly<Record<string, Reference>> }>
  >;
}
interface Operation {
  readonly operationId: string;
  readonly security?: readonly object[];
  readonly responses: Readonly<Record<string, Reference>>;
}
interface Contract {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, { readonly enum?: readonly string[] }>>;
    readonly responses: Readonly<Record<string, ResponseObject>>;
    readonly examples: Readonly<Record<string, { readonly value: Readonly<Record<string, unknown>> }>>;
  };
}

/** A response of the portal, as a test reads it. Header names are in lower case. */
export interface PortalAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies: readonly string[];
  readonly body: unknown;
  readonly text: string;
}

/** The portal's contract, `portal/openapi.yaml`. */
export const portalContract = parse(
  readFileSync(new URL('../../portal/openapi.yaml', import.meta.url), 'utf8'),
) as Contract;

/** Every operation: method in upper case, path with its parameters in braces. */
export const portalOperations = Object.entries(portalContract.paths).flatMap(([path, item]) =>
  Object.entries(item)
    .filter(([method]) => method !== 'parameters')
    .map(([method, operation]) => ({ method: method.toUpperCase(), path, ...operation })),
);

const { NotFound, MethodNotAllowed } = portalContract.components.responses;
const DOCUMENT = 'portal/openapi.yaml';
const ajv = new Ajv2020({ allErrors: true }).addVocabulary(Object.keys(portalContract));
// Closed here and not in the contract: the page must bear a new member, tests must not.
ajv.addSchema(closed(portalContract) as object, DOCUMENT);
addFormats.default(ajv);

/** Throws when the contract does not document a response to a request, with all that deviates. */
export function assertPortalDocumented(method: string, path: string, answer: PortalAnswer): void {
  const response = documented(method, path, answer.status);
  const deviations = response ? deviationsOf(method, response, answer) : ['undocumented status'];
  if (deviations.length === 0) return;
  throw new Error(`${method} ${path} → ${answer.status} is not as ${DOCUMENT} says: ${deviations.join('; ')}`);
}

/** A path or method that is no operation has one answer each, under `components`. */
function documented(method: string, path: string, status: number): ResponseObject | undefined {
  const of = portalOperations.filter((operation) => matches(operation.path, path));
  if (of.length === 0) return status === 404 ? NotFound : undefined;
  const operation = of.find((candidate) => candidate.method === method);
  if (!operation) return status === 405 ? MethodNotAllowed : undefined;
  const response = operation.responses[status];
  return response && (resolve(response) as ResponseObject);
}

const matches = (template: string, path: string): boolean =>
  new RegExp(`^${template.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path);

function deviationsOf(
  method: string,
  response: ResponseObject,
  { headers, cookies, body, text }: PortalAnswer,
): string[] {
  const { 'content-type': mediaType, 'content-length': length, ...others } = headers;
  const deviations = failures('headers', headersOf(response), withNumbers(others));
  if (cookies.length > 0 && !('Set-Cookie' in response.headers)) deviations.push('a cookie');
  const [[type, content] = []] = Object.entries(response.content ?? {});
  if (mediaType !== type) deviations.push(`content type ${mediaType}`);
  if (!content) return text === '' ? deviations : [...deviations, 'a body'];
  // An answer to HEAD has the headers of one with a body.
  if (method === 'HEAD') return deviations;
  deviations.push(...failures('body', validator(content.schema.$ref), body));
  if (type === 'application/problem+json')
    deviations.push(...ofProblem(content.examples, body as Record<string, unknown>));
  return deviations;
}

/** A problem has a code that the response documents, with the members that never change. */
function ofProblem(examples: Readonly<Record<string, Reference>>, problem: Record<string, unknown>): string[] {
  const example = examples[String(problem.code)];
  if (!example) return [`code ${String(problem.code)}`];
  const { value } = resolve(example) as { value: Record<string, unknown> };
  return ['type', 'title', 'status'].filter((name) => problem[name] !== value[name]);
}

function resolve({ $ref }: Reference): unknown {
  return $ref
    .split('/')
    .slice(1)
    .reduce<unknown>((node, name) => (node as Record<string, unknown>)[name], portalContract);
}

/** Every object of the document's schemas takes the members that it lists and no others. */
function closed(node: unknown): unknown {
  if (typeof node !== 'object' || node === null) return node;
  if (Array.isArray(node)) return node.map(closed);
  const members = Object.fromEntries(Object.entries(node).map(([name, value]) => [name, closed(value)]));
  return members.type === 'object' && 'properties' in members ? { ...members, additionalProperties: false } : members;
}

const validators = new Map<string, ValidateFunction>();
function validator($ref: string): ValidateFunction {
  const known = validators.get($ref) ?? ajv.compile({ $ref: DOCUMENT + $ref });
  validators.set($ref, known);
  return known;
}

const headerValidators = new Map<ResponseObject, ValidateFunction>();
function headersOf(response: ResponseObject): ValidateFunction {
  const known = headerValidators.get(response);
  if (known) return known;
  const entries = Object.entries(response.headers).filter(([name]) => name !== 'Set-Cookie');
  const compiled = ajv.compile({
    type: 'object',
    properties: Object.fromEntries(
      entries.map(([name, { $ref }]) => [name.toLowerCase(), { $ref: `${DOCUMENT}${$ref}/schema` }]),
    ),
    required: entries
      .filter(([, reference]) => (resolve(reference) as { required?: boolean }).required)
      .map(([name]) => name.toLowerCase()),
    additionalProperties: false,
  });
  headerValidators.set(response, compiled);
  return compiled;
}

const withNumbers = (headers: Readonly<Record<string, string>>): object =>
  Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, /^\d+$/.test(text) ? Number(text) : text]));

function failures(what: string, validate: ValidateFunction, value: unknown): string[] {
  if (validate(value)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message = '', params }) => `${what}${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

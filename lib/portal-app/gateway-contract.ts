import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { ROOT } from '../bundling.ts';
import type {
  ContractOperation,
  GatewayDocument,
  OrReference,
  Reference,
  Resolve,
  ResponseObject,
  BodyObject,
  Schema,
} from './gateway-document.ts';

const PROBLEM = 'application/problem+json';
/** Refusals of unknown operations, which OpenAPI cannot describe. */
const UNLISTED: Readonly<Record<string, string>> = { NotFound: '404', MethodNotAllowed: '405' };

/**
 * The modules with the gateway's contract for the portal's pages, by their paths: the codes, which several pages
 * explain, and the rest, which one page shows. `npm run generate` writes them.
 */
export async function gatewayModules(): Promise<ReadonlyMap<string, string>> {
  const document = load(await readFile(join(ROOT, 'openapi.yaml'), 'utf8')) as GatewayDocument;
  const resolve = resolverOf(document);
  return new Map([
    ['portal/gateway/errors.ts', moduleOf('ERRORS', 'readonly GatewayError[]', 'GatewayError', errorsOf(document))],
    [
      'portal/gateway/contract.ts',
      moduleOf('CONTRACT', 'GatewayContract', 'GatewayContract', contractOf(document, resolve)),
    ],
  ]);
}

const resolverOf =
  (document: GatewayDocument): Resolve =>
  <Found>(item: OrReference<Found>): Found => {
    if (typeof item !== 'object' || item === null || !('$ref' in item)) return item;
    const place = item.$ref.split('/').slice(1);
    return place.reduce<unknown>((node, name) => (node as Record<string, unknown>)[name], document) as Found;
  };

const moduleOf = (name: string, type: string, imported: string, value: unknown): string =>
  [
    '// Generated from openapi.yaml.',
    `import type { ${imported} } from './types.ts';`,
    '',
    `export const ${name}: ${type} = ${JSON.stringify(value, null, 2)};`,
    '',
  ].join('\n');

/** Every code in the order of the contract. */
const errorsOf = ({ components: { schemas, examples } }: GatewayDocument): object[] =>
  (schemas.ErrorCode?.enum ?? []).map((code) => {
    const { summary, description, value } = examples[String(code)] ?? {};
    const { status, title, detail } = value as Record<string, unknown>;
    if (!summary || !description) throw new Error(`openapi.yaml does not say what ${String(code)} means.`);
    return { code, status, title, detail, meaning: summary, todo: oneLine(description) };
  });

/** By code: how to cause each error with curl, one option a line. */
const happenings = ({ components: { schemas, examples } }: GatewayDocument): object =>
  Object.fromEntries(
    (schemas.ErrorCode?.enum ?? []).map((code) => {
      const line = examples[String(code)]?.['x-make-this-happen'];
      if (!line) throw new Error(`openapi.yaml does not say how to make ${String(code)} happen.`);
      return [code, line.trim().replace(/ (?=-[Hd] |--data)/g, ' \\\n  ')];
    }),
  ) as object;

/** The values of `simulate`. */
function simulations({ components: { schemas } }: GatewayDocument, resolve: Resolve): readonly unknown[] {
  const member = schemas.PingRequest?.properties?.simulate;
  if (!member) throw new Error('openapi.yaml does not say what can be simulated.');
  return resolve(member).enum ?? [];
}

function contractOf(document: GatewayDocument, resolve: Resolve): object {
  const { info, paths, components } = document;
  const listed = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
  // The preflights are one operation, which all paths share by a YAML alias.
  const operations = listed.filter(
    ({ operation }, i) => listed.findIndex((other) => other.operation === operation) === i,
  );
  const statuses = operations.flatMap(({ operation }) =>
    Object.entries(operation.responses).map(([status, response]) => [nameOf(response), status] as const),
  );
  const answers = Object.entries({ ...Object.fromEntries(statuses), ...UNLISTED }).map(([name, status]) => [
    name,
    answerOf(Number(status), components.responses[name], resolve),
  ]);
  return {
    description: info.description
      .trim()
      .split(/\n\s*\n/)
      .map(oneLine),
    makeThisHappen: happenings(document),
    simulations: simulations(document, resolve),
    authentication: oneLine(components.securitySchemes.ApiKey?.description ?? ''),
    problem: membersOf(components.schemas.Problem ?? {}, resolve),
    answers: Object.fromEntries(answers) as object,
    unlisted: Object.keys(UNLISTED),
    operations: operations.map(({ method, path, operation }) =>
      operationOf(method, path, operation, document, resolve),
    ),
  };
}

/** The name of a response: each is a component. */
const nameOf = ({ $ref }: Reference): string => $ref.split('/').at(-1) ?? '';

function operationOf(
  method: string,
  path: string,
  {
    operationId = 'preflight',
    summary,
    description = '',
    security,
    parameters = [],
    requestBody,
    responses,
  }: ContractOperation,
  document: GatewayDocument,
  resolve: Resolve,
): object {
  const [scope] = (security ?? document.security).flatMap((scheme) => Object.values(scheme).flat());
  return {
    operationId,
    method: method.toUpperCase(),
    path,
    summary,
    description: oneLine(description),
    ...(scope !== undefined && { scope }),
    parameters: parameters.map(resolve).map(({ name, required = false, schema, description: about }) => ({
      name,
      isRequired: required,
      type: typeOf(schema, resolve),
      description: oneLine(about),
    })),
    ...(requestBody && { body: describeBody(requestBody, resolve) }),
    answers: Object.values(responses).map(nameOf),
  };
}

function answerOf(status: number, response: ResponseObject | undefined, resolve: Resolve): object {
  const { description = '', content = {}, headers = {} } = response ?? {};
  const problem = content[PROBLEM];
  return {
    status,
    description: oneLine(description),
    ...(problem && { codes: Object.keys(problem.examples) }),
    ...(content['application/json'] && { body: describeBody({ content }, resolve) }),
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, header]) => [name, oneLine(resolve(header).description ?? '')]),
    ),
  };
}

/** A text of the contract without the line breaks of its source. */
const oneLine = (text: string): string => text.trim().replace(/\s*\n\s*/g, ' ');

/** The members of an object, with their types and descriptions. */
const membersOf = ({ properties = {}, required = [] }: Schema, resolve: Resolve): object[] =>
  Object.entries(properties).map(([name, property]) => ({
    name,
    isRequired: required.includes(name),
    type: typeOf(property, resolve),
    description: oneLine(resolve(property).description ?? ''),
  }));

/** A JSON body: its description, its members and its examples. */
function describeBody({ description = '', content }: BodyObject, resolve: Resolve): object {
  const { schema, examples } = content['application/json'] ?? {};
  if (!schema || !examples) throw new Error('A body of openapi.yaml is no JSON, or has no example.');
  const resolved = resolve(schema);
  return {
    description: [description, resolved.description ?? ''].map(oneLine).filter(Boolean).join(' '),
    members: membersOf(resolved, resolve),
    examples: Object.values(examples)
      .map(resolve)
      .map(({ summary, value }) => ({ summary, text: JSON.stringify(value, null, 2) })),
  };
}

/** A type in words: `string, 1 to 255 characters`. */
function typeOf(schema: Schema | { readonly $ref: string }, resolve: Resolve): string {
  const { const: only, enum: values, type = 'any', format, minLength, maxLength, minimum, maximum } = resolve(schema);
  if (only !== undefined) return JSON.stringify(only);
  // A longer list is shown elsewhere.
  if (values)
    return values.length > MAX_LISTED ? 'one of the codes' : values.map((v) => JSON.stringify(v)).join(' or ');
  return [format ?? type, range(minLength, maxLength, ' characters'), range(minimum, maximum)]
    .filter(Boolean)
    .join(', ');
}
const MAX_LISTED = 4;

function range(least: number | undefined, most: number | undefined, unit = ''): string {
  if (least !== undefined && most !== undefined) return `${least} to ${most}${unit}`;
  if (most !== undefined) return `at most ${most}${unit}`;
  return least === undefined ? '' : `at least ${least}${unit}`;
}

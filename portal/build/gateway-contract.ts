import type { Answer, Body, GatewayContract, GatewayError, Member, Operation } from '../gateway/types.ts';
import {
  openapi,
  resolve,
  type BodyObject,
  type Example,
  type Header,
  type OperationObject,
  type Parameter,
  type Reference,
  type ResponseObject,
  type Schema,
} from './openapi.ts';

const { components } = openapi;
const PROBLEM = 'application/problem+json';
/** Refusals of unknown operations, which OpenAPI cannot describe. */
const UNLISTED: Readonly<Record<string, string>> = { NotFound: '404', MethodNotAllowed: '405' };

/**
 * The modules with the gateway's contract for the portal's pages, by their paths: the codes, which several pages
 * explain, and the rest, which one page shows. `npm run generate` writes them.
 */
export const gatewayModules = (): ReadonlyMap<string, string> =>
  new Map([
    ['portal/gateway/errors.ts', moduleOf('ERRORS', 'readonly GatewayError[]', 'GatewayError', errors())],
    ['portal/gateway/contract.ts', moduleOf('CONTRACT', 'GatewayContract', 'GatewayContract', contract())],
  ]);

const moduleOf = (name: string, type: string, imported: string, value: unknown): string =>
  [
    '// Generated from openapi.yaml.',
    `import type { ${imported} } from './types.ts';`,
    '',
    `export const ${name}: ${type} = ${JSON.stringify(value, null, 2)};`,
    '',
  ].join('\n');

/** Every code in the order of the contract, with its example. */
const codes = (): (readonly [code: string, example: Partial<Example>])[] =>
  (components.schemas.ErrorCode?.enum ?? []).map((code) => [String(code), components.examples[String(code)] ?? {}]);

const errors = (): GatewayError[] =>
  codes().map(([code, { summary, description, value }]) => {
    if (!summary || !description) throw new Error(`openapi.yaml does not say what ${code} means.`);
    const { status, title, detail } = value as Pick<GatewayError, 'status' | 'title' | 'detail'>;
    return { code, status, title, detail, meaning: summary, todo: oneLine(description) };
  });

/** By code: how to cause each error with curl, one option a line. */
const happenings = (): GatewayContract['makeThisHappen'] =>
  Object.fromEntries(
    codes().map(([code, { 'x-make-this-happen': line }]) => {
      if (!line) throw new Error(`openapi.yaml does not say how to make ${code} happen.`);
      return [code, line.trim().replace(/ (?=-[Hd] |--data)/g, ' \\\n  ')];
    }),
  );

/** The values of `simulate`. */
function simulations(): readonly string[] {
  const member = components.schemas.PingRequest?.properties?.simulate;
  if (!member) throw new Error('openapi.yaml does not say what can be simulated.');
  return (resolve(member).enum ?? []) as readonly string[];
}

function contract(): GatewayContract {
  const listed = Object.entries(openapi.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
  // The preflights are one operation, which all paths share by a YAML alias.
  const operations = listed.filter(
    ({ operation }, i) => listed.findIndex((other) => other.operation === operation) === i,
  );
  const statuses = operations.flatMap(({ operation }) =>
    Object.entries(operation.responses).map(([status, response]) => [nameOf(response), status] as const),
  );
  const answers = Object.entries({ ...Object.fromEntries(statuses), ...UNLISTED }).map(
    ([name, status]) => [name, answerOf(Number(status), components.responses[name])] as const,
  );
  return {
    description: openapi.info.description
      .trim()
      .split(/\n\s*\n/)
      .map(oneLine),
    makeThisHappen: happenings(),
    simulations: simulations(),
    authentication: oneLine(components.securitySchemes.ApiKey?.description ?? ''),
    problem: membersOf(components.schemas.Problem ?? {}),
    answers: Object.fromEntries(answers),
    unlisted: Object.keys(UNLISTED),
    operations: operations.map(({ method, path, operation }) => operationOf(method, path, operation)),
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
  }: OperationObject,
): Operation {
  const [scope] = (security ?? openapi.security).flatMap((scheme) => Object.values(scheme).flat());
  return {
    operationId,
    method: method.toUpperCase(),
    path,
    summary,
    description: oneLine(description),
    ...(scope !== undefined && { scope }),
    parameters: parameters
      .map((each) => resolve<Parameter>(each))
      .map(({ name, required = false, schema, description: about }) => ({
        name,
        isRequired: required,
        type: typeOf(schema),
        description: oneLine(about),
      })),
    ...(requestBody && { body: describeBody(requestBody) }),
    answers: Object.values(responses).map(nameOf),
  };
}

function answerOf(status: number, response: ResponseObject | undefined): Answer {
  const { description = '', content = {}, headers = {} } = response ?? {};
  const problem = content[PROBLEM];
  return {
    status,
    description: oneLine(description),
    ...(problem && { codes: Object.keys(problem.examples) }),
    ...(content['application/json'] && { body: describeBody({ content }) }),
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, header]) => [name, oneLine(resolve<Header>(header).description ?? '')]),
    ),
  };
}

/** A text of the contract without the line breaks of its source. */
const oneLine = (text: string): string => text.trim().replace(/\s*\n\s*/g, ' ');

/** The members of an object, with their types and descriptions. */
const membersOf = ({ properties = {}, required = [] }: Schema): Member[] =>
  Object.entries(properties).map(([name, property]) => ({
    name,
    isRequired: required.includes(name),
    type: typeOf(property),
    description: oneLine(resolve(property).description ?? ''),
  }));

/** A JSON body: its description, its members and its examples. */
function describeBody({ description = '', content }: BodyObject): Body {
  const { schema, examples } = content['application/json'] ?? {};
  if (!schema || !examples) throw new Error('A body of openapi.yaml is no JSON, or has no example.');
  const resolved = resolve<Schema>(schema);
  return {
    description: [description, resolved.description ?? ''].map(oneLine).filter(Boolean).join(' '),
    members: membersOf(resolved),
    examples: Object.values(examples)
      .map((each) => resolve(each))
      .map(({ summary, value }) => ({ summary, text: JSON.stringify(value, null, 2) })),
  };
}

/** A type in words: `string, 1 to 255 characters`. */
function typeOf(schema: Schema): string {
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

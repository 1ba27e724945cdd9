import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { ROOT } from '../bundling.ts';
import { describeBody, membersOf, oneLine, typeOf } from './contract-schemas.ts';
import type {
  ContractOperation,
  GatewayDocument,
  Header,
  OrReference,
  Resolve,
  ResponseObject,
} from './gateway-document.ts';

const PROBLEM = 'application/problem+json';
/** Refusals of what is no operation, for which OpenAPI has no place. */
const UNLISTED: Readonly<Record<string, number>> = { NotFound: 404, MethodNotAllowed: 405 };

/**
 * The modules through which the portal's pages know the gateway's contract, by their paths: the codes, which several
 * pages explain, and the rest, which one page shows. `npm run generate` writes them.
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

function contractOf(document: GatewayDocument, resolve: Resolve): object {
  const { info, paths, components } = document;
  return {
    description: info.description
      .trim()
      .split(/\n\s*\n/)
      .map(oneLine),
    authentication: oneLine(components.securitySchemes.ApiKey?.description ?? ''),
    problem: membersOf(components.schemas.Problem ?? {}, resolve),
    unlisted: Object.entries(UNLISTED).map(([name, status]) => answerOf(status, components.responses[name], resolve)),
    operations: Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => operationOf(method, path, operation, document, resolve)),
    ),
  };
}

function operationOf(
  method: string,
  path: string,
  { operationId, summary, description = '', security, parameters = [], requestBody, responses }: ContractOperation,
  document: GatewayDocument,
  resolve: Resolve,
): object {
  const [scope] = (security ?? document.security).flatMap((scheme) => Object.values(scheme).flat());
  const answers = Object.entries(responses).map(([status, response]) => [Number(status), resolve(response)] as const);
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
    answers: answers.map(([status, response]) => answerOf(status, response, resolve)),
    headers: headersOf(answers, resolve),
  };
}

function answerOf(status: number, response: ResponseObject | undefined, resolve: Resolve): object {
  const { description = '', content = {} } = response ?? {};
  const problem = content[PROBLEM];
  return {
    status,
    description: oneLine(description),
    ...(problem && { codes: Object.keys(problem.examples) }),
    ...(content['application/json'] && { body: describeBody({ content }, resolve) }),
  };
}

/** Each header once, with the statuses of the answers that may have it. */
function headersOf(answers: readonly (readonly [number, ResponseObject])[], resolve: Resolve): object[] {
  const found = new Map<string, { description: string; statuses: number[] }>();
  for (const [status, { headers = {} }] of answers) {
    for (const [name, header] of Object.entries(headers)) {
      const { description = '' }: Header = resolve(header);
      const entry = found.get(name) ?? { description: oneLine(description), statuses: [] };
      entry.statuses.push(status);
      found.set(name, entry);
    }
  }
  return Array.from(found, ([name, entry]) => ({ name, ...entry }));
}

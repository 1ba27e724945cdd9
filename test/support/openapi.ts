import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** A place in the contract, such as `#/components/headers/RequestId`. */
export interface Reference {
  readonly $ref: string;
}
interface Header {
  readonly required?: boolean;
  readonly schema: Schema;
}
interface Schema {
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
}
/** One response; every header, schema and example in it is a component. */
export interface ResponseObject {
  readonly headers: Readonly<Record<string, Reference>>;
  readonly content?: Readonly<
    Record<string, { readonly schema: Reference; readonly examples: Readonly<Record<string, Reference>> }>
  >;
}
interface Operation {
  readonly operationId: string;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly Reference[];
  readonly requestBody?: { readonly description: string };
  readonly responses: Readonly<Record<string, Reference>>;
}
interface Contract {
  readonly security: Operation['security'];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema & { readonly description?: string }>>;
    readonly headers: Readonly<Record<string, Header>>;
    readonly responses: Readonly<Record<string, ResponseObject>>;
    readonly examples: Readonly<Record<string, { readonly value: unknown }>>;
  };
}

/** The answers to paths and methods that are no operations, which OpenAPI has no place for. */
const UNLISTED: Readonly<Record<string, number>> = { NotFound: 404, MethodNotAllowed: 405 };

/** The public contract, `openapi.yaml`. */
export const openapi = parse(readFileSync(new URL('../../openapi.yaml', import.meta.url), 'utf8')) as Contract;

/** What a reference in the contract stands for. Throws when there is no such place. */
export function resolve({ $ref }: Reference): unknown {
  const place = $ref.split('/').slice(1);
  const found = place.reduce<unknown>((node, name) => (node as Record<string, unknown> | undefined)?.[name], openapi);
  if (found === undefined) throw new Error(`openapi.yaml has no ${$ref}`);
  return found;
}

/** The header that a response documents under a name. */
export const headerOf = ({ headers }: ResponseObject, name: string): Header | undefined =>
  headers[name] && (resolve(headers[name]) as Header);

/** Every operation, with its method in upper case. */
export const operations = Object.entries(openapi.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, ...operation })),
);

/** The operation with an id. Throws when there is none. */
export function operationOf(operationId: string): (typeof operations)[number] {
  const found = operations.find((operation) => operation.operationId === operationId);
  if (!found) throw new Error(`openapi.yaml has no operation ${operationId}`);
  return found;
}

/** Every response by name, with the status under which it is documented. */
export const responses = Object.entries(openapi.components.responses).map(([name, response]) => {
  const status = operations
    .flatMap((operation) => Object.entries(operation.responses))
    .find(([, reference]) => resolve(reference) === response)?.[0];
  return { name, status: Number(status ?? UNLISTED[name]), ...response };
});

/** Whether a response must have a header, may have it, or has it never. */
export function presence(response: ResponseObject, name: string): 'always' | 'sometimes' | 'never' {
  const header = headerOf(response, name);
  return header ? (header.required ? 'always' : 'sometimes') : 'never';
}

import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';

/** A place in the document, such as `#/components/headers/RequestId`. */
export interface Reference {
  readonly $ref: string;
}
/** A part, or a reference to it. */
type OrReference<Part> = Part | Reference;

/** A schema, or a reference to it. */
export interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string;
  readonly format?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
}
export interface Header {
  readonly description?: string;
  readonly required?: boolean;
  readonly schema: Schema;
}
/** A header of a request. */
export interface Parameter {
  readonly name: string;
  readonly required?: boolean;
  readonly description: string;
  readonly schema: Schema;
}
/** An example of a body. */
export interface Example {
  readonly summary: string;
  readonly description?: string;
  readonly value: unknown;
  /** How to cause the error with curl. */
  readonly 'x-make-this-happen'?: string;
}
/** The body of a request or a response, by its media type. */
export interface BodyObject {
  readonly description?: string;
  readonly content: Readonly<
    Record<string, { readonly schema: Reference; readonly examples: Readonly<Record<string, OrReference<Example>>> }>
  >;
}
/** One response; every header, schema and example in it is a component. */
export interface ResponseObject {
  readonly description?: string;
  readonly headers: Readonly<Record<string, Reference>>;
  readonly content?: Readonly<
    Record<string, { readonly schema: Reference; readonly examples: Readonly<Record<string, Reference>> }>
  >;
}
export interface OperationObject {
  /** Absent for a preflight. */
  readonly operationId?: string;
  readonly summary: string;
  readonly description?: string;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly Reference[];
  readonly requestBody?: BodyObject;
  readonly responses: Readonly<Record<string, Reference>>;
}
interface Webhook {
  readonly summary: string;
  readonly requestBody: { readonly content: { readonly 'application/json': { readonly example: object } } };
}
/** `openapi.yaml`, as far as it is read here. */
interface OpenApiDocument {
  readonly info: { readonly description: string };
  readonly security: NonNullable<OperationObject['security']>;
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: Webhook }>>;
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, { readonly description: string }>>;
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly headers: Readonly<Record<string, Header>>;
    readonly responses: Readonly<Record<string, ResponseObject>>;
    readonly examples: Readonly<Record<string, Example>>;
  };
}

/** The API as it is documented. */
export const openapi = load(readFileSync(new URL('../../openapi.yaml', import.meta.url), 'utf8')) as OpenApiDocument;

/** Resolves a reference, and returns anything else unchanged. Throws if its place does not exist. */
export function resolve<Part>(item: OrReference<Part>): Part {
  if (typeof item !== 'object' || item === null || !('$ref' in item)) return item;
  const place = item.$ref.split('/').slice(1);
  const found = place.reduce<unknown>((node, name) => (node as Record<string, unknown> | undefined)?.[name], openapi);
  if (found === undefined) throw new Error(`openapi.yaml has no ${item.$ref}`);
  return found as Part;
}

import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';

/** A place in the document, such as `#/components/headers/RequestId`. */
export interface Reference {
  readonly $ref: string;
}
/** A schema, or a reference to it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
}
export interface Header {
  readonly required?: boolean;
  readonly schema: Schema;
}
/** One response; every header, schema and example in it is a component. */
export interface ResponseObject {
  readonly headers: Readonly<Record<string, Reference>>;
  readonly content?: Readonly<
    Record<string, { readonly schema: Reference; readonly examples: Readonly<Record<string, Reference>> }>
  >;
}
/** An example of a body. */
export interface Example {
  readonly summary?: string;
  readonly description?: string;
  readonly value: unknown;
}
interface Operation {
  /** Absent for a preflight. */
  readonly operationId?: string;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly Reference[];
  readonly requestBody?: {
    readonly description?: string;
    readonly content: Readonly<
      Record<string, { readonly schema: Reference; readonly examples: Readonly<Record<string, Reference | Example>> }>
    >;
  };
  readonly responses: Readonly<Record<string, Reference>>;
}
/** `openapi.yaml`. */
interface OpenApiDocument {
  readonly security: Operation['security'];
  /** Beside its operations a path may have `parameters`. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema & { readonly description?: string }>>;
    readonly headers: Readonly<Record<string, Header>>;
    readonly responses: Readonly<Record<string, ResponseObject>>;
    readonly examples: Readonly<Record<string, Example>>;
  };
}

/** The API as it is documented. */
export const openapi = load(readFileSync(new URL('../../openapi.yaml', import.meta.url), 'utf8')) as OpenApiDocument;

/** Resolves a reference in the document. Throws if its place does not exist. */
export function resolve({ $ref }: Reference): unknown {
  const place = $ref.split('/').slice(1);
  const found = place.reduce<unknown>((node, name) => (node as Record<string, unknown> | undefined)?.[name], openapi);
  if (found === undefined) throw new Error(`openapi.yaml has no ${$ref}`);
  return found;
}

import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** A place in the document, such as `#/components/headers/RequestId`. */
export interface Reference {
  readonly $ref: string;
}
/** A schema, or where it is. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
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
interface Operation {
  readonly operationId: string;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly Reference[];
  readonly requestBody?: { readonly description: string };
  readonly responses: Readonly<Record<string, Reference>>;
}
interface OpenApiDocument {
  readonly security: Operation['security'];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema & { readonly description?: string }>>;
    readonly headers: Readonly<Record<string, Header>>;
    readonly responses: Readonly<Record<string, ResponseObject>>;
    readonly examples: Readonly<Record<string, { readonly value: unknown }>>;
  };
}

/** The API as it is documented, `openapi.yaml`. */
export const openapi = parse(readFileSync(new URL('../../openapi.yaml', import.meta.url), 'utf8')) as OpenApiDocument;

/** What a reference in the document stands for. Throws when there is no such place. */
export function resolve({ $ref }: Reference): unknown {
  const place = $ref.split('/').slice(1);
  const found = place.reduce<unknown>((node, name) => (node as Record<string, unknown> | undefined)?.[name], openapi);
  if (found === undefined) throw new Error(`openapi.yaml has no ${$ref}`);
  return found;
}

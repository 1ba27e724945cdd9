/** The parts of `openapi.yaml` that the portal shows. */
export interface GatewayDocument {
  readonly info: { readonly description: string };
  readonly security: Security;
  readonly paths: Readonly<Record<string, Readonly<Record<string, ContractOperation>>>>;
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, { readonly description: string }>>;
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, ResponseObject>>;
    readonly examples: Readonly<Record<string, Example>>;
  };
}

/** A reference to a part. */
export interface Reference {
  readonly $ref: string;
}
/** A part, or a reference to it. */
export type OrReference<Item> = Item | Reference;
type Security = readonly Readonly<Record<string, readonly string[]>>[];

/** Resolves a reference, and returns anything else unchanged. */
export type Resolve = <Found>(item: OrReference<Found>) => Found;

export interface Schema {
  readonly description?: string;
  readonly type?: string;
  readonly format?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, OrReference<Schema>>>;
}

interface Example {
  readonly summary: string;
  readonly description?: string;
  readonly value: unknown;
  /** How to cause the error with curl. */
  readonly 'x-make-this-happen'?: string;
}

interface Header {
  readonly description?: string;
}

interface Parameter {
  readonly name: string;
  readonly required?: boolean;
  readonly description: string;
  readonly schema: OrReference<Schema>;
}

export interface BodyObject {
  readonly description?: string;
  readonly content: Readonly<
    Record<
      string,
      { readonly schema: OrReference<Schema>; readonly examples: Readonly<Record<string, OrReference<Example>>> }
    >
  >;
}

export interface ResponseObject extends Partial<BodyObject> {
  readonly headers?: Readonly<Record<string, OrReference<Header>>>;
}

export interface ContractOperation {
  /** Absent: it is the preflight. */
  readonly operationId?: string;
  readonly summary: string;
  readonly description?: string;
  readonly security?: Security;
  readonly parameters?: readonly OrReference<Parameter>[];
  readonly requestBody?: BodyObject;
  readonly responses: Readonly<Record<string, Reference>>;
}

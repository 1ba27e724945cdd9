import {
  errorDefinition,
  ERRORS,
  PROBLEM,
  problemMembers,
  REALM,
  shouldRetry,
  type ErrorCode,
} from '../../functions/shared/http/errors.ts';
import { manageDocument } from './manage-document.ts';

/** A schema of the contract, as far as the libraries need it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly propertyNames?: Schema;
  readonly additionalProperties?: Schema;
  readonly description?: string;
}
interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly description?: string;
  readonly schema: Schema;
}
/** An operation of the contract. */
export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> }>
  >;
}

const JSON_TYPE = 'application/json';
/** Where the library begins: its base URL has what is before. */
const BASE = '/manage/v1';
/** A global type of TypeScript has this name. */
const RENAMED: Readonly<Record<string, string>> = { Request: 'RequestSummary' };
const PRIMITIVES: Readonly<Record<string, string>> = {
  integer: 'number',
  number: 'number',
  string: 'string',
  boolean: 'boolean',
  null: 'null',
};
const CONSTRUCTORS: Readonly<Record<string, string>> = {
  string: 'String',
  boolean: 'Boolean',
  array: 'Array',
  object: 'Object',
};

/** The module of the TypeScript library with the types of the management API, and its operations as data. */
function manageModule(): string {
  const { paths, components } = manageDocument() as unknown as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
    readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
  };
  const { schemas } = components;
  const named = ($ref: string): readonly [name: string, schema: Schema] => {
    const name = $ref.split('/').at(-1) ?? '';
    return [RENAMED[name] ?? name, schemas[name] ?? {}];
  };
  const resolved = (schema: Schema): Schema => (schema.$ref ? named(schema.$ref)[1] : schema);

  function typeOf(schema: Schema): string {
    if (schema.$ref) {
      const [name, target] = named(schema.$ref);
      return target.properties ? name : typeOf(target);
    }
    if (schema.anyOf) return schema.anyOf.map(typeOf).join(' | ');
    if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
    if (schema.const !== undefined) return JSON.stringify(schema.const);
    if (schema.items) return `readonly (${typeOf(schema.items)})[]`;
    if (schema.properties) return `{ ${membersOf(schema).join(' ')} }`;
    if (schema.additionalProperties) {
      const names = schema.propertyNames ? typeOf(schema.propertyNames) : 'string';
      return `{ readonly [Name in ${names}]?: ${typeOf(schema.additionalProperties)} }`;
    }
    const primitive = PRIMITIVES[schema.type ?? ''];
    if (primitive === undefined) throw new Error(`manage.yaml has a schema without a type: ${JSON.stringify(schema)}`);
    return primitive;
  }
  const membersOf = ({ properties = {}, required = [] }: Schema): string[] =>
    Object.entries(properties).map(([name, schema]) => {
      const doc = schema.description ?? resolved(schema).description;
      const isThere = required.includes(name);
      const type = `${typeOf(schema)}${isThere ? '' : ' | undefined'}`;
      return `${doc ? `/** ${doc} */ ` : ''}readonly ${name}${isThere ? '' : '?'}: ${type};`;
    });

  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, summary, parameters = [], requestBody, responses }]) => {
      const query = parameters.filter((parameter) => parameter.in === 'query');
      const input = requestBody?.content[JSON_TYPE]?.schema;
      const taken = input ? Object.keys(resolved(input).properties ?? {}) : query.map(({ name }) => name);
      const answer = Object.values(responses).flatMap(({ content }) => content?.[JSON_TYPE]?.schema ?? [])[0] ?? {};
      const { properties = {}, required = [] } = resolved(answer);
      const shape = required.flatMap((name) => {
        const constructor = CONSTRUCTORS[resolved(properties[name] ?? {}).type ?? ''];
        return constructor ? [`${name}: ${constructor}`] : [];
      });
      // By its first members an answer is known for what it is: an older portal may lack later ones.
      const answerShape = shape.slice(0, 2).join(', ');
      const options = {
        properties: Object.fromEntries(
          query.map(({ name, schema, description }) => [name, { ...schema, description }]),
        ),
      } as Schema;
      return [
        ...(query.length > 0
          ? [
              `/** What to ask for: ${summary.toLowerCase()}. */\nexport interface ${queryName(operationId)} {\n${membersOf(options).join('\n')}\n}`,
            ]
          : []),
        `/** ${summary}. */\nexport const ${operationId}: Operation<${typeOf(answer)}> = { method: ${JSON.stringify(method.toUpperCase())}, ` +
          `path: ${JSON.stringify(path.slice(BASE.length))}, body: ${JSON.stringify(taken)}, answer: { ${answerShape} } };`,
      ].join('\n');
    }),
  );
  const types = Object.entries(schemas)
    .filter(([, { properties }]) => properties)
    .map(([name, schema]) => {
      const words = name.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
      return `/** ${schema.description ?? `${words}, as manage.yaml has it.`} */\nexport interface ${RENAMED[name] ?? name} {\n${membersOf(schema).join('\n')}\n}`;
    });
  return [
    '// Generated from manage.yaml.',
    `import type { Operation } from './answer.ts';`,
    ...types,
    ...operations,
    '',
  ].join('\n');
}

const queryName = (operationId: string): string => `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}Query`;

/** Every error of the gateway by its code, in the form that it sends, but for the id of the request. */
export const problems = () =>
  (Object.keys(ERRORS) as ErrorCode[]).map((code) => {
    const { status, title, detail, challenge, retryable } = errorDefinition(code);
    const headers = {
      'Content-Type': PROBLEM,
      'X-Should-Retry': String(shouldRetry(code)),
      ...(challenge !== undefined && { 'WWW-Authenticate': `Bearer realm="${REALM}"${challenge}` }),
      ...(retryable && { 'Retry-After': '1' }),
    };
    const { requestId: _, ...body } = problemMembers({ code, status, title, detail }, '');
    return [code, { body, headers }] as const;
  });

/** The module with the gateway's errors, as its problems have them. */
function problemsModule(): string {
  return `// Generated from the gateway's catalogue of errors.
/** The body of a problem but for its id, and its headers. */
export interface Problem {
  readonly body: { readonly status: number } & Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
}
/** Every code that the gateway refuses a request with. */
export type ErrorCode = ${problems()
    .map(([code]) => JSON.stringify(code))
    .join(' | ')};
export const PROBLEMS: Readonly<Record<ErrorCode, Problem>> = ${JSON.stringify(Object.fromEntries(problems()), null, 2)};
`;
}

/** The modules of the TypeScript library that are made from the contracts, by their names. */
export const clientModules = { 'manage-api': manageModule, problems: problemsModule } as const;

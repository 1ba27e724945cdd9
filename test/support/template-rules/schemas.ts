import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';

/** CloudFormation's schema of a resource type: JSON Schema with additions. */
interface ResourceSchema {
  /** Pointers to properties that only CloudFormation sets, such as `/properties/Arn`. */
  readonly readOnlyProperties?: readonly string[];
}

/** The folder of the schemas, one file for each type. */
export const SCHEMAS = new URL('schemas/', import.meta.url);

/** The file of a type's schema in {@link SCHEMAS}. */
export const fileOf = (type: string): string => `${type.replaceAll('::', '-')}.json`;

/** The types with a stored schema. */
export const keptTypes = (): string[] =>
  readdirSync(SCHEMAS).map((file) => file.replace('.json', '').replaceAll('-', '::'));

const ajv = new Ajv2020({
  ...{ allErrors: true, verbose: true, strict: false, validateSchema: false, meta: false, validateFormats: false },
  // CloudFormation accepts "5" as a number and 5 as text.
  coerceTypes: true,
  code: { regExp: Object.assign(expression, { code: '' }) },
});
// cfn-lint's additions to JSON Schema.
const required = (names: readonly string[]) => names.map((name) => ({ required: [name] }));
ajv.addKeyword({ keyword: 'requiredXor', macro: (names: string[]) => ({ oneOf: required(names) }) });
ajv.addKeyword({
  keyword: 'dependentExcluded',
  macro: (excluded: Readonly<Record<string, string[]>>) => ({
    allOf: Object.entries(excluded).map(([name, others]) => ({ not: { required: [name], anyOf: required(others) } })),
  }),
});
const distinct = (values: readonly unknown[]): number => new Set(values.map((value) => JSON.stringify(value))).size;
ajv.addKeyword({
  keyword: 'uniqueKeys',
  validate: (keys: string[], items: Readonly<Record<string, unknown>>[]) =>
    distinct(items.map((item) => keys.map((key) => item[key]))) === items.length,
});
ajv.addKeyword({
  keyword: 'maxUniqueItems',
  validate: (most: number, items: unknown[]) => distinct(items) <= most,
});

interface Rules {
  readonly validate: ValidateFunction;
  readonly readOnly: readonly string[];
}
const compiled = new Map<string, Rules>();

function rulesOf(type: string): Rules {
  const known = compiled.get(type);
  if (known) return known;
  const schema = JSON.parse(readFileSync(new URL(fileOf(type), SCHEMAS), 'utf8')) as ResourceSchema;
  const rules = { validate: ajv.compile(schema), readOnly: schema.readOnlyProperties ?? [] };
  compiled.set(type, rules);
  return rules;
}

/**
 * A pattern in Java's syntax: `\Z` is the end of the text, and any character may be escaped, which JavaScript's Unicode
 * mode refuses.
 */
function expression(pattern: string): RegExp {
  const text = pattern.replaceAll('\\Z', '$');
  try {
    return new RegExp(text, 'u');
  } catch (error) {
    if (text.includes('\\p{')) throw error;
    return new RegExp(text);
  }
}

/**
 * What CloudFormation would refuse in a resource's resolved properties, one line each. Formats without a pattern in the
 * schema, such as an ARN's, are not checked.
 */
export function breachesOf(type: string, properties: object): string[] {
  const { validate, readOnly } = rulesOf(type);
  const copy = structuredClone(properties);
  validate(copy);
  return [
    ...(validate.errors ?? []).map(textOf),
    ...readOnly.filter((pointer) => has(copy, pointer.split('/').slice(2))).map((pointer) => `${pointer}: read-only`),
  ];
}

function textOf({ instancePath, keyword, params, message, data }: ErrorObject): string {
  const value = typeof data === 'string' ? `${JSON.stringify(data)}, ${data.length} characters` : JSON.stringify(data);
  const detail = keyword === 'additionalProperties' ? String(params.additionalProperty) : value.slice(0, 200);
  return `/properties${instancePath}: ${message ?? keyword}: ${detail}`;
}

/** Whether a value exists at a path; `*` is each item. */
function has(value: unknown, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined) return value !== undefined;
  if (name === '*') return Array.isArray(value) && value.some((item) => has(item, rest));
  return typeof value === 'object' && value !== null && has((value as Record<string, unknown>)[name], rest);
}

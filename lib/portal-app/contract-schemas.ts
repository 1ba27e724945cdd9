import type { BodyObject, Resolve, Schema } from './gateway-document.ts';

/** A text of the contract without the line breaks of its source. */
export const oneLine = (text: string): string => text.trim().replace(/\s*\n\s*/g, ' ');

/** The members of an object, with their types and descriptions. */
export const membersOf = ({ properties = {}, required = [] }: Schema, resolve: Resolve): object[] =>
  Object.entries(properties).map(([name, property]) => ({
    name,
    isRequired: required.includes(name),
    type: typeOf(property, resolve),
    description: oneLine(resolve(property).description ?? ''),
  }));

/** A JSON body: its description, its members and its examples. */
export function describeBody({ description = '', content }: BodyObject, resolve: Resolve): object {
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
export function typeOf(schema: Schema | { readonly $ref: string }, resolve: Resolve): string {
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

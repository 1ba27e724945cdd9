/** The possible values of an attribute here; undefined: it is absent. */
export type Value = string | number | boolean | null | undefined;
/** With maps, sets and bytes, which are compared and replaced whole. */
export type AnyValue = Value | Uint8Array | ReadonlySet<string> | Readonly<Record<string, unknown>>;

/** Gives the placeholder of a value. */
type ValueOf = (value: unknown) => string;
/** What an attribute must be, other than a certain value. */
type Test = (attribute: string, valueOf: ValueOf) => string;
/** What all of these attributes must be: this value, absent (undefined), or as a test says. */
export type Conditions = Readonly<Record<string, AnyValue | Test>>;

const compared =
  (sign: string) =>
  (value: AnyValue): Test =>
  (attribute, valueOf) =>
    `${attribute} ${sign} ${valueOf(value)}`;
export const not = compared('<>');
export const below = compared('<');
export const atMost = compared('<=');
export const above = compared('>');
export const present: Test = (attribute) => `attribute_exists(${attribute})`;
/** A set or list with this value. */
export const containing =
  (value: string): Test =>
  (attribute, valueOf) =>
    `contains(${attribute}, ${valueOf(value)})`;
export const absentOr =
  (wanted: AnyValue | Test): Test =>
  (attribute, valueOf) =>
    `(attribute_not_exists(${attribute}) OR ${tested(attribute, wanted, valueOf)})`;

function tested(attribute: string, wanted: AnyValue | Test, valueOf: ValueOf): string {
  if (wanted === undefined) return `attribute_not_exists(${attribute})`;
  return typeof wanted === 'function' ? wanted(attribute, valueOf) : `${attribute} = ${valueOf(wanted)}`;
}

/** DynamoDB takes no hyphen in an alias, and `m2026-11` has one. */
const aliasOf = (attribute: string): string => `#${attribute.replaceAll('-', '_')}`;

/** What an update does to attributes. */
export interface Changes {
  /** New values; undefined: the attribute is removed. */
  readonly set?: Readonly<Record<string, AnyValue>> | undefined;
  /** Values for attributes that are absent; a present one stays. */
  readonly setIfAbsent?: Readonly<Record<string, AnyValue>> | undefined;
  /** Added to a number, which is 0 where it is absent, or to a set. */
  readonly add?: Readonly<Record<string, number | ReadonlySet<string> | ReadonlySet<number>>> | undefined;
}

/**
 * Conditions, of which one must hold, and changes, in the terms of DynamoDB. An expression that says nothing is an
 * empty text.
 */
export function expressionsOf(when: readonly Conditions[], { set = {}, setIfAbsent = {}, add = {} }: Changes = {}) {
  const values: Record<string, unknown> = {};
  const valueOf: ValueOf = (value) => {
    const placeholder = `:v${Object.keys(values).length}`;
    values[placeholder] = value;
    return placeholder;
  };
  const alternatives = when.map((wanted) => {
    const tests = Object.entries(wanted).map(([name, value]) => tested(aliasOf(name), value, valueOf));
    // DynamoDB refuses redundant parentheses.
    return when.length > 1 && tests.length > 1 ? `(${tests.join(' AND ')})` : tests.join(' AND ');
  });
  const kept = Object.entries(set).filter(([, value]) => value !== undefined);
  const removed = Object.keys(set).filter((name) => set[name] === undefined);
  const clauses: [verb: string, parts: string[]][] = [
    [
      'SET',
      [
        ...kept.map(([name, value]) => `${aliasOf(name)} = ${valueOf(value)}`),
        ...Object.entries(setIfAbsent).map(
          ([name, value]) => `${aliasOf(name)} = if_not_exists(${aliasOf(name)}, ${valueOf(value)})`,
        ),
      ],
    ],
    ['REMOVE', removed.map(aliasOf)],
    ['ADD', Object.entries(add).map(([name, value]) => `${aliasOf(name)} ${valueOf(value)}`)],
  ];
  const attributes = [
    ...when.flatMap(Object.keys),
    ...Object.keys(set),
    ...Object.keys(setIfAbsent),
    ...Object.keys(add),
  ];
  return {
    condition: alternatives.join(' OR '),
    update: clauses.flatMap(([verb, parts]) => (parts.length > 0 ? `${verb} ${parts.join(', ')}` : [])).join(' '),
    aliases: {
      ...(attributes.length > 0 && {
        ExpressionAttributeNames: Object.fromEntries(attributes.map((name) => [aliasOf(name), name])),
      }),
      ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
    },
  };
}

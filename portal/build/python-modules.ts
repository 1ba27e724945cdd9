import { problems, type Operation, type Schema } from './client-modules.ts';
import { manageDocument } from './manage-document.ts';

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const PRIMITIVES: Readonly<Record<string, string>> = {
  integer: 'int',
  number: 'float',
  string: 'str',
  boolean: 'bool',
  null: 'None',
};
const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const nameOf = ($ref: string): string => $ref.split('/').at(-1) ?? '';
const upper = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
/** A docstring: the names in it are those of Python. */
const docOf = (text: string): string =>
  `    """${text.replaceAll(/\bnull\b/gi, 'None').replaceAll(/\b[a-z]+\d*(?:[A-Z][a-z]+)+\b/g, snakeCase)}"""\n`;

/** The module of the Python library with the types of the management API: answers are dataclasses. */
function manageModule(): string {
  const { paths, components } = manageDocument() as unknown as Document;
  const { schemas } = components;
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const bodyOf = ({ requestBody }: Operation) => requestBody?.content['application/json']?.schema;
  const given = new Set(operations.flatMap((operation) => bodyOf(operation)?.$ref ?? []).map(nameOf));
  const classes: string[] = [];

  /** An object without a name has that of its place. */
  function typeOf(schema: Schema, place: string, time: string): string {
    if (schema.$ref) {
      const target = schemas[nameOf(schema.$ref)] ?? {};
      return target.properties ? nameOf(schema.$ref) : typeOf(target, place, time);
    }
    if (schema.anyOf) return schema.anyOf.map((each) => typeOf(each, place, time)).join(' | ');
    if (schema.enum) return `Literal[${schema.enum.map((value) => JSON.stringify(value)).join(', ')}]`;
    if (schema.const !== undefined)
      return schema.const === true ? 'Literal[True]' : `Literal[${JSON.stringify(schema.const)}]`;
    if (schema.items) return `list[${typeOf(schema.items, place.replace(/s$/, ''), time)}]`;
    if (schema.properties) {
      answer(place, schema);
      return place;
    }
    if (schema.additionalProperties) return `dict[str, ${typeOf(schema.additionalProperties, place, time)}]`;
    const type = schema.format === 'date-time' ? time : PRIMITIVES[schema.type ?? ''];
    if (type === undefined) throw new Error(`A schema of manage.yaml has no type: ${place}`);
    return type;
  }

  const meaningOf = (schema: Schema): string =>
    schema.description ?? (schema.$ref ? (schemas[nameOf(schema.$ref)]?.description ?? '') : '');
  const membersOf = (
    { properties = {}, required = [] }: Schema,
    lineOf: (name: string, schema: Schema, isThere: boolean) => string,
  ): string =>
    Object.entries(properties)
      .map(([name, schema]) => ({ name, schema, isThere: required.includes(name) }))
      // A member without a default is first.
      .toSorted((one, other) => Number(other.isThere) - Number(one.isThere))
      .map(({ name, schema, isThere }) => {
        const meaning = meaningOf(schema);
        return `    ${snakeCase(name)}: ${lineOf(name, schema, isThere)}\n${meaning && docOf(meaning)}`;
      })
      .join('');

  function answer(name: string, schema: Schema): void {
    const members = membersOf(schema, (member, of, isThere) => {
      const type = typeOf(of, name + upper(member), 'datetime');
      if (!isThere) return type.includes('None') ? `${type} = None` : `${type} | None = None`;
      return of.$ref === '#/components/schemas/Secret' ? `${type} = field(repr=False)` : type;
    });
    const doc = docOf(schema.description ?? `As the contract has it, \`manage.yaml\` of the portal.`);
    classes.push(`@dataclass(frozen=True)\nclass ${name}(Answer):\n${doc}\n${members}`);
  }
  function input(name: string, schema: Schema, doc: string): void {
    const members = membersOf(schema, (member, of) => typeOf(of, name + upper(member), 'datetime | str'));
    classes.push(`class ${name}(CallOptions, total=False):\n${docOf(doc)}\n${members}`);
  }

  for (const [name, schema] of Object.entries(schemas)) {
    if (!schema.properties || name === 'Problem') continue;
    if (given.has(name)) input(name, schema, `What is given to the API, beside the options of a call.`);
    else answer(name, schema);
  }
  for (const { operationId, summary, parameters = [] } of operations) {
    const query = parameters.filter((parameter) => parameter.in === 'query');
    if (query.length === 0) continue;
    const properties = Object.fromEntries(
      query.map(({ schema, ...parameter }) => [parameter.name, { ...parameter, ...schema }]),
    );
    input(`${upper(operationId)}Query`, { properties }, `What to ask for: ${summary.toLowerCase()}.`);
  }
  return `# Generated from the contract of the management API.
from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from ._options import CallOptions
from ._reading import Answer

__all__ = [${classes.map((text) => JSON.stringify(/^class (\w+)/m.exec(text)?.[1])).join(', ')}]


${classes.join('\n\n').trimEnd()}
`;
}

/** The module with every error of the gateway, in the form that it sends. */
function problemsModule(): string {
  const all = problems();
  const lines = all.map(([code, { body, headers }]) => {
    const text = JSON.stringify(JSON.stringify(body));
    return `    "${code}": (${body.status}, ${JSON.stringify(headers)}, ${text}),\n`;
  });
  return `# Generated from the gateway's errors.
from __future__ import annotations

from typing import Literal, Mapping

ErrorCode = Literal[${all.map(([code]) => JSON.stringify(code)).join(', ')}]
"""Every code that the gateway refuses a request with."""

PROBLEMS: Mapping[str, tuple[int, Mapping[str, str], str]] = {
${lines.join('')}}
"""Status, headers and body of each, but for the id of the request."""
`;
}

/** The modules of the Python library that are made from the contracts, by their names. */
export const pythonModules = { _manage: manageModule, _problems: problemsModule } as const;

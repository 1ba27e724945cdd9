import type * as v from 'valibot';
import { ERRORS } from '../../shared/http/errors.ts';
import {
  parseIJsonObject,
  decodeUtf8,
  isIdempotencyKey,
  isJsonMediaType,
  MAX_BODY_BYTES,
  memberNames,
  validate,
} from '../../shared/http/input.ts';
import { Nothing } from '../contract/fields.ts';
import type { PortalContext } from './hono-context.ts';
import { PortalError } from '../contract/errors.ts';

const IDEMPOTENCY_KEY = 'Idempotency-Key';

/** A schema for input. */
export type Schema<T> = v.GenericSchema<unknown, T>;

/**
 * The body of a change, by its schema; an empty one is `{}`. Refuses with 413, 415 and 400, in this order; 400 names
 * the member.
 *
 * @param schema absent: the change asks for nothing further
 * @param listAs the member that a body which is a list stands for; absent: such a body is refused
 * @param maxBytes of a larger body than usual
 */
export async function readInput<T>(
  c: PortalContext,
  schema: Schema<T> = Nothing as never,
  { listAs, maxBytes = MAX_BODY_BYTES }: { readonly listAs?: string; readonly maxBytes?: number } = {},
): Promise<T> {
  const body = new Uint8Array(await c.req.arrayBuffer());
  if (body.byteLength > maxBytes)
    throw new PortalError('PAYLOAD_TOO_LARGE', { detail: `The request body is over ${maxBytes} bytes.` });
  // A page of another site cannot send a type without a preflight; a token it does not have.
  const needsType = body.byteLength > 0 || c.get('state').tokenId === null;
  if (needsType && !isJsonMediaType(c.req.header('content-type'))) throw new PortalError('UNSUPPORTED_MEDIA_TYPE');
  if (body.byteLength === 0) return validated({}, schema);
  const text = decodeUtf8(body);
  if (text === undefined) throw invalid('The request body is not valid UTF-8.');
  const isList = listAs !== undefined && text.trimStart().startsWith('[');
  const json = parseIJsonObject(isList ? `{${JSON.stringify(listAs)}:${text}}` : text);
  if (!json.ok) throw invalid(json.reason);
  // What follows the list would be further members.
  if (isList && Object.keys(json.value).length > 1) throw invalid('The request body is not valid JSON.');
  return validated(json.value, schema);
}

/**
 * The Idempotency-Key, which makes a creation safe to repeat; undefined: there is none. Refuses an invalid one with
 * 400.
 */
export function readIdempotencyKey(c: PortalContext): string | undefined {
  const key = c.req.header(IDEMPOTENCY_KEY);
  if (key === undefined || isIdempotencyKey(key)) return key;
  throw invalid(ERRORS.INVALID_IDEMPOTENCY_KEY.detail, IDEMPOTENCY_KEY);
}

/** The parameters of a query, by their schema. Refuses with 400 and names the parameter, unless it is unknown. */
export function readQuery<T>(c: PortalContext, schema: Schema<T>): T {
  const given = Object.entries(c.req.queries());
  const [twice] = given.find(([, values]) => values.length > 1) ?? [];
  if (twice !== undefined) {
    const known = memberNames(schema).find((name) => name === twice);
    throw invalid('A query parameter is named twice.', known);
  }
  return validated(Object.fromEntries(given.map(([name, [value]]) => [name, value])), schema);
}

function validated<T>(value: unknown, schema: Schema<T>): T {
  const result = validate(schema, value);
  if (result.ok) return result.value;
  throw invalid(result.detail, result.field);
}

const invalid = (detail: string, field?: string): PortalError => new PortalError('INVALID_REQUEST', { detail, field });

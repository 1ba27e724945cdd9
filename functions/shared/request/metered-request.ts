import { createHash } from 'node:crypto';
import { keyedHash, type KeyTagSecrets } from '../credentials/api-key.ts';
import { GatewayError } from '../http/errors.ts';
import { parseIJsonObject, decodeUtf8, isIdempotencyKey, isJsonMediaType, MAX_BODY_BYTES } from '../http/input.ts';
import type { MeteredOperation, OperationInput, Operation } from './operation.ts';

/** The parts of an HTTP request that are read for a metered operation. */
export interface RawRequest {
  readonly contentType: string | undefined;
  readonly idempotencyKey: string | undefined;
  readonly body: Uint8Array;
}

/** A valid request to a metered operation, and the key of its replay record. */
export interface MeteredRequest {
  /** The body, as the operation reads it. */
  readonly input: OperationInput;
  /** Undefined: no Idempotency-Key was sent. */
  readonly replayKey: ReplayKey | undefined;
}

/**
 * Reads a request to an operation, or returns its refusal. It is pure: it can run before authentication, and its
 * refusal can be used later. Order: 413, empty 400, 415, then 400. API Gateway gives an empty POST a Content-Type of
 * its own, so an empty body is checked before the type.
 */
export function readMeteredRequest(
  operation: MeteredOperation,
  { contentType, idempotencyKey, body }: RawRequest,
): MeteredRequest | GatewayError {
  if (body.byteLength > MAX_BODY_BYTES) return new GatewayError('PAYLOAD_TOO_LARGE');
  if (body.byteLength === 0) return invalid('The request body is empty; send at least {}.');
  if (!isJsonMediaType(contentType)) return new GatewayError('UNSUPPORTED_MEDIA_TYPE');
  if (idempotencyKey !== undefined && !isIdempotencyKey(idempotencyKey)) {
    return new GatewayError('INVALID_IDEMPOTENCY_KEY');
  }
  const text = decodeUtf8(body);
  if (text === undefined) return invalid('The request body is not valid UTF-8.');
  const json = parseIJsonObject(text);
  if (!json.ok) return invalid(json.reason);
  const input = operation.read(json.value);
  if (typeof input === 'string') return invalid(input);
  return {
    input,
    replayKey: idempotencyKey === undefined ? undefined : replayKey(operation, idempotencyKey, json.canonical),
  };
}

const invalid = (detail: string): GatewayError => new GatewayError('INVALID_REQUEST', { detail });

/** The parts of an operation that identify its replay records. */
export type ReplayScope = Pick<Operation, 'path' | 'requires'> & { readonly method: string };

/** Where the replay record of an idempotent request is stored, and which request it must belong to. */
export interface ReplayKey {
  /**
   * SHA-256 over mode, method, path and Idempotency-Key, hex; unique within a project. The client's Idempotency-Key
   * itself is not stored. The API key is not part of it: after a rotation the new key finds the same record.
   */
  readonly id: string;
  /** SHA-256 over method, path and the canonical body (RFC 8785), hex. */
  readonly fingerprint: string;
}

/** The id of the replay record of an Idempotency-Key and an operation. */
export const replayId = ({ requires, method, path }: ReplayScope, idempotencyKey: string): string =>
  digest(requires.mode, method, path, idempotencyKey);

/** The replay key of a request to an operation, from its Idempotency-Key and the RFC 8785 form of its body. */
export const replayKey = (operation: ReplayScope, idempotencyKey: string, canonicalBody: string): ReplayKey => ({
  id: replayId(operation, idempotencyKey),
  fingerprint: digest(operation.method, operation.path, canonicalBody),
});

/**
 * The tag of an Idempotency-Key in a project, under the newest secret of the stage: 8 hexadecimal characters. Events
 * keep it, so that their readers can tell whether two requests had the same key, and nobody learns the key. Only tags
 * with the same first 3 characters are of the same secret, and can be compared.
 */
export function idempotencyTag([secret]: KeyTagSecrets, projectId: string, idempotencyKey: string): string {
  const hashOf = (...texts: string[]) => keyedHash(secret, 'idempotency tag', texts).toString('hex');
  return hashOf(projectId).slice(0, 3) + hashOf(projectId, idempotencyKey).slice(0, 5);
}

// No part before the last can contain a line feed, so two different inputs never join to the same text.
const digest = (...parts: string[]): string => createHash('sha256').update(parts.join('\n')).digest('hex');

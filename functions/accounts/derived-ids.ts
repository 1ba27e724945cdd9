import { createHash } from 'node:crypto';
import type { RandomBytes } from '../core/base62.ts';
import type { ControlPlane } from './control-plane.ts';
import { RepeatedError } from './refusals.ts';

/**
 * Where the id of what a person creates comes from: under an Idempotency-Key the same for each repeat of the request,
 * else chance.
 *
 * @param scope what is created and in what, so that one key serves different requests
 */
export function idSource(
  { caller, randomBytes }: ControlPlane,
  scope: readonly string[],
  idempotencyKey: string | undefined,
): RandomBytes {
  return caller && idempotencyKey !== undefined ? bytesOf([caller.userId, ...scope, idempotencyKey]) : randomBytes;
}

/** Bytes that look like chance, and are the same each time for the same texts, which they do not tell. */
export function bytesOf(texts: readonly string[]): RandomBytes {
  const seed = JSON.stringify(texts);
  let block = 0;
  return (size) => {
    const bytes: Buffer[] = [];
    for (let length = 0; length < size; length += 32) {
      bytes.push(createHash('sha256').update(`${block++} ${seed}`).digest());
    }
    return Buffer.concat(bytes).subarray(0, size);
  };
}

/** A refusal for an item that only an earlier attempt of the same request can have made; none without such a key. */
export const unlessRepeated = (idempotencyKey: string | undefined): (() => RepeatedError) | undefined =>
  idempotencyKey === undefined ? undefined : () => new RepeatedError();

/** The result of a creation, or of what a repeat of it does instead. */
export async function orRepeated<T>(creation: Promise<T>, repeated: () => Promise<T>): Promise<T> {
  try {
    return await creation;
  } catch (error) {
    if (!(error instanceof RepeatedError)) throw error;
    return repeated();
  }
}

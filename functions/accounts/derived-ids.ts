import { createHash } from 'node:crypto';
import type { RandomBytes } from '../core/ids.ts';
import { keyedHash } from '../core/api-key.ts';
import type { AccountStore, StoredItem } from './account-store.ts';
import { RefusedError, RepeatedError } from './refusals.ts';

/** What a person asks for under an Idempotency-Key. */
export interface Creation {
  /** Where the ids of what is made come from: the same for each repeat, or chance. */
  readonly ids: RandomBytes;
  /** What was asked for, as {@link repeatOf} compares it; undefined: there is no such key. */
  readonly fingerprint: string | undefined;
}

/**
 * A creation, or a repeat of one. Under an Idempotency-Key its ids derive from the person and that key, and the secret of
 * the stage: nobody chooses an id by choosing a key. Operators have no such keys.
 *
 * @param scope what is created and in what, so that one key serves different requests
 * @param input all that is asked for; a request with another input is no repeat
 */
export async function creationOf(
  { caller, randomBytes, keyTagSecrets }: AccountStore,
  scope: readonly string[],
  input: object,
  idempotencyKey: string | undefined,
): Promise<Creation> {
  if (!caller || idempotencyKey === undefined) return { ids: randomBytes, fingerprint: undefined };
  const [secret] = await keyTagSecrets();
  const asked = [caller.userId, ...scope, idempotencyKey];
  return {
    ids: bytesOf(asked, (text) => keyedHash(secret, 'derived id', [text])),
    // Keyed and of this request alone: it outlives what was asked for, which may be somebody's address.
    fingerprint: keyedHash(secret, 'fingerprint', [...asked, JSON.stringify(input)]).toString('base64url'),
  };
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Bytes that look like chance, and are the same each time for the same texts, which they do not tell. */
export function bytesOf(texts: readonly string[], hash: (text: string) => Buffer = sha256): RandomBytes {
  const seed = JSON.stringify(texts);
  let block = 0;
  return (size) => {
    const bytes: Buffer[] = [];
    for (let length = 0; length < size; length += 32) bytes.push(hash(`${block++} ${seed}`));
    return Buffer.concat(bytes).subarray(0, size);
  };
}

/** What is stored with an item that only one creation can have made, so that a repeat is known by it. */
export const markedBy = ({ fingerprint }: Creation): { fingerprint?: string } =>
  fingerprint === undefined ? {} : { fingerprint };

/**
 * What a creation is that finds its item made: a repeat, or another request under the same Idempotency-Key. Items from
 * before they were marked tell nothing, and are taken for a repeat's.
 */
export const repeatOf = ({ fingerprint }: Creation, stored: StoredItem | undefined): RepeatedError | RefusedError =>
  stored?.fingerprint === undefined || stored.fingerprint === fingerprint
    ? new RepeatedError()
    : new RefusedError('This Idempotency-Key was used for another request.', { code: 'IDEMPOTENCY_CONFLICT' });

/** A refusal for an item that only an earlier attempt of the same request can have made; none without such a key. */
export const unlessRepeated = (
  creation: Creation,
): ((stored: StoredItem | undefined) => RepeatedError | RefusedError) | undefined =>
  creation.fingerprint === undefined ? undefined : (stored) => repeatOf(creation, stored);

/** The result of a creation, or of what a repeat of it does instead. */
export async function orRepeated<T>(creation: Promise<T>, repeated: () => Promise<T>): Promise<T> {
  try {
    return await creation;
  } catch (error) {
    if (!(error instanceof RepeatedError)) throw error;
    return repeated();
  }
}

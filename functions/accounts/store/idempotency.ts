import { createHash } from 'node:crypto';
import type { RandomBytes } from '../../shared/ids.ts';
import { keyedHash } from '../../shared/credentials/api-key.ts';
import type { AccountStore, StoredItem } from './account-store.ts';
import { RefusedError, RepeatedError } from './refusals.ts';

/** A creation by a person under an Idempotency-Key. */
export interface Creation {
  /** The source of the new ids: the same for each repeat, or random. */
  readonly ids: RandomBytes;
  /**
   * The source of a new secret: the same for each repeat that knows the salt, or random. So a late attempt, or one that
   * the network doubles, gives no other secret than the one that was answered.
   */
  readonly secretBytes: (salt: string) => RandomBytes;
  /** The request, as {@link repeatOf} compares it; undefined: there is no Idempotency-Key. */
  readonly fingerprint: string | undefined;
}

/**
 * A creation, or a repeat of one. Under an Idempotency-Key its ids derive from the person, that key and the secret of
 * the stage: nobody can choose an id by choosing a key. The platform team has no such keys.
 *
 * @param scope what is created and in what, so that one key serves different requests
 * @param input the whole input; a request with another input is no repeat
 */
export async function creationOf(
  { caller, randomBytes, keyTagSecrets }: AccountStore,
  scope: readonly string[],
  input: object,
  idempotencyKey: string | undefined,
): Promise<Creation> {
  if (!caller || idempotencyKey === undefined) {
    return { ids: randomBytes, secretBytes: () => randomBytes, fingerprint: undefined };
  }
  const [secret] = await keyTagSecrets();
  const asked = [caller.userId, ...scope, idempotencyKey];
  return {
    ids: bytesOf(asked, (text) => keyedHash(secret, 'derived id', [text])),
    secretBytes: (salt) => bytesOf([...asked, salt], (text) => keyedHash(secret, 'derived secret', [text])),
    // The hash is keyed and for this request only, because it is kept longer than the input, which may be somebody's
    // address.
    fingerprint: keyedHash(secret, 'fingerprint', [...asked, JSON.stringify(input)]).toString('base64url'),
  };
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Pseudorandom bytes: the same each time for the same texts, which they do not reveal. */
export function bytesOf(texts: readonly string[], hash: (text: string) => Buffer = sha256): RandomBytes {
  const seed = JSON.stringify(texts);
  let block = 0;
  return (size) => {
    const bytes: Buffer[] = [];
    for (let length = 0; length < size; length += 32) bytes.push(hash(`${block++} ${seed}`));
    return Buffer.concat(bytes).subarray(0, size);
  };
}

/**
 * The mark on an item of one creation, by which a repeat recognises it, with the salt of its secret if it has one.
 * Without this salt nobody can derive the secret, not even with the Idempotency-Key and the secret of the stage.
 */
export const markedBy = ({ fingerprint }: Creation, salt?: string): { fingerprint?: string; salt?: string } =>
  fingerprint === undefined ? {} : { fingerprint, ...(salt !== undefined && { salt }) };

const SALT_BYTES = 16;
export const newSalt = ({ randomBytes }: Pick<AccountStore, 'randomBytes'>): string =>
  Buffer.from(randomBytes(SALT_BYTES)).toString('base64url');

/** The error of a creation whose item exists: a repeat, or another request under the same Idempotency-Key. */
export const repeatOf = ({ fingerprint }: Creation, stored: StoredItem | undefined): RepeatedError | RefusedError =>
  stored?.fingerprint === fingerprint
    ? new RepeatedError()
    : new RefusedError('This Idempotency-Key was used for another request.', { code: 'IDEMPOTENCY_CONFLICT' });

/**
 * The refusal for an item that only an earlier attempt of the same request can have made; none without an
 * Idempotency-Key.
 */
export const unlessRepeated = (
  creation: Creation,
): ((stored: StoredItem | undefined) => RepeatedError | RefusedError) | undefined =>
  creation.fingerprint === undefined ? undefined : (stored) => repeatOf(creation, stored);

/** The result of a creation, or that of its repeat. */
export async function orRepeated<T>(creation: Promise<T>, repeated: () => Promise<T>): Promise<T> {
  try {
    return await creation;
  } catch (error) {
    if (!(error instanceof RepeatedError)) throw error;
    return repeated();
  }
}

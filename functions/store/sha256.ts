import { createHash, createHmac, createSecretKey, type KeyObject } from 'node:crypto';

type Source = string | ArrayBuffer | ArrayBufferView;
type Hash = ReturnType<typeof createHash> | ReturnType<typeof createHmac>;

/**
 * What the SDK signs its calls with: SHA-256, or with a secret HMAC-SHA-256. As its own, but the secret is a KeyObject:
 * one of bytes takes Node 24 several times as long since it hardened its keys (nodejs/node#63111), in all a twelfth of a
 * ping's CPU time.
 */
export class Sha256 {
  readonly #key: KeyObject | undefined;
  #hash: Hash;

  constructor(secret?: Source) {
    this.#key = secret === undefined ? undefined : createSecretKey(bytesOf(secret));
    this.#hash = this.#start();
  }

  update(data: Source): void {
    this.#hash.update(bytesOf(data));
  }

  /** Ends the hash: {@link reset} before the next `update`. */
  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.#hash.digest());
  }

  reset(): void {
    this.#hash = this.#start();
  }

  #start(): Hash {
    return this.#key === undefined ? createHash('sha256') : createHmac('sha256', this.#key);
  }
}

function bytesOf(source: Source): Uint8Array {
  if (typeof source === 'string') return Buffer.from(source, 'utf8');
  return ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
    : new Uint8Array(source);
}

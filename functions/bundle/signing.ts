/**
 * In place of `@smithy/signature-v4` and `@smithy/core/checksum`: the functions' clients sign by themselves
 * (store/request-signer.ts), so the SDK makes neither a signer nor a hash. If it ever does, that is an error and not a
 * wrong signature.
 */
export class SignatureV4 {
  sign(): never {
    throw new Error('signing by the SDK is not part of this bundle');
  }
}

export { SignatureV4 as Sha256 };

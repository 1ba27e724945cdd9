import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import * as v from 'valibot';
import { readPrivateFile, replacePrivateFile } from '../private-file.ts';

const Keys = v.object({
  /** Signs ID tokens: a private key as a JSON Web Key. */
  signing: v.looseObject({ kty: v.literal('EC'), crv: v.string(), x: v.string(), y: v.string(), d: v.string() }),
  /** Signs the provider's cookies. */
  cookies: v.string(),
});
export type ProviderKeys = v.InferOutput<typeof Keys>;

/** Algorithm of the signing key. */
export const SIGNING_ALGORITHM = 'ES256';

/** The provider's keys: those of an earlier run if data is kept, otherwise new ones. */
export async function providerKeys(dataDirectory: string | undefined): Promise<ProviderKeys> {
  const file = dataDirectory === undefined ? undefined : join(dataDirectory, 'identity.json');
  const earlier = file === undefined ? undefined : await readPrivateFile(file, Keys);
  if (earlier) return earlier;
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const signing = { ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: SIGNING_ALGORITHM };
  const keys = v.parse(Keys, { signing, cookies: randomBytes(32).toString('base64url') });
  if (file !== undefined) await replacePrivateFile(file, keys);
  return keys;
}

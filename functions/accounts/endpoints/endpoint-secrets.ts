import { keyedHash, type KeyTagSecrets } from '../../shared/credentials/api-key.ts';

/** The prefix of a secret (Standard Webhooks 1.0.0, "Signature scheme"). */
const PREFIX = 'whsec_';

/** The input of a secret: its endpoint and its version. */
interface Versioned {
  readonly endpointId: string;
  readonly secretVersion: number;
}

/** The secret of an endpoint, 32 bytes, in the form for its owner. It is derived, and never stored. */
export const endpointSecret = ([newest]: KeyTagSecrets, endpoint: Versioned): string =>
  PREFIX + derived(newest, endpoint).toString('base64');

/**
 * The secrets that sign deliveries of an endpoint now: the present one, and the previous one while it is valid. Each is
 * derived under every secret of the stage, since nothing says which of them was used. So a secret stays valid as long
 * as keys that were made under the same secret of the stage.
 */
export function signingSecrets(
  secrets: KeyTagSecrets,
  { endpointId, secretVersion, previousUntilMs = 0 }: Versioned & { readonly previousUntilMs?: number },
  nowMs: number,
): Buffer[] {
  const versions = nowMs < previousUntilMs ? [secretVersion, secretVersion - 1] : [secretVersion];
  return versions.flatMap((version) =>
    secrets.map((secret) => derived(secret, { endpointId, secretVersion: version })),
  );
}

const derived = (secret: KeyTagSecrets[0], { endpointId, secretVersion }: Versioned): Buffer =>
  keyedHash(secret, 'webhook secret', [endpointId, String(secretVersion)]);

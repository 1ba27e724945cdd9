import { keyedHash, type KeyTagSecrets } from '../core/api-key.ts';

/** How a secret of the standard begins (Standard Webhooks 1.0.0, "Signature scheme"). */
const PREFIX = 'whsec_';

/** What a secret derives from: its endpoint and its number. */
interface Versioned {
  readonly endpointId: string;
  readonly secretVersion: number;
}

/** The secret of an endpoint as its owner gets it, 32 bytes. It is derived, and nowhere stored. */
export const endpointSecret = ([newest]: KeyTagSecrets, endpoint: Versioned): string =>
  PREFIX + derived(newest, endpoint).toString('base64');

/**
 * The secrets under which deliveries of an endpoint are signed now: the present one, and the one before while it goes on.
 * Each under every secret of the stage, since nothing says under which of them it was derived: it goes on as keys do that
 * were made under it.
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

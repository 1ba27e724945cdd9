// Named, not loaded on demand: of a module that is loaded whole the bundler leaves nothing out, 38 kB in place of 14.
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';

/** Longest time for one attempt, of at most two: within the request's own time. */
const ATTEMPT_MS = 1_000;
const MAX_ATTEMPTS = 2;

/**
 * Reads the text of a secret in AWS Secrets Manager, its current version at each call. The client is made at the first.
 * Rejects when there is no such text, or it cannot be had in time.
 */
export function secretText(secretArn: string): () => Promise<string> {
  let client: SecretsManagerClient | undefined;
  return async () => {
    client ??= new SecretsManagerClient({
      maxAttempts: MAX_ATTEMPTS,
      requestHandler: { connectionTimeout: ATTEMPT_MS, requestTimeout: ATTEMPT_MS, throwOnRequestTimeout: true },
    });
    const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId: secretArn }));
    if (!SecretString) throw new Error('the secret holds no text');
    return SecretString;
  };
}

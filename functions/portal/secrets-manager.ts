// Imported by name, and not on demand: from a module that is loaded whole, the bundler removes nothing, which is 38 kB
// instead of 14.
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';

/** The longest time for one of at most two attempts, within the request's own time. */
const ATTEMPT_MS = 1_000;
const MAX_ATTEMPTS = 2;

/**
 * Reads the text of a secret in AWS Secrets Manager, its current version at each call. The first call makes the client.
 * Rejects when there is no such text, or not in time.
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

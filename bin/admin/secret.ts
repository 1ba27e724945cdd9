import { CURRENT_SECRET_VERSION } from '../../functions/wiring.ts';
import { AWS_CLIENT } from './aws-client.ts';
import { nextStep, reason } from './errors.ts';

/**
 * The text of a version of a secret in AWS Secrets Manager; {@link CURRENT_SECRET_VERSION} is the current one. Throws an
 * error of one line, without the text, when it cannot be read.
 */
export async function readSecret(secretArn: string, version: string): Promise<string> {
  // Loaded here only: commands that make no key start without it.
  const { GetSecretValueCommand, SecretsManagerClient } = await import('@aws-sdk/client-secrets-manager');
  const client = new SecretsManagerClient(AWS_CLIENT);
  const named = version === CURRENT_SECRET_VERSION ? { VersionStage: version } : { VersionId: version };
  try {
    const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId: secretArn, ...named }));
    if (!SecretString) throw new Error('It holds no text');
    return SecretString;
  } catch (error) {
    throw new Error(`No key was made: the secret ${secretArn} cannot be read (${reason(error)}).${nextStep(error)}`, {
      cause: error,
    });
  } finally {
    client.destroy();
  }
}

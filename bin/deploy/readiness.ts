import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { AWS_CLIENT } from '../admin/aws-client.ts';
import { nextStep, reason } from '../admin/errors.ts';

/**
 * Makes sure that AWS knows who deploys, and to which region: the CDK finds out only when it has built everything, and
 * takes us-east-1 where no region is set. Rejects with an error of one line that names the next step.
 *
 * @param profile of `--profile`, in place of the environment's
 */
export async function requireSignedIn(profile: string | undefined): Promise<void> {
  const client = new STSClient({ ...AWS_CLIENT, ...(profile !== undefined && { profile }) });
  try {
    await client.send(new GetCallerIdentityCommand());
  } catch (error) {
    throw new Error(`AWS cannot be asked who deploys (${reason(error)}).${nextStep(error, profile)}`, { cause: error });
  } finally {
    client.destroy();
  }
}

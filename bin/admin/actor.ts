import type { Stage } from '../../functions/wiring.ts';
import { isLocalDatabase, LOCAL_ACTOR, type Environment } from '../../local/settings.ts';
import { AWS_CLIENT } from './aws-client.ts';
import { nextStep, reason } from './errors.ts';

/** The options that say where a command works. */
interface Whereabouts {
  readonly local?: true;
  readonly stage?: Stage;
}

/**
 * Who makes a change, for the audit: the ARN of the AWS identity whose credentials are used, or `local` on a database of
 * this machine, where nobody has one. Asked when it is first needed, and once. Rejects with an error of one line.
 */
export function findActor({ local, stage }: Whereabouts, environment: Environment): () => Promise<string> {
  // A stage is in AWS, also where its database is reached through a tunnel.
  const isLocal = local ?? (stage === undefined && isLocalDatabase(environment.AWS_ENDPOINT_URL_DYNAMODB));
  if (isLocal) return () => Promise.resolve(LOCAL_ACTOR);
  let asked: Promise<string> | undefined;
  return () => (asked ??= callerArn());
}

async function callerArn(): Promise<string> {
  // Loaded here only: commands that change nothing start without it.
  const { GetCallerIdentityCommand, STSClient } = await import('@aws-sdk/client-sts');
  const client = new STSClient(AWS_CLIENT);
  try {
    const { Arn } = await client.send(new GetCallerIdentityCommand());
    if (!Arn) throw new Error('The answer names nobody');
    return Arn;
  } catch (error) {
    const refusal = `Nothing was changed, since the audit could not say by whom: AWS STS cannot be asked (${reason(error)}).${nextStep(error)}`;
    throw new Error(refusal, { cause: error });
  } finally {
    client.destroy();
  }
}

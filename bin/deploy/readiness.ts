import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { STAGES } from '../../functions/wiring.ts';
import { AWS_CLIENT } from '../admin/aws-client.ts';
import { nextStep, reason } from '../admin/errors.ts';

/** What the command line of a deployment says of who deploys, and to where. */
export interface Asked {
  /** Of `--profile`, in place of the environment's. */
  readonly profile: string | undefined;
  /** Each `name=value` of `-c`. */
  readonly context: readonly string[];
}

/**
 * Makes sure that AWS knows who deploys, and to which region: the CDK finds out only when it has built everything, and
 * takes us-east-1 where no region is set. Rejects with an error of one line that names the next step.
 */
export async function requireSignedIn({ profile, context }: Asked): Promise<void> {
  const { AWS_REGION, AWS_DEFAULT_REGION } = process.env;
  // Those that the CDK takes, too; without one the profile's.
  const region = AWS_REGION || AWS_DEFAULT_REGION || (await regionOfStage(context));
  const client = new STSClient({ ...AWS_CLIENT, ...(profile !== undefined && { profile }), ...(region && { region }) });
  try {
    await client.send(new GetCallerIdentityCommand());
  } catch (error) {
    // The CDK asks for the code, which can be used once.
    if (error instanceof Error && /multi-factor/i.test(error.message)) return;
    throw new Error(`AWS cannot be asked who deploys (${reason(error)}).${nextStep(error, profile)}`, { cause: error });
  } finally {
    client.destroy();
  }
}

/** The region that a stage is set to. What is wrong with settings is the app's to say. */
async function regionOfStage(context: readonly string[]): Promise<string | undefined> {
  const { STAGE_VALUES } = await import('../../lib/stages.ts');
  const given = new Map(context.map((pair) => [pair.split('=', 1)[0], pair.slice(pair.indexOf('=') + 1)]));
  const stage = STAGES.find((name) => name === (given.get('stage') ?? 'dev'));
  return given.get('region') ?? (stage && STAGE_VALUES[stage].region);
}

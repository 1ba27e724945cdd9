import { GetCallerIdentityCommand, STSClient, STSServiceException } from '@aws-sdk/client-sts';
import { STAGES } from '../../functions/wiring.ts';
import { nextStep, reason } from '../admin/errors.ts';
import type { Deployer } from './deployer.ts';

/**
 * Makes sure that AWS knows who deploys, and to which region: the CDK finds out only when it has built everything, and
 * takes us-east-1 where no region is set. Rejects with an error of one line that names the next step. Where it cannot be
 * found out, which need not hold for the CDK, answers with a line that says so: nothing else can be asked then, either.
 * With undefined, where all is well.
 */
export async function requireSignedIn(deployer: Deployer): Promise<string | undefined> {
  const client = new STSClient(deployer);
  try {
    await client.send(new GetCallerIdentityCommand());
    return undefined;
  } catch (error) {
    // The CDK asks for the code, which can be used once.
    if (error instanceof Error && /multi-factor/i.test(error.message)) {
      return 'The profile asks for a code, which the CDK takes: what is deployed is not looked at before.';
    }
    const told = `AWS cannot be asked who deploys (${reason(error)}).${nextStep(error, deployer.profile)}`;
    if (isCertain(error)) throw new Error(told, { cause: error });
    return `${told} The CDK goes on and asks itself.`;
  } finally {
    client.destroy();
  }
}

/** Words of errors of the way to AWS, also where they have become those of a search for credentials. */
const UNREACHED =
  /ENOTFOUND|EAI_AGAIN|ECONN|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|timed out|socket hang up|certificate|EPROTO|ERR_TLS|ERR_PROXY|tunnel/i;

/** Whether the CDK would fail as well: nothing says where to or who, or AWS itself has refused. Only its answers have ids. */
function isCertain(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (/^region is missing$/i.test(error.message)) return true;
  if (error.name === 'CredentialsProviderError') return !UNREACHED.test(error.message);
  return error instanceof STSServiceException && error.$fault === 'client' && error.$metadata.requestId !== undefined;
}

/**
 * The region of a deployment, found as the CDK finds it; undefined: the profile's.
 *
 * @param context each `name=value` of `-c`
 */
export async function regionOf(context: readonly string[]): Promise<string | undefined> {
  const { AWS_REGION, AWS_DEFAULT_REGION } = process.env;
  return AWS_REGION || AWS_DEFAULT_REGION || (await regionOfStage(context));
}

/** The region that a stage is set to. What is wrong with settings is the app's to say. */
async function regionOfStage(context: readonly string[]): Promise<string | undefined> {
  const { STAGE_VALUES } = await import('../../lib/stages.ts');
  const given = new Map(context.map((pair) => [pair.split('=', 1)[0], pair.slice(pair.indexOf('=') + 1)]));
  const stage = STAGES.find((name) => name === (given.get('stage') ?? 'dev'));
  return given.get('region') ?? (stage && STAGE_VALUES[stage].region);
}

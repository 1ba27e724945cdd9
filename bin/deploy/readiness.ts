import { GetCallerIdentityCommand, STSClient, STSServiceException } from '@aws-sdk/client-sts';
import { STAGES } from '../../functions/wiring.ts';
import { nextStep, reason } from '../admin/errors.ts';
import type { Deployer } from './deployer.ts';

/**
 * Checks that AWS accepts the credentials, and that there is a region: the CDK notices that only after building
 * everything, and uses us-east-1 without a region. Rejects with an error of one line that names the next step. If the
 * check itself fails, it returns a line that says so: the CDK may still succeed, but no other check is possible.
 * Undefined: everything is right.
 */
export async function requireSignedIn(deployer: Deployer): Promise<string | undefined> {
  const client = new STSClient(deployer);
  try {
    await client.send(new GetCallerIdentityCommand());
    return undefined;
  } catch (error) {
    // The CDK asks for the code, which can be used only once.
    if (error instanceof Error && /multi-factor/i.test(error.message)) {
      return 'The profile asks for a code, which the CDK takes: what is deployed is not looked at before.';
    }
    const told = `AWS cannot be asked who deploys (${reason(error)}).${nextStep(error, deployer.profile)}`;
    if (isCertain(error)) throw new Error(told, { cause: error });
    return `${told} The CDK continues and asks itself.`;
  } finally {
    client.destroy();
  }
}

/** Words in errors of connections to AWS, also inside errors of a credential provider. */
const UNREACHED =
  /ENOTFOUND|EAI_AGAIN|ECONN|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|timed out|socket hang up|certificate|EPROTO|ERR_TLS|ERR_PROXY|tunnel/i;

/**
 * Whether the CDK would fail too: no region or credentials, or a refusal by AWS itself. Only AWS's answers have request
 * ids.
 */
function isCertain(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (/^region is missing$/i.test(error.message)) return true;
  if (error.name === 'CredentialsProviderError') return !UNREACHED.test(error.message);
  return error instanceof STSServiceException && error.$fault === 'client' && error.$metadata.requestId !== undefined;
}

/**
 * The region of a deployment, found as the CDK does; undefined: the profile's.
 *
 * @param context each `name=value` of `-c`
 */
export async function regionOf(context: readonly string[]): Promise<string | undefined> {
  const { AWS_REGION, AWS_DEFAULT_REGION } = process.env;
  return AWS_REGION || AWS_DEFAULT_REGION || (await regionOfStage(context));
}

/** The region in a stage's settings. The app reports errors of settings. */
async function regionOfStage(context: readonly string[]): Promise<string | undefined> {
  const { STAGE_VALUES } = await import('../../lib/stages.ts');
  const given = new Map(context.map((pair) => [pair.split('=', 1)[0], pair.slice(pair.indexOf('=') + 1)]));
  const stage = STAGES.find((name) => name === (given.get('stage') ?? 'dev'));
  return given.get('region') ?? (stage && STAGE_VALUES[stage].region);
}

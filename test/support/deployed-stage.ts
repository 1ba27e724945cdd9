import { stackNameOf } from '../../lib/stack-names.ts';
import type { OutputName } from '../../lib/stack-outputs.ts';
import { LOCAL_KEY_TAG_SECRET, LOCAL_TABLES } from '../../local/settings.ts';
import { adminOnAws } from './admin.ts';
import { playCloudFormation, playSecretsManager, playSts } from './aws-services.ts';
import { variablesOf } from './iam-proxy/callers.ts';
import type { OnCall } from './iam-proxy/judgement.ts';
import type { Variables } from './processes.ts';

export const STAGE = 'prod';
export const ARN = 'arn:aws:sts::123456789012:assumed-role/Operators/ada';
export const SECRET_ARN = 'arn:aws:secretsmanager:us-east-1:123456789012:secret:KeyTagSecret-AbCdEf';
/** What a stage tells of itself; its tables are those of the local database. */
export const OUTPUTS = {
  ApiUrl: 'https://example.execute-api.us-east-1.amazonaws.com',
  GatewayTableName: LOCAL_TABLES.gateway,
  UsageTableName: LOCAL_TABLES.usage,
  QuotaPeriod: 'day',
  DefaultRpm: '7',
  DefaultQuotaUnits: '500',
  UsageRetentionDays: '100',
  KeyTagSecretArn: SECRET_ARN,
  KeyTagSecretVersion: 'AWSCURRENT',
} satisfies Partial<Record<OutputName, string>>;

/**
 * The services of AWS around a database, with a stage that is deployed, and the CLI of an operator of it. After `close`
 * the CLI calls the network.
 */
export async function deployedStage(databaseUrl: string, onCall?: OnCall) {
  const cloudFormation = await playCloudFormation(onCall);
  const sts = playSts();
  const secretsManager = await playSecretsManager(SECRET_ARN, onCall);
  const variables: Variables = {
    ...variablesOf('operator'),
    AWS_ENDPOINT_URL_DYNAMODB: databaseUrl,
  };
  /** Everything is there again as after the deployment. */
  const reset = (): void => {
    cloudFormation.asked.length = 0;
    cloudFormation.refusal = undefined;
    cloudFormation.stacks.clear();
    cloudFormation.stacks.set(stackNameOf(STAGE), OUTPUTS);
    Object.assign(sts, { asked: 0, arn: ARN });
    secretsManager.asked.length = 0;
    secretsManager.versions.clear();
    secretsManager.versions.set('AWSCURRENT', LOCAL_KEY_TAG_SECRET);
  };
  reset();
  return {
    cloudFormation,
    sts,
    secretsManager,
    variables,
    reset,
    run: (args: readonly string[], more: Variables = {}) =>
      adminOnAws([...args, '--stage', STAGE, '--json'], { ...variables, ...more }),
    close: (): void => {
      for (const service of [cloudFormation, sts, secretsManager]) service.close();
    },
  };
}
export type DeployedStage = Awaited<ReturnType<typeof deployedStage>>;

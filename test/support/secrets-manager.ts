import { startAwsService, type AwsService } from './aws-service.ts';
import { judge, type OnCall } from './door/judgement.ts';
import { Refusal } from './door/signature.ts';
import { policies } from './iam.ts';

/** An AWS Secrets Manager with one secret. */
export interface TestSecretsManager extends AwsService {
  /** Texts of the secret, by id or stage of their version. */
  readonly versions: Map<string, string>;
  /** The versions that were requested. */
  readonly asked: string[];
}

const NEEDED = { resource: 'secret', action: 'secretsmanager:GetSecretValue', leadingKeys: [] } as const;

/**
 * Plays `GetSecretValue` of Secrets Manager's JSON API for the secret with this ARN, for callers that sign and are
 * allowed to read it.
 */
export async function startSecretsManager(arn: string, onCall?: OnCall): Promise<TestSecretsManager> {
  const [, , service = '', region] = arn.split(':');
  const allowed = await policies();
  const started = await startAwsService(
    { 'Content-Type': 'application/x-amz-json-1.1' },
    (request) => {
      judge(request, { service, region }, { needs: () => [NEEDED], allowed, onCall });
      const { SecretId, VersionId, VersionStage } = JSON.parse(request.body.toString()) as Record<string, string>;
      const version = VersionId ?? VersionStage ?? '';
      manager.asked.push(version);
      const isAsked = SecretId === arn && request.headers['x-amz-target'] === 'secretsmanager.GetSecretValue';
      const SecretString = isAsked ? manager.versions.get(version) : undefined;
      if (SecretString === undefined) throw new Refusal('ResourceNotFoundException', "Secrets Manager can't find it.");
      return JSON.stringify({ ARN: arn, SecretString });
    },
    ({ name, message }) => [400, JSON.stringify({ __type: name, message })],
  );
  const manager: TestSecretsManager = { ...started, versions: new Map(), asked: [] };
  return manager;
}

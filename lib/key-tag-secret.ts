import { RemovalPolicy, SecretValue, Validations } from 'aws-cdk-lib';
import { Secret, type ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';

/** 381 bits of base62; a comma separates secrets in a list. */
const GENERATED_CHARACTERS = 64;

/**
 * The secret under which keys are tagged, made by the deployment and never shown. It is stored with the tables: without
 * it every key in them is refused.
 *
 * @param replicaRegion where a copy of it is kept, with the same versions; undefined: nowhere
 */
export function keyTagSecret(scope: Construct, id: string, replicaRegion?: string): ISecret {
  const secret = new Secret(scope, id, {
    description:
      'Tags of API keys: one secret, or several with commas between, newest first (docs/runbook.md, "Change the secret of key tags").',
    generateSecretString: { excludePunctuation: true, passwordLength: GENERATED_CHARACTERS },
    ...(replicaRegion !== undefined && { replicaRegions: [{ region: replicaRegion }] }),
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  });
  Validations.of(secret).acknowledge({
    id: 'AwsSolutions-SMG4',
    reason:
      'Keys are made under it and live as long: a rotation by schedule would end them. It guards cost, not access, and ' +
      'is changed by hand when it has become known.',
  });
  return secret as ISecret;
}

/**
 * The secret's text, which CloudFormation fills in when it deploys a function. Then everyone who may read the
 * function's configuration can read it. This is acceptable, because the secret protects cost and other projects, and
 * not access. In return a cold start needs no call, and the function no permission.
 *
 * @param version undefined: the current one. CloudFormation reads it again only when the template changes. So after a
 * change of the secret the version must be named: this makes a new version of the function, and keeps the old one for a
 * rollback.
 */
export const keyTagSecretText = ({ secretArn }: ISecret, version: string | undefined): string =>
  SecretValue.secretsManager(secretArn, version === undefined ? {} : { versionId: version }).unsafeUnwrap();

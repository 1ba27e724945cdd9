import { RemovalPolicy, SecretValue, Validations } from 'aws-cdk-lib';
import { Secret, type ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';

/** 381 bits of base62, without what the list of secrets needs its comma for. */
const GENERATED_CHARACTERS = 64;

/**
 * The secret under which keys are tagged, made by the deployment and never seen. It is kept with the tables: without it
 * every key in them is refused.
 */
export function keyTagSecret(scope: Construct, id: string): ISecret {
  const secret = new Secret(scope, id, {
    description:
      'Tags of API keys: one secret, or several with commas between, newest first (docs/operating.md, "Change the secret of key tags").',
    generateSecretString: { excludePunctuation: true, passwordLength: GENERATED_CHARACTERS },
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
 * The secret's text as CloudFormation fills it in when it deploys a function. It then stands in the function's
 * configuration, for everyone who may read that: acceptable for what guards cost and neighbours and not authentication,
 * and it spares each cold start a call, the function a permission, and both a way to fail.
 *
 * @param version undefined: the current one. CloudFormation looks again only when the template changes: after a change of
 * the secret the version must be named, so that there is a new version of the function, and the old one to go back to.
 */
export const keyTagSecretText = ({ secretArn }: ISecret, version: string | undefined): string =>
  SecretValue.secretsManager(secretArn, version === undefined ? {} : { versionId: version }).unsafeUnwrap();

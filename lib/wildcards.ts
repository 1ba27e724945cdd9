import { Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/** Tells cdk-nag why a policy below a construct names a resource with a `*`. */
export function acknowledgeWildcard(scope: IConstruct, resource: string, reason: string): void {
  const named = resource.replace(/\$\{Token\[AWS\.(\w+)\.\d+\]\}/g, '<AWS::$1>');
  Validations.of(scope).acknowledge({ id: `AwsSolutions-IAM5[Resource::${named}]`, reason });
}

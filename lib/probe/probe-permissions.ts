import { ArnFormat, type CfnElement, Stack } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { acknowledgeWildcard } from '../wildcards.ts';

export interface ProbeRoleProps {
  readonly bucket: IBucket;
  /** The namespace of Synthetics' metrics. */
  readonly namespace: string;
  readonly keySecretArn: string | undefined;
}

/** The permissions of AWS's page "Required roles and permissions for canaries", and the probe's own key. */
export function probeRole(scope: Construct, id: string, { bucket, namespace, keySecretArn }: ProbeRoleProps): Role {
  const role = new Role(scope, id, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
  const allow = (actions: string[], resource: string, conditions?: Record<string, unknown>): void => {
    role.addToPolicy(new PolicyStatement({ actions, resources: [resource], ...(conditions && { conditions }) }));
  };
  allow(['s3:PutObject'], bucket.arnForObjects('*'));
  allow(['s3:GetBucketLocation'], bucket.bucketArn);
  allow(['s3:ListAllMyBuckets'], '*');
  allow(['cloudwatch:PutMetricData'], '*', { StringEquals: { 'cloudwatch:namespace': namespace } });
  // Synthetics names the function and its log group itself.
  const logs = Stack.of(scope).formatArn({
    service: 'logs',
    resource: 'log-group',
    resourceName: '/aws/lambda/cwsyn-*',
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
  allow(['logs:CreateLogGroup', 'logs:CreateLogStream', 'logs:PutLogEvents'], logs);
  if (keySecretArn !== undefined) allow(['secretsmanager:GetSecretValue'], keySecretArn);
  const bucketId = Stack.of(bucket).getLogicalId(bucket.node.defaultChild as CfnElement);
  acknowledgeWildcard(
    role,
    `<${bucketId}.Arn>/*`,
    'The bucket is the probe’s own: it puts the report of each run there.',
  );
  acknowledgeWildcard(
    role,
    '*',
    'One action lists names only, the other is held to the namespace of Synthetics: neither knows resources.',
  );
  acknowledgeWildcard(
    role,
    logs,
    'Synthetics names the probe’s function, and with it the log group, when it makes it: `cwsyn-` and the probe’s name.',
  );
  return role;
}

import { Stack, Validations } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup, type ILogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { Asset } from 'aws-cdk-lib/aws-s3-assets';
import { BucketDeployment, CacheControl, Source } from 'aws-cdk-lib/aws-s3-deployment';
import { Construct, type IDependable } from 'constructs';
import { logRemovalPolicy } from '../stage-props.ts';
import { ASSETS, PAGE, PLAIN_FILES, servedAs } from './app-files.ts';

/** The CDK's function copies some hundred small files. */
const MEMORY_MB = 512;

export interface PortalPagesProps {
  /** The folder of the built app (`buildApp`). */
  readonly directory: string;
  readonly bucket: IBucket;
  /** What must be deployed before the page is: the page calls what an older version of it may not have. */
  readonly after: IDependable;
  readonly logRetention: RetentionDays;
  readonly production: boolean;
}

/**
 * Puts the app's files into the bucket, with the CDK's own function. It deletes none, so an open page of an older
 * version finds its own. The files that the page names come first, and the page last.
 */
export class PortalPages extends Construct {
  constructor(scope: Construct, id: string, { directory, bucket, after, logRetention, production }: PortalPagesProps) {
    super(scope, id);
    const logGroup = new LogGroup(this, 'Logs', {
      retention: logRetention,
      removalPolicy: logRemovalPolicy(production),
    });
    const archive = new Asset(this, 'Files', { path: directory });
    const sources = [Source.bucket(archive.bucket, archive.s3ObjectKey)];
    const granted = roleFor(this, { bucket, archive, logGroup });
    const role = granted.withoutPolicyUpdates();
    const put = (name: string, pattern: string, contentType?: string): BucketDeployment => {
      const deployment = new BucketDeployment(this, name, {
        sources,
        destinationBucket: bucket,
        prune: false,
        memoryLimit: MEMORY_MB,
        role,
        logGroup,
        exclude: ['*'],
        include: [pattern.slice(1)],
        ...(contentType !== undefined && { contentType }),
        outputObjectKeys: false,
        cacheControl: [CacheControl.fromString(servedAs(pattern).caching)],
      });
      deployment.node.addDependency(granted);
      return deployment;
    };
    // The CDK's function guesses their types from their names, which is right for all that a browser checks.
    const assets = put('Assets', `${ASSETS}*`);
    // It does not know the types of these, or leaves out their charset.
    const plain = PLAIN_FILES.map((pattern, index) => put(`Plain${index}`, pattern, servedAs(pattern).type));
    for (const files of plain) files.node.addDependency(assets);
    put('Page', PAGE, servedAs(PAGE).type).node.addDependency(assets, ...plain, after);
    acknowledgeRuntime(this);
  }
}

/**
 * The permissions of the CDK's function: it reads its one archive, and lists and writes the bucket. The CDK itself
 * would also allow it to read and to delete, in both buckets.
 */
function roleFor(scope: Construct, { bucket, archive, logGroup }: Reached): Role {
  const role = new Role(scope, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
  const allow = (action: string, resource: string): void => {
    role.addToPolicy(new PolicyStatement({ actions: [action], resources: [resource] }));
  };
  allow('s3:GetObject', archive.bucket.arnForObjects(archive.s3ObjectKey));
  allow('s3:ListBucket', bucket.bucketArn);
  allow('s3:PutObject', bucket.arnForObjects('*'));
  logGroup.grantWrite(role);
  // The bucket is in another stack: the rule names the export of its ARN.
  const exported: unknown = Stack.of(scope).resolve(Stack.of(bucket).exportValue(bucket.bucketArn));
  Validations.of(role).acknowledge({
    id: `AwsSolutions-IAM5[Resource::${(exported as Record<string, string>)['Fn::ImportValue']}/*]`,
    reason: 'The files of the portal are all that is in this bucket, and their names change with their contents.',
  });
  return role;
}

interface Reached {
  readonly bucket: IBucket;
  readonly archive: Asset;
  readonly logGroup: ILogGroup;
}

/** The rule of cdk-nag that the CDK's function breaks. It is one for the whole stack, beside this construct. */
function acknowledgeRuntime(pages: PortalPages): void {
  const made = Stack.of(pages).node.children.filter(({ node }) => node.id.startsWith('Custom::CDKBucketDeployment'));
  for (const each of made) {
    Validations.of(each).acknowledge({
      id: 'AwsSolutions-L1',
      reason: 'The runtime is the CDK’s choice, and comes with its version.',
    });
  }
}

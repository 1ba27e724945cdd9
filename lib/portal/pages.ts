import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Stack, Validations } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup, type ILogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { Asset } from 'aws-cdk-lib/aws-s3-assets';
import { BucketDeployment, CacheControl, Source } from 'aws-cdk-lib/aws-s3-deployment';
import { Construct, type IDependable } from 'constructs';
import { logRemovalPolicy } from '../stage-props.ts';
import { acknowledgeWildcard } from '../wildcards.ts';
import { ASSETS, PACKAGE_FILES, PAGE, PLAIN_FILES, servedAs } from './app-files.ts';
import { CACHING } from './page-headers.ts';
import { SECURITY_PATH, securityText } from './security-text.ts';

/** The CDK's function copies some hundred small files. */
const MEMORY_MB = 512;

export interface PortalPagesProps {
  /** The folder of the built app (`buildApp`). */
  readonly directory: string;
  /** Whom people may ask; without it there is no `security.txt`. */
  readonly supportUrl: string | undefined;
  /** With commas between. */
  readonly keyPrefixes: string;
  readonly bucket: IBucket;
  /** What must be deployed before the page is: the page calls what an older version of it may not have. */
  readonly after: IDependable;
  readonly logRetention: RetentionDays;
  readonly production: boolean;
}

/**
 * Puts the app's files into the bucket, with the CDK's own function. It deletes none, so an open page of an older
 * version finds its own, and a lockfile its package. What names files comes after them, the page last.
 */
export class PortalPages extends Construct {
  constructor(scope: Construct, id: string, props: PortalPagesProps) {
    super(scope, id);
    const { directory, supportUrl, keyPrefixes, bucket, after, logRetention, production } = props;
    const logGroup = new LogGroup(this, 'Logs', {
      retention: logRetention,
      removalPolicy: logRemovalPolicy(production),
    });
    const archives = [new Asset(this, 'Files', { path: directory })];
    if (supportUrl !== undefined) {
      archives.push(new Asset(this, 'Security', { path: withSecurityText(supportUrl, keyPrefixes) }));
    }
    const sources = archives.map((archive) => Source.bucket(archive.bucket, archive.s3ObjectKey));
    const role = roleFor(this, { bucket, archives, logGroup }).withoutPolicyUpdates();
    const put = (name: string, patterns: readonly string[], caching: string, contentType?: string) =>
      new BucketDeployment(this, name, {
        sources: name === 'Plain' ? sources : sources.slice(0, 1),
        destinationBucket: bucket,
        prune: false,
        memoryLimit: MEMORY_MB,
        role,
        logGroup,
        exclude: ['*'],
        include: patterns.map((pattern) => pattern.slice(1)),
        ...(contentType !== undefined && { contentType }),
        outputObjectKeys: false,
        cacheControl: [CacheControl.fromString(caching)],
      });
    // The CDK's function guesses types from names, which is right for all assets. CloudFront says those of the others.
    const assets = put('Assets', [`${ASSETS}*`, PACKAGE_FILES], CACHING.hashed);
    const plain = put('Plain', PLAIN_FILES, CACHING.page);
    const page = put('Page', [PAGE], CACHING.page, servedAs(PAGE).type);
    // Its function is one for all three, with the layer of the first.
    for (const { node } of [plain, page]) node.tryRemoveChild('AwsCliLayer');
    plain.node.addDependency(assets);
    page.node.addDependency(assets, plain, after);
    acknowledgeRuntime(this);
  }
}

/** A folder with the file alone. */
function withSecurityText(supportUrl: string, keyPrefixes: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'security-'));
  const file = join(directory, SECURITY_PATH);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, securityText(supportUrl, keyPrefixes, Date.now()));
  return directory;
}

/**
 * The permissions of the CDK's function: it reads its archives, and lists and writes the bucket. The CDK itself
 * would also allow it to read and to delete, in both buckets.
 */
function roleFor(scope: Construct, { bucket, archives, logGroup }: Reached): Role {
  const allow = (resource: string, ...actions: string[]) => new PolicyStatement({ actions, resources: [resource] });
  const statements = [
    ...archives.map((archive) => allow(archive.bucket.arnForObjects(archive.s3ObjectKey), 's3:GetObject')),
    allow(bucket.bucketArn, 's3:ListBucket'),
    allow(bucket.arnForObjects('*'), 's3:PutObject'),
    allow(logGroup.logGroupArn, 'logs:CreateLogStream', 'logs:PutLogEvents'),
  ];
  const role = new Role(scope, 'Role', {
    assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    inlinePolicies: { Pages: new PolicyDocument({ statements }) },
  });
  // The bucket is in another stack: the rule names the export of its ARN.
  const { 'Fn::ImportValue': exported } = Stack.of(scope).resolve(
    Stack.of(bucket).exportValue(bucket.bucketArn),
  ) as Record<string, string>;
  acknowledgeWildcard(
    role,
    `${exported}/*`,
    'The files of the portal are all that is in this bucket, and their names change with their contents.',
  );
  return role;
}

interface Reached {
  readonly bucket: IBucket;
  readonly archives: readonly Asset[];
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

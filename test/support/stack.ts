import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { shared } from './shared/client.ts';

/** A production stage, named as it likes, with the portal on CloudFront's own domain. */
export const PROD = { stage: 'shop', production: 'true' };
/** A gateway whose portal is somebody else's. */
const ALONE = { ...PROD, portalOrigin: 'https://portal.example.com' };
export const CERTIFICATE = 'arn:aws:acm:eu-central-1:123456789012:certificate/0d1e2f3a-0000-4000-8000-000000000000';
const EDGE_CERTIFICATE = 'arn:aws:acm:us-east-1:123456789012:certificate/0d1e2f3a-0000-4000-8000-000000000001';
export const PROBE_KEY = 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:probe-key-AbCdEf';
export const COPY_VAULT = 'arn:aws:backup:eu-west-1:210987654321:backup-vault:copies';
const PLACE = { account: '123456789012', region: 'eu-central-1' };
const DOMAIN = { domainName: 'api.example.com', certificateArn: CERTIFICATE };

const SECRET = 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:key-tags-AbCdEf';
export const RESTORED = {
  restoredGatewayStreamArn:
    'arn:aws:dynamodb:eu-central-1:123456789012:table/Gateway-restored/stream/2026-11-23T20:00:00.000',
  restoredUsageTable: 'Usage-restored',
};
/** A copy in another region, and the stage there in which nothing runs. */
export const REPLICATED = { ...PLACE, replicaRegion: 'eu-west-1' };
export const STANDBY = { ...PLACE, ...RESTORED, keyTagSecretArn: SECRET, standby: 'true', portal: 'off' };
/** The settings of an edge and its requirements. */
export const EDGE = {
  ...PLACE,
  ...DOMAIN,
  edgeCertificateArn: EDGE_CERTIFICATE,
  edgeOriginDomainName: 'origin.api.example.com',
  edgeClientCertificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/0d1e2f3a-0000-4000-8000-000000000002',
  edgeTruststore: 's3://truststores/gateway/ca.pem',
};
/** A domain of the portal's own. */
export const PORTAL_DOMAIN = { portalDomainName: 'portal.example.com', portalCertificateArn: EDGE_CERTIFICATE };
/** A client at the team's own provider. */
export const OWN_ISSUER = {
  oidcIssuer: 'https://login.example.com/',
  oidcClientId: 'sandbox-portal',
  oidcClientSecretArn: 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:portal-AbCdEf',
};
const WATCHED = { probe: 'on', probeKeySecretArn: PROBE_KEY };
const MAIL = { alarmEmail: 'team@example.com', mailFrom: 'portal@example.com' };

/** The stages that tests check, by the context of their synthesis. */
export const STAGES = {
  dev: {},
  prod: PROD,
  alone: ALONE,
  /** All that can be set. */
  full: {
    ...PROD,
    ...EDGE,
    ...PORTAL_DOMAIN,
    ...REPLICATED,
    ...WATCHED,
    ...MAIL,
    backupCopyVaultArn: COPY_VAULT,
    concurrencyQuota: 1_000,
    provisionedConcurrency: 5,
    meteredRequestsPerSecond: 3_000,
    portalRequestsPerSecond: 250,
    monthlyBudgetUsd: 200,
    selfSignUp: 'open',
    mfa: 'required',
    signInEmailFrom: 'portal@example.com',
    sesVerifiedDomain: 'example.com',
    quotaPeriod: 'day',
    rpmDefault: 7,
    keyPrefix: 'acme',
    formerKeyPrefixes: 'beta,acme',
    quotaDefault: 'none',
    usageRetentionDays: 62,
    tracing: 'on',
    localDevOrigin: 'http://localhost:9',
    portalWebAclArn: 'arn:aws:wafv2:us-east-1:123456789012:global/webacl/portal/0d1e2f3a-0000-4000-8000-000000000000',
    clientPackages: 'npm:@example/sandbox-gateway,pypi:example-sandbox-gateway',
    supportUrl: 'mailto:help@example.com',
    runbookUrl: 'https://wiki.example.com/gateway',
  },
  /** The longest names. */
  longest: { ...PROD, stage: 'abcdefghijklmnop', account: '123456789012', region: 'ap-southeast-1' },
  atOnce: { ...PROD, deployment: 'allAtOnce' },
  domain: { ...PROD, ...DOMAIN },
  pinned: { ...PROD, keyTagSecretVersion: '5a1d7c3e-0000-4000-8000-000000000000' },
  restored: { ...PROD, ...RESTORED, backupCopyVaultArn: COPY_VAULT },
  watched: { ...PROD, probe: 'on' },
  devEdge: { ...EDGE, selfSignUp: 'open' },
  /** Not a production one, and watched. */
  devMailed: { alarmEmail: 'team@example.com' },
  ownIssuer: { ...PROD, ...OWN_ISSUER, oidcTrustEmail: 'true' },
  // What a live stage may become.
  otherDomain: { ...PROD, ...DOMAIN, domainName: 'other.example.com' },
  prodEdge: { ...PROD, ...EDGE },
  otherEdge: { ...PROD, ...EDGE, edgeOriginDomainName: 'other.api.example.com' },
  portalDomain: { ...PROD, ...PORTAL_DOMAIN },
  portalOff: { ...PROD, portal: 'off' },
  mailed: { ...PROD, ...MAIL, signInEmailFrom: 'portal@example.com' },
  otherRegion: { ...PROD, ...PLACE, region: 'us-east-1' },
  replicated: { ...PROD, ...REPLICATED },
  standby: { ...PROD, ...STANDBY },
  failedOver: { ...PROD, ...STANDBY, standby: 'false' },
  failedBack: { ...PROD, ...REPLICATED, standby: 'true', portal: 'off' },
};
export type StageName = keyof typeof STAGES;

/** All of {@link STAGES}, synthesised once for each run: together they take only twice as long as one. */
export const stages = (): Promise<Readonly<Record<StageName, SynthesisedStage>>> => shared('stages');

/** A synthesised CloudFormation template. */
export interface StackTemplate {
  readonly Resources: Readonly<Record<string, Resource>>;
  readonly Outputs?: Readonly<Record<string, { readonly Value: unknown; readonly Export?: { readonly Name: string } }>>;
}
interface Resource {
  readonly Condition?: string;
  readonly Type: string;
  readonly Properties: object;
  readonly DependsOn?: string[];
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
}
/** The stacks of a stage. */
const PARTS = ['data', 'front', 'portalFront', 'gateway', 'portal', 'notices', 'edge'] as const;
export type Part = (typeof PARTS)[number];

/** A stack that a stage does not have has no resources here. */
export interface SynthesisedStage extends Readonly<Record<Part, StackTemplate>> {
  /** The parts that the stage has, each after those that it depends on. */
  readonly parts: readonly Part[];
  /** Whether CloudFormation refuses to delete the stack. */
  readonly isProtected: Readonly<Partial<Record<Part, boolean>>>;
  readonly names: Readonly<Partial<Record<Part, string>>>;
  readonly tags: Readonly<Partial<Record<Part, Readonly<Record<string, string>>>>>;
  /** The account and region of each stack, as `aws://<account>/<region>`. */
  readonly places: Readonly<Partial<Record<Part, string>>>;
  /** The missing settings that the synthesis warns of. */
  readonly warnings: readonly string[];
}

/** Synthesises stages, by name, in a separate thread: the CDK loads five times slower within jest. */
export async function synthesise<Name extends string>(
  contexts: Readonly<Record<Name, Readonly<Record<string, unknown>>>>,
): Promise<Record<Name, SynthesisedStage>> {
  // The tests do not need its warnings about missing settings.
  const thread = new Worker(new URL('synthesise.ts', import.meta.url), { workerData: contexts, stderr: true });
  const [templates] = (await once(thread, 'message')) as [Record<Name, SynthesisedStage>];
  return templates;
}

/** The resources of a type, by logical id. */
export const resourcesOf = ({ Resources }: StackTemplate, type: string): [string, Resource][] =>
  Object.entries(Resources).filter(([, { Type }]) => Type === type);

/** The properties of the resources of a type. */
export const propertiesOf = <Properties = object>(template: StackTemplate, type: string): Properties[] =>
  resourcesOf(template, type).map(([, { Properties }]) => Properties as Properties);

/** The environment of a function; of several, of the one with this name. */
export function variablesIn(template: StackTemplate, name = ''): Readonly<Record<string, unknown>> {
  const [found] = resourcesOf(template, 'AWS::Lambda::Function').filter(
    ([id]) => !id.includes('BucketDeployment') && id.includes(name),
  );
  return (
    (found?.[1].Properties as { Environment?: { Variables: Record<string, unknown> } }).Environment?.Variables ?? {}
  );
}

/** A statement of an IAM policy. */
export interface Statement {
  readonly Effect: string;
  readonly Action: string | string[];
  readonly Resource: unknown;
  readonly Principal?: unknown;
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string | string[]>>>>;
}

/** The statements of the policies of one role, of a function. */
export const statementsOf = (
  template: StackTemplate,
  functionName: 'Health' | 'Metered' | 'Portal' | 'Notices' | 'DailyWork',
): Statement[] =>
  resourcesOf(template, 'AWS::IAM::Policy')
    .filter(([id]) => id.includes(`${functionName}Role`))
    .flatMap(
      ([, { Properties }]) => (Properties as { PolicyDocument: { Statement: Statement[] } }).PolicyDocument.Statement,
    );

/** The statements of the managed policy of people for a purpose. */
const ofPeople = (data: StackTemplate, purpose: 'Cli' | 'Restore'): Statement[] =>
  resourcesOf(data, 'AWS::IAM::ManagedPolicy').flatMap(([id, { Properties }]) =>
    id.includes(purpose) ? (Properties as { PolicyDocument: { Statement: Statement[] } }).PolicyDocument.Statement : [],
  );

/** The policies of functions and people in production, as texts for the environment of tests. */
export async function synthesisedPolicies(): Promise<
  Record<`TEST_${'METERED' | 'PORTAL' | 'NOTICES' | 'DAILY' | 'CLI' | 'RESTORE'}_POLICY`, string>
> {
  const { data, gateway, portal, notices } = (await synthesise({ prod: PROD })).prod;
  return {
    TEST_CLI_POLICY: JSON.stringify(ofPeople(data, 'Cli')),
    TEST_RESTORE_POLICY: JSON.stringify(ofPeople(data, 'Restore')),
    TEST_METERED_POLICY: JSON.stringify(statementsOf(gateway, 'Metered')),
    TEST_PORTAL_POLICY: JSON.stringify(statementsOf(portal, 'Portal')),
    TEST_NOTICES_POLICY: JSON.stringify(statementsOf(notices, 'Notices')),
    TEST_DAILY_POLICY: JSON.stringify(statementsOf(notices, 'DailyWork')),
  };
}

/** The actions of a statement, as a list. */
export const actionsOf = ({ Action }: Statement): string[] => [Action].flat();

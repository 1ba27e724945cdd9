import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { shared } from './shared/client.ts';

export const PROD = { stage: 'prod', portalOrigin: 'https://portal.example.com' };
export const CERTIFICATE = 'arn:aws:acm:eu-central-1:123456789012:certificate/0d1e2f3a-0000-4000-8000-000000000000';
export const PROBE_KEY = 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:probe-key-AbCdEf';
export const COPY_VAULT = 'arn:aws:backup:eu-west-1:210987654321:backup-vault:copies';
const RESTORED = { restoredGatewayTable: 'Gateway-restored', restoredUsageTable: 'Usage-restored' };

const RESTORED_STREAM =
  'arn:aws:dynamodb:eu-central-1:123456789012:table/Gateway-restored/stream/2026-11-23T20:00:00.000';

/** The settings of an edge and its requirements. */
export const EDGE = {
  account: '123456789012',
  region: 'eu-central-1',
  domainName: 'api.example.com',
  certificateArn: CERTIFICATE,
  edgeCertificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/0d1e2f3a-0000-4000-8000-000000000001',
  edgeOriginDomainName: 'origin.api.example.com',
  edgeClientCertificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/0d1e2f3a-0000-4000-8000-000000000002',
  edgeTruststore: 's3://truststores/gateway/ca.pem',
};

/** Prod with a portal, on a domain of the team. */
export const PORTAL_PROD = {
  stage: 'prod',
  portalDomainName: 'portal.example.com',
  portalCertificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/0d1e2f3a-0000-4000-8000-000000000000',
};
/** A client at the team's own provider. */
export const OWN_ISSUER = {
  oidcIssuer: 'https://login.example.com/',
  oidcClientId: 'sandbox-portal',
  oidcClientSecretArn: 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:portal-AbCdEf',
};

/** The first labels of a domain: with the rest it is almost as long as a domain can be. */
const LONG = Array.from({ length: 4 }, () => 'a'.repeat(57)).join('.');
const BIG = 1_000_000;
/** All settings of a stage at their bounds: they make its names, texts and numbers as large as possible. */
const WIDEST = {
  stage: 'staging',
  ...{ domainName: `${LONG}.api.example.com`, certificateArn: CERTIFICATE },
  ...{ portalDomainName: `${LONG}.portal.example.com`, portalCertificateArn: PORTAL_PROD.portalCertificateArn },
  portalWebAclArn: `arn:aws:wafv2:us-east-1:123456789012:global/webacl/${'w'.repeat(128)}/0d1e2f3a-0000-4000-8000-000000000000`,
  ...{ portalConcurrency: 1_000, selfSignUp: 'open', mfa: 'required', signInClient: 1_000 },
  signInEmailFrom: `portal@${LONG}.example.com`,
  ...{ mailFrom: `portal@${LONG}.example.com`, supportUrl: `https://help.example.com/${'h'.repeat(475)}` },
  ...{ sessionIdleMinutes: 1_440, sessionHours: 168, untaggedSessionsUntil: '9999-12-31T23:59:59Z' },
  ...{ accountsPerPerson: BIG, projectsPerAccount: BIG },
  ...{ activeKeysPerProject: 10_000, membersPerAccount: BIG, changesPerMinute: BIG, readsPerMinute: BIG },
  localDevOrigin: `https://${LONG}.example.com:12345`,
  ...{ rpmDefault: BIG, quotaDefault: 1_000_000_000, usageRetentionDays: 3_650, logRetentionDays: 3_653 },
  backupCopyVaultArn: `arn:aws:backup:ap-southeast-1:210987654321:backup-vault:${'v'.repeat(50)}`,
  ...{ backupCopyRetentionDays: 36_500, keyTagSecretVersion: '5a1d7c3e-0000-4000-8000-000000000000' },
  ...{ pingRequestsPerSecond: 10_000, pingBurst: 5_000, provisionedConcurrency: 1_000, concurrencyQuota: BIG },
  ...{
    probe: 'on',
    probeKeySecretArn: PROBE_KEY,
    alarmEmail: `team@${LONG}.example.com`,
    monthlyBudgetUsd: 10_000_000,
  },
  runbookUrl: `https://wiki.example.com/${'r'.repeat(475)}`,
};

/** Settings that close a portal's API to everything but its CloudFront. */
export const CLOSED = {
  portalOriginDomainName: 'origin.portal.example.com',
  portalOriginCertificateArn: CERTIFICATE,
  portalClientCertificateArn: EDGE.edgeClientCertificateArn,
  portalTruststore: 's3://truststores/portal/ca.pem',
};
/** The stacks of prod with a portal: the tables, the gateway and the portal. */
const PROD_STACKS = ['-data', '', '-portal', '-notices'].map((name) => `SandboxGateway-prod${name}`);

/** The stages that tests check, by the context of their synthesis. */
export const STAGES = {
  dev: {},
  staging: { stage: 'staging' },
  prod: PROD,
  localOrigin: { ...PROD, localDevOrigin: 'http://localhost:9' },
  atOnce: { ...PROD, deployment: 'allAtOnce' },
  warm: { ...PROD, provisionedConcurrency: 5 },
  throttled: { ...PROD, pingRequestsPerSecond: 300, pingBurst: 600 },
  domain: { ...PROD, domainName: 'api.example.com', certificateArn: CERTIFICATE },
  edge: { ...PROD, ...EDGE, alarmEmail: 'team@example.com' },
  edgeStaging: {
    ...{ stage: 'staging', ...EDGE },
    edgeTruststoreVersion: '3sL4kqtJlcpXroDTDmJ+rmSpXd3dIbrHY+MTRCxf3vjVBH40Nr8X8gdRQBpUMLUo',
  },
  otherLimits: { rpmDefault: 7, quotaDefault: 8, quotaPeriod: 'day' },
  restored: { ...PROD, ...RESTORED },
  pinned: { ...PROD, keyTagSecretVersion: '5a1d7c3e-0000-4000-8000-000000000000' },
  copied: { ...PROD, alarmEmail: 'team@example.com', backupCopyVaultArn: COPY_VAULT, backupCopyRetentionDays: 365 },
  copiedRestored: { ...PROD, backupCopyVaultArn: COPY_VAULT, ...RESTORED },
  warmTables: { ...PROD, warmWriteUnitsPerSecond: 12_000 },
  hotTables: { ...PROD, warmWriteUnitsPerSecond: '12001' },
  infrequent: { usageTableClass: 'infrequentAccess' },
  runbook: { runbookUrl: 'https://wiki.example.com/gateway' },
  placed: { ...PROD, account: '123456789012', region: 'eu-central-1' },
  crowded: { ...PROD, concurrencyQuota: 10 },
  watched: { ...PROD, probe: 'on' },
  probed: { ...PROD, probe: 'on', probeKeySecretArn: PROBE_KEY },
  budgeted: { ...PROD, alarmEmail: 'team@example.com', monthlyBudgetUsd: 200 },
  mailed: { ...PROD, alarmEmail: 'team@example.com' },
  noted: { replaceInstances: 'second' },
  portal: { portal: 'on' },
  portalProd: PORTAL_PROD,
  portalInUsEast1: { ...PORTAL_PROD, account: '123456789012', region: 'us-east-1' },
  portalProbed: { ...PORTAL_PROD, probe: 'on', probeKeySecretArn: PROBE_KEY },
  portalCreated: { ...PORTAL_PROD, 'deploy:created-stacks': `${PROD_STACKS.join(',')},SandboxGateway-prod-edge` },
  portalAdded: { ...PORTAL_PROD, 'deploy:created-stacks': 'SandboxGateway-prod-portal' },
  portalOnCloudFront: { portal: 'on', portalDomainName: 'd111111abcdef8.cloudfront.net' },
  portalWithIssuer: { ...PORTAL_PROD, ...OWN_ISSUER, oidcTrustEmail: 'true', oidcIssuerLabel: 'corporate' },
  portalRestored: { ...PORTAL_PROD, ...RESTORED, restoredGatewayStreamArn: RESTORED_STREAM },
  portalMailed: { ...PORTAL_PROD, mailFrom: 'portal@example.com', supportUrl: 'mailto:help@example.com' },
  portalMoved: { ...PORTAL_PROD, ...OWN_ISSUER, keepUserPool: 'true' },
  portalClosed: { ...PORTAL_PROD, ...CLOSED, hstsIncludeSubDomains: 'true' },
  withoutPortal: { ...PROD, keepUserPool: 'true' },
  portalSet: {
    ...{ portal: 'on', domainName: 'api.example.com', certificateArn: CERTIFICATE },
    ...{ selfSignUp: 'open', mfa: 'required', signInEmailFrom: 'portal@example.com', signInClient: 2 },
    ...{ sessionIdleMinutes: 30, sessionHours: 8, membersPerAccount: 9, quotaDefault: 'none', portalConcurrency: 7 },
    untaggedSessionsUntil: '2026-11-24T20:00:00Z',
    portalWebAclArn: 'arn:aws:wafv2:us-east-1:123456789012:global/webacl/portal/0d1e2f3a-0000-4000-8000-000000000000',
  },
  widest: WIDEST,
  widestEdge: {
    ...{ ...WIDEST, ...EDGE, domainName: WIDEST.domainName, region: 'ap-southeast-1' },
    ...{ edgeOriginDomainName: `${LONG}.origin.example.com`, edgeAddressRequestsPerMinute: 2_000_000_000 },
    edgeTruststore: `s3://${'b'.repeat(63)}/${'k'.repeat(900)}`,
  },
};
type WithPortal = Extract<keyof typeof STAGES, `portal${string}`>;
type Stages = Readonly<
  Record<keyof typeof STAGES, SynthesisedStage> &
    Record<WithPortal, { readonly portal: StackTemplate; readonly notices: StackTemplate }>
>;

/** All of {@link STAGES}, synthesised once for each run: together they take only twice as long as one. */
export const stages = (): Promise<Stages> => shared('stages');

/** A synthesised CloudFormation template. */
export interface StackTemplate {
  readonly Resources: Readonly<Record<string, Resource>>;
  readonly Outputs?: Readonly<Record<string, { readonly Value: unknown; readonly Export?: { readonly Name: string } }>>;
}
interface Resource {
  readonly Type: string;
  readonly Properties: object;
  readonly DependsOn?: string[];
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
}
export interface SynthesisedStage {
  readonly data: StackTemplate;
  readonly gateway: StackTemplate;
  readonly edge?: StackTemplate;
  readonly portal?: StackTemplate;
  readonly notices?: StackTemplate;
  /** Whether CloudFormation refuses to delete the stack. */
  readonly isProtected: {
    readonly data: boolean;
    readonly gateway: boolean;
    readonly portal?: boolean;
    readonly edge: boolean | undefined;
  };
  /** The names of the stacks. */
  readonly names: readonly string[];
  /** The account and region of each stack, as `aws://<account>/<region>`. */
  readonly places: readonly string[];
  /** The missing settings that the synthesis warns of. */
  readonly warnings: readonly string[];
}

/** Synthesises stages, by name, in a separate thread: the CDK loads five times slower within jest. */
export async function synthesise<Name extends string>(
  contexts: Readonly<Record<Name, Readonly<Record<string, string | number>>>>,
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

/** A statement of an IAM policy. */
export interface Statement {
  readonly Effect: string;
  readonly Action: string | string[];
  readonly Resource: unknown;
  readonly Principal?: unknown;
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string | string[]>>>>;
}

/** The statements of the policies of one role, of a function or the probe. */
export const statementsOf = (
  template: StackTemplate,
  functionName: 'Health' | 'Metered' | 'Portal' | 'Notices' | 'Probe',
): Statement[] =>
  resourcesOf(template, 'AWS::IAM::Policy')
    .filter(([id]) => id.startsWith(`${functionName}Role`))
    .flatMap(
      ([, { Properties }]) => (Properties as { PolicyDocument: { Statement: Statement[] } }).PolicyDocument.Statement,
    );

/** The policies of functions in production, as texts for the environment of tests. */
export async function synthesisedPolicies(): Promise<
  Record<'TEST_METERED_POLICY' | 'TEST_PORTAL_POLICY' | 'TEST_NOTICES_POLICY', string>
> {
  const { gateway, portal, notices } = (await synthesise({ prod: PORTAL_PROD })).prod;
  return {
    TEST_METERED_POLICY: JSON.stringify(statementsOf(gateway, 'Metered')),
    TEST_PORTAL_POLICY: JSON.stringify(portal && statementsOf(portal, 'Portal')),
    TEST_NOTICES_POLICY: JSON.stringify(notices && statementsOf(notices, 'Notices')),
  };
}

/** The actions of a statement, as a list. */
export const actionsOf = ({ Action }: Statement): string[] => [Action].flat();

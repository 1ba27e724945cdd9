import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { shared } from './shared/client.ts';

export const PROD = { stage: 'prod', portalOrigin: 'https://portal.example.com' };
export const CERTIFICATE = 'arn:aws:acm:eu-central-1:123456789012:certificate/0d1e2f3a-0000-4000-8000-000000000000';
export const PROBE_KEY = 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:probe-key-AbCdEf';
export const COPY_VAULT = 'arn:aws:backup:eu-west-1:210987654321:backup-vault:copies';

/** Settings of an edge, and what they need. */
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

/** The stages that tests look at, by the context that they are synthesised with. */
export const STAGES = {
  dev: {},
  staging: { stage: 'staging' },
  prod: PROD,
  localOrigin: { ...PROD, localDevOrigin: 'http://localhost:9' },
  atOnce: { ...PROD, deployment: 'allAtOnce' },
  warm: { ...PROD, provisionedConcurrency: 5 },
  throttled: { ...PROD, pingRequestsPerSecond: 300, pingBurst: 600 },
  domain: { ...PROD, domainName: 'api.example.com', certificateArn: CERTIFICATE },
  edge: { ...PROD, ...EDGE },
  otherLimits: { rpmDefault: 7, quotaDefault: 8, quotaPeriod: 'day' },
  restored: { ...PROD, restoredGatewayTable: 'Gateway-restored', restoredUsageTable: 'Usage-restored' },
  pinned: { ...PROD, keyTagSecretVersion: '5a1d7c3e-0000-4000-8000-000000000000' },
  copied: { ...PROD, alarmEmail: 'team@example.com', backupCopyVaultArn: COPY_VAULT, backupCopyRetentionDays: 365 },
  infrequent: { usageTableClass: 'infrequentAccess' },
  runbook: { runbookUrl: 'https://wiki.example.com/gateway' },
  placed: { ...PROD, account: '123456789012', region: 'eu-central-1' },
  crowded: { ...PROD, concurrencyQuota: 10 },
  watched: { ...PROD, probe: 'on' },
  probed: { ...PROD, probe: 'on', probeKeySecretArn: PROBE_KEY },
  budgeted: { ...PROD, alarmEmail: 'team@example.com', monthlyBudgetUsd: 200 },
  mailed: { ...PROD, alarmEmail: 'team@example.com' },
};
type Stages = Readonly<Record<keyof typeof STAGES, SynthesisedStage>>;

/** All of {@link STAGES}, synthesised once a run: together they take twice as long as one alone. */
export const stages = (): Promise<Stages> => shared('stages');

/** A CloudFormation template, as synthesised. */
export interface StackTemplate {
  readonly Resources: Readonly<Record<string, Resource>>;
  readonly Outputs?: Readonly<Record<string, { readonly Value: unknown }>>;
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
  /** Whether CloudFormation refuses to delete the stack. */
  readonly isProtected: { readonly data: boolean; readonly gateway: boolean };
  /** Account and region that the stacks may be deployed to, and no other, as `aws://<account>/<region>`. */
  readonly places: readonly string[];
  /** The settings that the synthesis warns to be without. */
  readonly warnings: readonly string[];
}

/** Synthesises stages, by name. In a thread of its own: the CDK loads five times slower within jest. */
export async function synthesise<Name extends string>(
  contexts: Readonly<Record<Name, Readonly<Record<string, string | number>>>>,
): Promise<Record<Name, SynthesisedStage>> {
  // Its warnings, of what a stage should have besides, are none of the tests'.
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

/** The statements of the policies of one role: of a function, or of the probe. */
export const statementsOf = (template: StackTemplate, functionName: 'Health' | 'Metered' | 'Probe'): Statement[] =>
  resourcesOf(template, 'AWS::IAM::Policy')
    .filter(([id]) => id.startsWith(`${functionName}Role`))
    .flatMap(
      ([, { Properties }]) => (Properties as { PolicyDocument: { Statement: Statement[] } }).PolicyDocument.Statement,
    );

/** What the metered function may do in production, as text for `TEST_METERED_POLICY`. */
export const synthesisedPolicy = async (): Promise<string> =>
  JSON.stringify(statementsOf((await synthesise({ prod: PROD })).prod.gateway, 'Metered'));

/** The actions of a statement, as a list. */
export const actionsOf = ({ Action }: Statement): string[] => [Action].flat();

import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import {
  DEFAULT_LOCAL_DEV_ORIGIN,
  DEFAULT_QUOTA_UNITS,
  DEFAULT_RPM,
  DEFAULT_USAGE_RETENTION_DAYS,
  type Stage,
} from '../functions/wiring.ts';
import { NO_PORTAL, type PortalValues } from './portal/settings.ts';
import { OWN_RUNBOOK } from './setting-values.ts';

/** What differs from stage to stage. Bounds: `settings.ts`, which checks every value wherever it comes from. */
export interface StageValues extends PortalValues {
  /** The account and region that the stage is in; undefined: those of whoever deploys. */
  readonly account: string | undefined;
  readonly region: string | undefined;
  /** Browser origin of a developer portal that this app does not deploy; undefined: none may read responses. */
  readonly portalOrigin: string | undefined;
  /** Browser origin of a portal under development; undefined: none. */
  readonly localDevOrigin: string | undefined;
  /** How often the quota starts again. */
  readonly quotaPeriod: 'month' | 'day';
  /** Requests per minute of a key that is created without a limit of its own. */
  readonly rpmDefault: number;
  /** Request units per period of a project that is created without a quota of its own; `none`: not enforced. */
  readonly quotaDefault: number | 'none';
  /** How long charged usage events and quota counters are kept. */
  readonly usageRetentionDays: number;
  /** Infrequent access: storage costs less, each write and read more. */
  readonly usageTableClass: 'standard' | 'infrequentAccess';
  /** Write units a second that each table takes at once, for a day that begins with many; undefined: DynamoDB's own 4,000. */
  readonly warmWriteUnitsPerSecond: number | undefined;
  /** Restored tables that the gateway works on in place of the stack's own, for as long as they are set. */
  readonly restoredGatewayTable: string | undefined;
  readonly restoredUsageTable: string | undefined;
  /** A vault of AWS Backup in another account or region, where a copy of both tables goes every night; undefined: none. */
  readonly backupCopyVaultArn: string | undefined;
  readonly backupCopyRetentionDays: number;
  /** The version of the secret of key tags that functions have; undefined: the one that was current at their deployment. */
  readonly keyTagSecretVersion: string | undefined;
  readonly logRetentionDays: RetentionDays;
  /** Requests per second to each metered operation that the API lets through, over all keys, and how many at once. Bounds what forged keys cost. */
  readonly pingRequestsPerSecond: number;
  readonly pingBurst: number;
  /** Execution environments of the metered function that are kept warm; 0: none. */
  readonly provisionedConcurrency: number;
  /** Concurrent executions of Lambda that the account may have in the region: an alarm goes off at 80 %. */
  readonly concurrencyQuota: number;
  /** `canary` rolls back on alarms; `allAtOnce` does not look at them: also the way to bring a fix while one is on. */
  readonly deployment: 'canary' | 'allAtOnce';
  /** `on`: a probe calls the API from outside every minute. */
  readonly probe: 'on' | 'off';
  /** The secret with a key of the probe's own, to ping with; undefined: it looks at the health check only. */
  readonly probeKeySecretArn: string | undefined;
  /** Who is told of alarms; undefined: nobody until someone subscribes to the topic. */
  readonly alarmEmail: string | undefined;
  /** What the account may cost in a month before `alarmEmail` is told; `none`: no budget. */
  readonly monthlyBudgetUsd: number | 'none';
  /** Where alarms find the runbook: a page with the headings of docs/operating.md. */
  readonly runbookUrl: string;
  /** Any text: another one makes new versions of the functions, and so new instances. */
  readonly replaceInstances: string | undefined;
  /** A domain of the team's own, with its certificate; undefined: API Gateway's. */
  readonly domainName: string | undefined;
  readonly certificateArn: string | undefined;
  /** CloudFront with a web ACL before the API: its certificate of the domain, and the domain of the API behind it. */
  readonly edgeCertificateArn: string | undefined;
  readonly edgeOriginDomainName: string | undefined;
  /** What closes the API to all but CloudFront: the certificate that it shows, and where that certificate's issuer is. */
  readonly edgeClientCertificateArn: string | undefined;
  readonly edgeTruststore: string | undefined;
  /** Which version of that file, in a bucket that keeps them; undefined: the one that is there when `edgeTruststore` is set. */
  readonly edgeTruststoreVersion: string | undefined;
  /** Requests that one address may send to the edge in any minute. */
  readonly edgeAddressRequestsPerMinute: number;
}

const COMMON: StageValues = {
  account: undefined,
  region: undefined,
  portalOrigin: undefined,
  localDevOrigin: DEFAULT_LOCAL_DEV_ORIGIN,
  quotaPeriod: 'month',
  rpmDefault: DEFAULT_RPM,
  quotaDefault: DEFAULT_QUOTA_UNITS,
  usageRetentionDays: DEFAULT_USAGE_RETENTION_DAYS,
  usageTableClass: 'standard',
  warmWriteUnitsPerSecond: undefined,
  restoredGatewayTable: undefined,
  restoredUsageTable: undefined,
  backupCopyVaultArn: undefined,
  backupCopyRetentionDays: 90,
  keyTagSecretVersion: undefined,
  logRetentionDays: RetentionDays.ONE_MONTH,
  pingRequestsPerSecond: 50,
  pingBurst: 100,
  provisionedConcurrency: 0,
  concurrencyQuota: 1_000,
  deployment: 'canary',
  probe: 'off',
  probeKeySecretArn: undefined,
  alarmEmail: undefined,
  monthlyBudgetUsd: 'none',
  runbookUrl: OWN_RUNBOOK,
  replaceInstances: undefined,
  domainName: undefined,
  certificateArn: undefined,
  edgeCertificateArn: undefined,
  edgeOriginDomainName: undefined,
  edgeClientCertificateArn: undefined,
  edgeTruststore: undefined,
  edgeTruststoreVersion: undefined,
  edgeAddressRequestsPerMinute: 1_200,
  ...NO_PORTAL,
};

/**
 * What each stage is set to. A team's own values belong here, where a change is reviewed and every deployment has it;
 * `-c name=value` overrides one for a single deployment.
 */
export const STAGE_VALUES: Readonly<Record<Stage, StageValues>> = {
  // A new account may have no concurrency to keep for anyone.
  dev: { ...COMMON, logRetentionDays: RetentionDays.ONE_WEEK, deployment: 'allAtOnce', portalConcurrency: 0 },
  staging: { ...COMMON },
  prod: {
    ...COMMON,
    localDevOrigin: undefined,
    logRetentionDays: RetentionDays.THREE_MONTHS,
    pingRequestsPerSecond: 200,
    pingBurst: 400,
  },
};

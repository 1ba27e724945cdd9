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

/** The values that differ between stages. `settings.ts` has their bounds, and checks every value. */
export interface StageValues extends PortalValues {
  /** The account and region of the stage; undefined: those of the deployer. */
  readonly account: string | undefined;
  readonly region: string | undefined;
  /**
   * Browser origin of a developer portal that this app does not deploy; undefined: no such origin may read responses.
   */
  readonly portalOrigin: string | undefined;
  /** Browser origin of a portal under development; undefined: none. */
  readonly localDevOrigin: string | undefined;
  /** How often the quota starts again. */
  readonly quotaPeriod: 'month' | 'day';
  /** Default requests per minute of a new key. */
  readonly rpmDefault: number;
  /** Default request units per period of a new project; `none`: not enforced. */
  readonly quotaDefault: number | 'none';
  /** How long charged usage events and quota counters are kept. */
  readonly usageRetentionDays: number;
  /** Infrequent access: storage costs less, each write and read more. */
  readonly usageTableClass: 'standard' | 'infrequentAccess';
  /**
   * Write units a second that each table takes at once, for a day that begins with many requests; undefined: DynamoDB's
   * own 4,000.
   */
  readonly warmWriteUnitsPerSecond: number | undefined;
  /** Restored tables that the gateway uses instead of the stack's own, while they are set. */
  readonly restoredGatewayTable: string | undefined;
  readonly restoredUsageTable: string | undefined;
  /**
   * The stream of the restored Gateway table, which `npm run restore` turns on: with a portal, notices come from it.
   */
  readonly restoredGatewayStreamArn: string | undefined;
  /** A vault of AWS Backup in another account or region, for a copy of both tables every night; undefined: none. */
  readonly backupCopyVaultArn: string | undefined;
  readonly backupCopyRetentionDays: number;
  /** The functions' version of the secret of key tags; undefined: the current one at the deployment. */
  readonly keyTagSecretVersion: string | undefined;
  readonly logRetentionDays: RetentionDays;
  /** Requests per second, and at once, to each metered operation, over all keys. It bounds the cost of forged keys. */
  readonly pingRequestsPerSecond: number;
  readonly pingBurst: number;
  /** Execution environments of the metered function that are kept warm; 0: none. */
  readonly provisionedConcurrency: number;
  /** The account's quota of concurrent Lambda executions in the region: an alarm goes off at 80 %. */
  readonly concurrencyQuota: number;
  /** `canary` rolls back on alarms. `allAtOnce` ignores alarms, so a fix can be deployed while one is on. */
  readonly deployment: 'canary' | 'allAtOnce';
  /** `on`: a probe calls the API from outside every minute. */
  readonly probe: 'on' | 'off';
  /** The secret with the probe's own key for pings; undefined: only health checks. */
  readonly probeKeySecretArn: string | undefined;
  /** The address for mail about alarms; undefined: nobody until someone subscribes to the topic. */
  readonly alarmEmail: string | undefined;
  /** The monthly cost of the account from which `alarmEmail` gets mail; `none`: no budget. */
  readonly monthlyBudgetUsd: number | 'none';
  /** The runbook for the links in alarms: a page with the headings of docs/operating.md. */
  readonly runbookUrl: string;
  /** Any text: a new one makes new versions of the functions, and so new instances. */
  readonly replaceInstances: string | undefined;
  /** The team's domain and its certificate; undefined: API Gateway's domain. */
  readonly domainName: string | undefined;
  readonly certificateArn: string | undefined;
  /** CloudFront with a web ACL before the API: its certificate of the domain, and the domain of the API behind it. */
  readonly edgeCertificateArn: string | undefined;
  readonly edgeOriginDomainName: string | undefined;
  /** For an API that only CloudFront reaches: CloudFront's client certificate, and the file with its issuer. */
  readonly edgeClientCertificateArn: string | undefined;
  readonly edgeTruststore: string | undefined;
  /** The version of that file, in a bucket with versions; undefined: the present one when `edgeTruststore` is set. */
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
  restoredGatewayStreamArn: undefined,
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
 * The settings of each stage. A team's own values belong here: a change is reviewed, and every deployment has it. `-c
 * name=value` overrides one for a single deployment.
 */
export const STAGE_VALUES: Readonly<Record<Stage, StageValues>> = {
  // A new account may have no concurrency to reserve.
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

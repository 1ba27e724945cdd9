import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type * as v from 'valibot';
import {
  DEFAULT_LOCAL_DEV_ORIGIN,
  DEFAULT_QUOTA_UNITS,
  DEFAULT_RPM,
  DEFAULT_USAGE_RETENTION_DAYS,
} from '../functions/shared/names.ts';
import { DEFAULT_KEY_PREFIX } from '../functions/shared/settings/key-prefixes.ts';
import { SOURCE_ADDRESSES } from '../functions/shared/names.ts';
import * as value from './setting-values.ts';

/** A setting as a stage or a command line gives it, unchecked. */
type GivenSetting = string | number | boolean;

/** One setting of a stage. */
export interface Setting<Schema extends v.GenericSchema> {
  readonly schema: Schema;
  /** The value where a stage has none, as it would be given; undefined: not set. */
  readonly byDefault: GivenSetting | undefined;
  /** The default of a production stage, where it differs. */
  readonly inProduction?: GivenSetting;
}

const setting = <Schema extends v.GenericSchema>(
  schema: Schema,
  byDefault?: GivenSetting,
  inProduction?: GivenSetting,
): Setting<Schema> => ({ schema, byDefault, ...(inProduction !== undefined && { inProduction }) });

/** The retention times that CloudWatch Logs supports. */
const LOG_RETENTION_DAYS = Object.values(RetentionDays).filter(
  (days): days is RetentionDays => typeof days === 'number' && days !== RetentionDays.INFINITE,
);

/** Every setting of a stage. docs/deploying.md, "Settings", says what each is for, in the same order. */
export const SETTINGS = {
  production: setting(value.flag, false),
  account: setting(value.accountId),
  region: setting(value.region),

  domainName: setting(value.domain),
  certificateArn: setting(value.certificateArn),
  edgeCertificateArn: setting(value.cloudFrontCertificateArn),
  edgeOriginDomainName: setting(value.domain),
  edgeClientCertificateArn: setting(value.cloudFrontCertificateArn),
  edgeTruststore: setting(value.truststore),
  // WAF's own bounds for a rate rule.
  edgeAddressRequestsPerMinute: setting(value.integer(10, 2_000_000_000), 1_200),

  portal: setting(value.optional(value.oneOf(['on', 'off']))),
  portalOrigin: setting(value.origin),
  localDevOrigin: setting(value.origin, DEFAULT_LOCAL_DEV_ORIGIN, ''),
  portalDomainName: setting(value.domain),
  portalCertificateArn: setting(value.cloudFrontCertificateArn),
  portalWebAclArn: setting(value.cloudFrontWebAclArn),
  supportUrl: setting(value.supportUrl),
  clientPackages: setting(value.clientPackages),
  leakedKeys: setting(value.oneOf(['revoke', 'notify']), 'revoke'),
  mailFrom: setting(value.email),

  selfSignUp: setting(value.oneOf(['open', 'closed']), 'closed'),
  mfa: setting(value.oneOf(['off', 'optional', 'required']), 'optional'),
  signInEmailFrom: setting(value.email),
  sesVerifiedDomain: setting(value.domain),
  oidcIssuer: setting(value.issuer),
  oidcClientId: setting(value.clientId),
  oidcClientSecretArn: setting(value.secretArn),
  oidcTrustEmail: setting(value.flag, false),

  quotaPeriod: setting(value.oneOf(['month', 'day']), 'month'),
  rpmDefault: setting(value.integer(1, 1_000_000), DEFAULT_RPM),
  quotaDefault: setting(value.orNone(value.integer(0, 1_000_000_000)), DEFAULT_QUOTA_UNITS),
  // A period's events must exist until the period is verified after its end.
  usageRetentionDays: setting(value.integer(62, 3_650), DEFAULT_USAGE_RETENTION_DAYS),
  sourceAddresses: setting(value.oneOf(SOURCE_ADDRESSES), 'none'),
  keyPrefix: setting(value.keyPrefix, DEFAULT_KEY_PREFIX),
  formerKeyPrefixes: setting(value.keyPrefixes),
  // API Gateway's own default quota of an account and region is 10,000 a second.
  meteredRequestsPerSecond: setting(value.integer(1, 10_000), 50, 200),
  // A hundred are some twenty opened pages.
  portalRequestsPerSecond: setting(value.integer(1, 10_000), 100),

  // That of a new account.
  concurrencyQuota: setting(value.integer(10, 1_000_000), 10),
  provisionedConcurrency: setting(value.integer(0, 1_000), 0),
  deployment: setting(value.oneOf(['canary', 'allAtOnce']), 'allAtOnce', 'canary'),

  alarmEmail: setting(value.email),
  runbookUrl: setting(value.runbookUrl, value.OWN_RUNBOOK),
  monthlyBudgetUsd: setting(value.orNone(value.integer(1, 10_000_000)), 'none'),
  logRetentionDays: setting(value.oneOf(LOG_RETENTION_DAYS), RetentionDays.ONE_WEEK, RetentionDays.THREE_MONTHS),
  tracing: setting(value.oneOf(['off', 'on']), 'off'),
  probe: setting(value.oneOf(['off', 'on']), 'off'),
  probeKeySecretArn: setting(value.secretArn),

  backupCopyVaultArn: setting(value.backupVaultArn),
  restoredGatewayStreamArn: setting(value.streamArn),
  restoredUsageTable: setting(value.tableName),
  keyTagSecretVersion: setting(value.secretVersion),
  replicaRegion: setting(value.region),
  keyTagSecretArn: setting(value.secretArn),
  standby: setting(value.flag, false),
} as const;

type SettingName = keyof typeof SETTINGS;

/** The checked values of all settings; undefined: not set. */
export type SettingValues = {
  readonly [Name in SettingName]: v.InferOutput<(typeof SETTINGS)[Name]['schema']>;
};

/** Settings as a stage or a command line gives them, unchecked. */
export type GivenSettings = Partial<Readonly<Record<SettingName, GivenSetting>>>;

import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { distance } from 'fastest-levenshtein';
import type * as v from 'valibot';
import { readNamed, SettingsError } from '../functions/core/named-value.ts';
import { STAGES, type Stage } from '../functions/wiring.ts';
import { PORTAL_SCHEMAS } from './portal/settings.ts';
import * as value from './setting-values.ts';
import { refuseContradictions } from './setting-contradictions.ts';
import { STAGE_VALUES, type StageValues } from './stages.ts';

/** The checked settings of one stage. `portalOrigin` is that of the stage's own portal, if it has one with a domain. */
export interface StageSettings extends StageValues {
  readonly stage: Stage;
}

/** The retention times that CloudWatch Logs supports. */
const LOG_RETENTION_DAYS = Object.values(RetentionDays).filter(
  (days): days is RetentionDays => typeof days === 'number' && days !== RetentionDays.INFINITE,
);

const SCHEMAS: { readonly [Name in keyof StageValues]: v.GenericSchema<unknown, StageValues[Name]> } = {
  account: value.accountId,
  region: value.region,
  portalOrigin: value.origin,
  localDevOrigin: value.origin,
  quotaPeriod: value.oneOf(['month', 'day']),
  rpmDefault: value.integer(1, 1_000_000),
  quotaDefault: value.orNone(value.integer(0, 1_000_000_000)),
  // A period's events must exist until the period is verified after its end.
  usageRetentionDays: value.integer(62, 3_650),
  usageTableClass: value.oneOf(['standard', 'infrequentAccess']),
  // DynamoDB starts with 4,000, and refuses less than a table has.
  warmWriteUnitsPerSecond: value.optional(value.integer(4_000, 1_000_000)),
  restoredGatewayTable: value.tableName,
  restoredUsageTable: value.tableName,
  restoredGatewayStreamArn: value.streamArn,
  backupCopyVaultArn: value.backupVaultArn,
  // A hundred years, which AWS treats as forever.
  backupCopyRetentionDays: value.integer(1, 36_500),
  keyTagSecretVersion: value.secretVersion,
  logRetentionDays: value.oneOf(LOG_RETENTION_DAYS),
  // API Gateway's own default quotas of an account and region are 10,000 a second and bursts of 5,000.
  pingRequestsPerSecond: value.integer(1, 10_000),
  pingBurst: value.integer(1, 5_000),
  provisionedConcurrency: value.integer(0, 1_000),
  concurrencyQuota: value.integer(10, 1_000_000),
  deployment: value.oneOf(['canary', 'allAtOnce']),
  probe: value.oneOf(['off', 'on']),
  probeKeySecretArn: value.secretArn,
  alarmEmail: value.email,
  monthlyBudgetUsd: value.orNone(value.integer(1, 10_000_000)),
  runbookUrl: value.runbookUrl,
  replaceInstances: value.note,
  domainName: value.domain,
  certificateArn: value.certificateArn,
  edgeCertificateArn: value.cloudFrontCertificateArn,
  edgeOriginDomainName: value.domain,
  edgeClientCertificateArn: value.cloudFrontCertificateArn,
  edgeTruststore: value.truststore,
  edgeTruststoreVersion: value.objectVersion,
  // WAF's own bounds for a rate rule.
  edgeAddressRequestsPerMinute: value.integer(10, 2_000_000_000),
  ...PORTAL_SCHEMAS,
};

/** Context that is no setting. The CDK's, its CLI's and the team's own context has a `:` or a `/`, except these. */
const FOREIGN_NAMES: ReadonlySet<string> = new Set(['cli-telemetry', 'acknowledged-issue-numbers']);
/** The distance up to which an unknown name counts as a mistyped setting, as a share of its length. */
const TYPO_SHARE = 1 / 3;
/** From this length on, a name that is part of another counts as that one: `email` for `alarmEmail`. */
const MIN_PART_LENGTH = 5;

/**
 * The settings of the stage in the CDK's context: the stage's own values, overridden by the context's. Throws {@link
 * SettingsError} with one line that says what to do.
 */
export function stageSettings(context: Readonly<Record<string, unknown>>): StageSettings {
  const stage = readNamed('stage', context.stage ?? 'dev', value.oneOf(STAGES));
  refuseUnknown(Object.keys(context), ['stage', ...Object.keys(SCHEMAS)]);
  const given: Readonly<Record<string, unknown>> = { ...STAGE_VALUES[stage], ...context };
  const values = Object.fromEntries(
    Object.entries(SCHEMAS).map(([name, schema]) => [name, readNamed(name, given[name], schema)]),
  ) as unknown as StageValues;
  const settings = { stage, ...values };
  refuseContradictions(settings);
  const { portalDomainName } = settings;
  return portalDomainName === undefined ? settings : { ...settings, portalOrigin: `https://${portalDomainName}` };
}

/** Refuses unknown names: an ignored `env=prod` would deploy dev. */
function refuseUnknown(names: readonly string[], known: readonly string[]): void {
  const isForeign = (name: string): boolean => /[/:]/.test(name) || FOREIGN_NAMES.has(name);
  const name = names.find((candidate) => !known.includes(candidate) && !isForeign(candidate));
  if (name === undefined) return;
  const meant = known.find((setting) => looksLike(letters(name), letters(setting)));
  const hint = meant === undefined ? `The settings are ${known.join(', ')}.` : `Did you mean ${meant}?`;
  throw new SettingsError(`There is no setting ${name}. ${hint}`);
}

const looksLike = (name: string, setting: string): boolean =>
  distance(name, setting) <= setting.length * TYPO_SHARE ||
  (name.length >= MIN_PART_LENGTH && setting.includes(name)) ||
  (setting.length >= MIN_PART_LENGTH && name.includes(setting));

/** A name without case, hyphens and underscores. */
const letters = (name: string): string => name.toLowerCase().replace(/[-_]/g, '');

import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { distance } from 'fastest-levenshtein';
import * as v from 'valibot';
import { readNamed, SettingsError } from '../functions/core/named-value.ts';
import {
  DEFAULT_LOCAL_DEV_ORIGIN,
  DEFAULT_QUOTA_UNITS,
  DEFAULT_RPM,
  DEFAULT_USAGE_RETENTION_DAYS,
  STAGE_NAME,
} from '../functions/wiring.ts';
import { refuseContradictions } from './setting-contradictions.ts';
import * as value from './setting-values.ts';
import type { StageProps } from './stage-props.ts';
import { STAGES } from './stages.ts';

/** One setting of a stage. */
interface Setting<Schema extends v.GenericSchema> {
  readonly schema: Schema;
  /** The value where a stage has none, as it would be given; undefined: not set. */
  readonly byDefault: unknown;
  /** The default of a production stage, where it differs. */
  readonly inProduction?: unknown;
}

const setting = <Schema extends v.GenericSchema>(
  schema: Schema,
  byDefault?: unknown,
  inProduction?: unknown,
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
  // API Gateway's own default quota of an account and region is 10,000 a second.
  meteredRequestsPerSecond: setting(value.integer(1, 10_000), 50, 200),

  // That of a new account.
  concurrencyQuota: setting(value.integer(10, 1_000_000), 10),
  provisionedConcurrency: setting(value.integer(0, 1_000), 0),
  deployment: setting(value.oneOf(['canary', 'allAtOnce']), 'allAtOnce', 'canary'),

  alarmEmail: setting(value.email),
  runbookUrl: setting(value.runbookUrl, value.OWN_RUNBOOK),
  monthlyBudgetUsd: setting(value.orNone(value.integer(1, 10_000_000)), 'none'),
  logRetentionDays: setting(value.oneOf(LOG_RETENTION_DAYS), RetentionDays.ONE_WEEK, RetentionDays.THREE_MONTHS),
  probe: setting(value.oneOf(['off', 'on']), 'off'),
  probeKeySecretArn: setting(value.secretArn),

  backupCopyVaultArn: setting(value.backupVaultArn),
  restoredGatewayStreamArn: setting(value.streamArn),
  restoredUsageTable: setting(value.tableName),
  keyTagSecretVersion: setting(value.secretVersion),
} as const;

type SettingName = keyof typeof SETTINGS;

/** The checked values of all settings; undefined: not set. */
export type SettingValues = {
  readonly [Name in SettingName]: v.InferOutput<(typeof SETTINGS)[Name]['schema']>;
};

/** The checked settings of one stage. */
export interface StageSettings extends SettingValues {
  readonly stage: string;
}

/** What every construct of the stage is told. */
export const stagePropsOf = (settings: StageSettings): Required<StageProps> => {
  const { stage, production, logRetentionDays: logRetention, deployment, runbookUrl } = settings;
  return { stage, production, logRetention, deployment, runbookUrl };
};

/** Settings as a stage or a command line gives them, unchecked. */
export type GivenSettings = { readonly [Name in SettingName]?: string | number | boolean };

/** Context that is no setting. The CDK's, its CLI's and the team's own context has a `:` or a `/`, except these. */
const FOREIGN_NAMES: ReadonlySet<string> = new Set(['cli-telemetry', 'acknowledged-issue-numbers']);
/** The distance up to which an unknown name counts as a mistyped setting, as a share of its length. */
const TYPO_SHARE = 1 / 3;
/** From this length on, a name that is part of another counts as that one: `email` for `alarmEmail`. */
const MIN_PART_LENGTH = 5;

const StageName = v.pipe(
  v.string('must be text.'),
  v.regex(STAGE_NAME, 'must be up to 16 lower-case letters and digits, a letter first.'),
);

/**
 * The settings of the stage in the CDK's context: the stage's own values, overridden by the context's. Throws {@link
 * SettingsError} with one line that says what to do.
 */
export function stageSettings(context: Readonly<Record<string, unknown>>): StageSettings {
  const stage = readNamed('stage', context.stage ?? 'dev', StageName);
  refuseUnknown(Object.keys(context), ['stage', ...Object.keys(SETTINGS)]);
  const given: Readonly<Record<string, unknown>> = { ...STAGES[stage], ...context };
  const production = readNamed('production', given.production ?? false, value.flag);
  const values = Object.fromEntries(
    Object.entries<Setting<v.GenericSchema>>(SETTINGS).map(([name, { schema, byDefault, inProduction }]) => [
      name,
      readNamed(name, given[name] ?? (production ? (inProduction ?? byDefault) : byDefault), schema),
    ]),
  ) as unknown as SettingValues;
  const settings = { stage, ...values };
  refuseContradictions(settings);
  return settings;
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

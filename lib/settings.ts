import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { distance } from 'fastest-levenshtein';
import {
  DEFAULT_LOCAL_DEV_ORIGIN,
  DEFAULT_QUOTA_UNITS,
  DEFAULT_RPM,
  DEFAULT_USAGE_RETENTION_DAYS,
  STAGES,
  type Stage,
} from '../functions/contract.ts';
import { certificateArn, domain, email, integer, oneOf, orNone, origin, SettingsError, url } from './setting-values.ts';

/** What differs from stage to stage. Every one can be set by CDK context: `-c portalOrigin=https://…`. */
export interface StageSettings {
  readonly stage: Stage;
  /** Browser origin of the developer portal; undefined: none may read responses. */
  readonly portalOrigin: string | undefined;
  /** Browser origin of a portal under development; undefined: none. */
  readonly localDevOrigin: string | undefined;
  /** How often the quota starts anew. */
  readonly quotaPeriod: 'month' | 'day';
  /** Requests per minute of a key that is created without a limit of its own. */
  readonly rpmDefault: number;
  /** Request units per period of a project that is created without a quota of its own; `none`: not enforced. */
  readonly quotaDefault: number | 'none';
  /** How long charged usage events and quota counters are kept. */
  readonly usageRetentionDays: number;
  /** Infrequent access: storage costs less, each write and read more. */
  readonly usageTableClass: 'standard' | 'infrequentAccess';
  readonly logRetentionDays: RetentionDays;
  /** Pings per second that the API lets through, over all keys, and how many at once. Bounds what forged keys cost. */
  readonly pingRequestsPerSecond: number;
  readonly pingBurst: number;
  /** Execution environments of the ping function that are kept warm; 0: none. */
  readonly provisionedConcurrency: number;
  /** `canary` rolls back on alarms; `allAtOnce` does not look at them: also the way to bring a fix while one is on. */
  readonly deployment: 'canary' | 'allAtOnce';
  /** Who is told of alarms; undefined: nobody until someone subscribes to the topic. */
  readonly alarmEmail: string | undefined;
  /** Where alarms find the runbook: a page with the README's headings. */
  readonly runbookUrl: string;
  /** A domain of the team's own, with its certificate; undefined: API Gateway's. */
  readonly domainName: string | undefined;
  readonly certificateArn: string | undefined;
}

/** The retention times that CloudWatch Logs knows. */
const LOG_RETENTION_DAYS = Object.values(RetentionDays).filter(
  (days): days is RetentionDays => typeof days === 'number' && days !== RetentionDays.INFINITE,
);

const LOG_RETENTION_DAYS_OF = {
  dev: RetentionDays.ONE_WEEK,
  staging: RetentionDays.ONE_MONTH,
  prod: RetentionDays.THREE_MONTHS,
} as const;

type Reader<T> = (value: unknown, name: string) => T;

/** The settings of a stage before context overrides them, and how each is read. */
const readers = (stage: Stage): { readonly [Name in keyof StageSettings]: Reader<StageSettings[Name]> } => ({
  stage: () => stage,
  portalOrigin: origin(undefined),
  localDevOrigin: origin(stage === 'prod' ? undefined : DEFAULT_LOCAL_DEV_ORIGIN),
  quotaPeriod: oneOf(['month', 'day'], 'month'),
  rpmDefault: integer(1, 1_000_000, DEFAULT_RPM),
  quotaDefault: orNone(integer(0, 1_000_000_000, DEFAULT_QUOTA_UNITS)),
  // A period's events must be there, whole, until it has been verified after its end.
  usageRetentionDays: integer(62, 3_650, DEFAULT_USAGE_RETENTION_DAYS),
  usageTableClass: oneOf(['standard', 'infrequentAccess'], 'standard'),
  logRetentionDays: oneOf(LOG_RETENTION_DAYS, LOG_RETENTION_DAYS_OF[stage]),
  // API Gateway's own default quotas of an account and region are 10,000 a second and bursts of 5,000.
  pingRequestsPerSecond: integer(1, 10_000, stage === 'prod' ? 200 : 50),
  pingBurst: integer(1, 5_000, stage === 'prod' ? 400 : 100),
  provisionedConcurrency: integer(0, 1_000, 0),
  deployment: oneOf(['canary', 'allAtOnce'], stage === 'dev' ? 'allAtOnce' : 'canary'),
  alarmEmail: email(),
  runbookUrl: url('README.md'),
  domainName: domain(),
  certificateArn: certificateArn(),
});

/** Context of the CDK and its CLI, which is no setting: `@aws-cdk/…`, `availability-zones:…`, `cli-telemetry`. */
const FOREIGN_NAME = /[/:]|^cli-telemetry$/;
/** Distance up to which an unknown name is taken for a mistyped setting, as a share of its length. */
const TYPO_SHARE = 1 / 3;
/** From this length on, a name that is part of the other is taken for it: `email` for `alarmEmail`. */
const MIN_PART_LENGTH = 5;

/** Reads the settings of a stage from all of the CDK's context. Throws {@link SettingsError}, one line a person can act on. */
export function stageSettings(context: Readonly<Record<string, unknown>>): StageSettings {
  const stage = oneOf(STAGES, 'dev')(context.stage, 'stage');
  const read = readers(stage);
  refuseTypos(Object.keys(context), Object.keys(read));
  const settings = Object.fromEntries(
    Object.entries(read).map(([name, reader]) => [name, reader(context[name], name)]),
  ) as unknown as StageSettings;
  refuseContradictions(settings);
  return settings;
}

function refuseTypos(names: readonly string[], known: readonly string[]): void {
  for (const name of names.filter((candidate) => !known.includes(candidate) && !FOREIGN_NAME.test(candidate))) {
    const meant = known.find((setting) => looksLike(letters(name), letters(setting)));
    if (meant !== undefined) throw new SettingsError(`There is no setting ${name}. Did you mean ${meant}?`);
  }
}

const looksLike = (name: string, setting: string): boolean =>
  distance(name, setting) <= setting.length * TYPO_SHARE ||
  (name.length >= MIN_PART_LENGTH && setting.includes(name)) ||
  (setting.length > MIN_PART_LENGTH && name.includes(setting));

/** A name without what people write differently: case, hyphens, underscores. */
const letters = (name: string): string => name.toLowerCase().replace(/[-_]/g, '');

function refuseContradictions({ stage, portalOrigin, domainName, certificateArn: arn, ...rest }: StageSettings): void {
  if (stage === 'prod' && portalOrigin === undefined) {
    throw new SettingsError('portalOrigin must be set in prod: the browser origin of the developer portal.');
  }
  if (domainName !== undefined && arn === undefined) {
    throw new SettingsError('certificateArn must be set with domainName: a certificate of ACM in the same region.');
  }
  if (domainName === undefined && arn !== undefined) {
    throw new SettingsError('domainName must be set with certificateArn.');
  }
  if (rest.pingBurst < rest.pingRequestsPerSecond / 10) {
    throw new SettingsError('pingBurst must be at least a tenth of pingRequestsPerSecond, or it is the limit.');
  }
}

// A static import of names. The bundler cannot remove unused code from a dynamically imported module: it would have 38
// kB instead of 14.
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import * as v from 'valibot';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { LEAKED_KEYS } from '../accounts/keys/leaked-keys.ts';
import { DEFAULT_LIMITS, PROJECTS_MADE_TO_OPEN, type Limits } from '../accounts/limits.ts';
import { MS_PER_MINUTE } from '../shared/rules/clock.ts';
import { errorView } from '../shared/rules/error-view.ts';
import { readKeyTagSecrets } from '../shared/rules/api-key.ts';
import { readNamed, setText, wholeNumber } from '../shared/rules/named-value.ts';
import { QuotaPeriodText, type QuotaPeriod } from '../shared/rules/period.ts';
import { clientPackagesIn, ClientPackagesText } from '../shared/rules/client-packages.ts';
import { SupportUrl } from '../shared/rules/support-url.ts';
import { system } from '../shared/system.ts';
import {
  CHANGES_METRIC,
  DEFAULT_QUOTA_UNITS,
  DEFAULT_RPM,
  DEFAULT_USAGE_RETENTION_DAYS,
  ENVIRONMENT,
  METRIC_NAMESPACE,
  NOTICES_ENVIRONMENT,
  PORTAL_ENVIRONMENT,
  PORTAL_SERVICE,
  REQUEST_DIMENSIONS,
  REQUEST_METRICS,
} from '../shared/names.ts';
import { fixedSecret, keptSecret, type ClientSecret } from './sign-in/client-secret.ts';
import type { ProviderSettings } from './sign-in/provider.ts';
import type { PortalTelemetry } from './telemetry.ts';

/** The default name of the stage. */
const LOCAL_STAGE = 'local';
/** How long a session lasts without activity, and in total. */
const DEFAULT_IDLE_MINUTES = 120;
const DEFAULT_SESSION_HOURS = 12;
const MINUTES_PER_HOUR = 60;
const MAX_COUNT = 1_000_000;
const Count = wholeNumber(1, MAX_COUNT, `must be a whole number from 1 to ${MAX_COUNT}.`);
const MAX_QUOTA_UNITS = 1_000_000_000;
const NO_QUOTA = `must be a whole number from 0 to ${MAX_QUOTA_UNITS}, or none.`;
const QuotaUnits = v.union([v.literal('none'), wholeNumber(0, MAX_QUOTA_UNITS, NO_QUOTA)], NO_QUOTA);
const LeakedKeysText = v.optional(v.picklist(LEAKED_KEYS, `must be ${LEAKED_KEYS.join(' or ')}.`), 'revoke');
const Flag = v.optional(v.picklist(['true', 'false'], 'must be true or false.'), 'false');

/** Reads a variable of the environment. Throws `SettingsError`. */
const read = <S extends v.GenericSchema>(name: string, schema: S): v.InferOutput<S> =>
  readNamed(name, process.env[name], schema);
const required = (name: string): string => read(name, setText);
const count = (name: string, otherwise: number): number => Number(read(name, v.optional(Count, String(otherwise))));

/** The portal's only access to the environment: its settings, checked when it starts. */
export const settings = {
  tables: () => ({ gateway: required(ENVIRONMENT.gatewayTable), usage: required(ENVIRONMENT.usageTable) }),
  /** Whether `npm start` runs it. Then endpoints on this machine are allowed. */
  isLocal: (): boolean => !process.env[ENVIRONMENT.stage] && process.env.AWS_LAMBDA_FUNCTION_NAME === undefined,
  stage: (): string => process.env[ENVIRONMENT.stage] || LOCAL_STAGE,
  quotaPeriod: () => read(ENVIRONMENT.quotaPeriod, QuotaPeriodText) as QuotaPeriod,
  usageRetentionDays: () => count(ENVIRONMENT.usageRetentionDays, DEFAULT_USAGE_RETENTION_DAYS),
  /** The portal's own origin, as browsers use it. */
  portalOrigin: () => required(ENVIRONMENT.portalOrigin),
  /** Whether the stage sends mail. */
  hasMail: () => Boolean(process.env[NOTICES_ENVIRONMENT.mailFrom]),
  leakedKeys: () => read(PORTAL_ENVIRONMENT.leakedKeys, LeakedKeysText),
  supportUrl: () => read(PORTAL_ENVIRONMENT.supportUrl, SupportUrl),
  clientPackages: () => clientPackagesIn(read(PORTAL_ENVIRONMENT.clientPackages, ClientPackagesText) ?? ''),
  /** The gateway's origin. */
  gatewayUrl: () => required(PORTAL_ENVIRONMENT.gatewayUrl),
  provider: (): ProviderSettings => {
    const issuer = required(PORTAL_ENVIRONMENT.oidcIssuer);
    return {
      issuer,
      issuerLabel: process.env[PORTAL_ENVIRONMENT.oidcIssuerLabel] || issuer,
      clientId: required(PORTAL_ENVIRONMENT.oidcClientId),
      clientSecret: clientSecret(),
      cognitoOrigin: process.env[PORTAL_ENVIRONMENT.cognitoOrigin] || undefined,
      trustEmail: read(PORTAL_ENVIRONMENT.oidcTrustEmail, Flag) === 'true',
    };
  },
  limits,
  keyTagSecrets: () => readKeyTagSecrets(ENVIRONMENT.keyTagSecrets, required(ENVIRONMENT.keyTagSecrets)),
  /** The defaults of new keys and new projects. */
  defaults: () => ({
    rpm: count(PORTAL_ENVIRONMENT.defaultRpm, DEFAULT_RPM),
    quotaUnits: defaultQuotaUnits(),
  }),
  sessionLimits: () => ({
    idleMs: count(PORTAL_ENVIRONMENT.sessionIdleMinutes, DEFAULT_IDLE_MINUTES) * MS_PER_MINUTE,
    absoluteMs: count(PORTAL_ENVIRONMENT.sessionHours, DEFAULT_SESSION_HOURS) * MINUTES_PER_HOUR * MS_PER_MINUTE,
  }),
};

/** In AWS it is read from Secrets Manager, so that neither the environment nor the template contains it. */
function clientSecret(): ClientSecret {
  const secretArn = process.env[PORTAL_ENVIRONMENT.oidcClientSecretArn];
  return secretArn
    ? keptSecret(secretText(secretArn), system.clock)
    : fixedSecret(required(PORTAL_ENVIRONMENT.oidcClientSecret));
}

function defaultQuotaUnits(): number | undefined {
  const units = read(PORTAL_ENVIRONMENT.defaultQuotaUnits, v.optional(QuotaUnits, String(DEFAULT_QUOTA_UNITS)));
  return units === 'none' ? undefined : Number(units);
}

/** The limits of people, settings of the stage. */
function limits(): Limits {
  const names = Object.keys(DEFAULT_LIMITS) as (keyof Limits)[];
  const open = count(PORTAL_ENVIRONMENT.projectsPerAccount, DEFAULT_LIMITS.projectsPerAccount);
  const otherwise: Limits = { ...DEFAULT_LIMITS, projectsPerPeriod: open * PROJECTS_MADE_TO_OPEN };
  return Object.fromEntries(names.map((name) => [name, count(PORTAL_ENVIRONMENT[name], otherwise[name])])) as never;
}

/** Whether a route changes nothing. It may be a POST, to keep its input out of addresses. */
const isRead = (route: string | null): boolean => /^GET |\/lookup$/.test(route ?? '');

/** Structured JSON log lines, and metrics in CloudWatch's embedded format, on stdout. */
export function powertoolsTelemetry(): PortalTelemetry {
  const stage = settings.stage();
  const logger = new Logger({ serviceName: PORTAL_SERVICE });
  const metrics = new Metrics({
    namespace: METRIC_NAMESPACE,
    serviceName: PORTAL_SERVICE,
    defaultDimensions: { stage },
  });
  return {
    request: (entry, failure) => {
      if (failure === undefined) logger.info('request', { ...entry });
      else logger.error('request', { ...entry, error: errorView(failure) });
      metrics.captureColdStartMetric(process.env.AWS_LAMBDA_FUNCTION_NAME);
      metrics
        .addDimension(REQUEST_DIMENSIONS.route, entry.route ?? 'none')
        .addDimension(REQUEST_DIMENSIONS.outcome, entry.code ?? 'ok')
        .addMetric(REQUEST_METRICS.requests, MetricUnit.Count, 1)
        .addMetric(REQUEST_METRICS.latency, MetricUnit.Milliseconds, entry.durationMs);
      if (entry.code === null && !isRead(entry.route)) metrics.addMetric(CHANGES_METRIC, MetricUnit.Count, 1);
      metrics.publishStoredMetrics();
    },
    warn: (message, requestId, cause) => {
      logger.warn(message, { requestId, error: errorView(cause) });
    },
    count: (metric) => {
      metrics.singleMetric().addMetric(metric, MetricUnit.Count, 1);
    },
  };
}

/** The longest time for one of at most two attempts, within the request's own time. */
const ATTEMPT_MS = 1_000;
const MAX_ATTEMPTS = 2;

/**
 * Reads the text of a secret in AWS Secrets Manager, its current version at each call. The first call makes the client.
 * Rejects when there is no such text, or not in time.
 */
export function secretText(secretArn: string): () => Promise<string> {
  let client: SecretsManagerClient | undefined;
  return async () => {
    client ??= new SecretsManagerClient({
      maxAttempts: MAX_ATTEMPTS,
      requestHandler: { connectionTimeout: ATTEMPT_MS, requestTimeout: ATTEMPT_MS, throwOnRequestTimeout: true },
    });
    const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId: secretArn }));
    if (!SecretString) throw new Error('the secret holds no text');
    return SecretString;
  };
}

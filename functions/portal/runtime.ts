import * as v from 'valibot';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { LEAKED_KEYS } from '../accounts/keys/leaked-keys.ts';
import { DEFAULT_LIMITS, PROJECTS_MADE_TO_OPEN, type Limits } from '../accounts/store/limits.ts';
import { FIRST_FAILURE_STATUS } from '../shared/http/errors.ts';
import { optional, read, required, system } from '../shared/system.ts';
import { MS_PER_MINUTE } from '../shared/time.ts';
import { errorView, powertools } from '../shared/telemetry.ts';
import { wholeNumber } from '../shared/settings/named-value.ts';
import { clientPackagesIn, ClientPackagesText } from '../shared/settings/client-packages.ts';
import { SupportUrl } from '../shared/settings/support-url.ts';
import {
  CHANGES_METRIC,
  DEFAULT_QUOTA_UNITS,
  DEFAULT_RPM,
  DEFAULT_USAGE_RETENTION_DAYS,
  ENVIRONMENT,
  NOTICES_ENVIRONMENT,
  PORTAL_ENVIRONMENT,
  PORTAL_SERVICE,
  type PORTAL_DIMENSIONS,
} from '../shared/names.ts';
import { MAX_UNITS_LIMIT } from '../shared/choices.ts';
import { eventContract } from './contract/events.ts';
import { fixedSecret, keptSecret, type ClientSecret } from './provider/client-secret.ts';
import type { ProviderSettings } from './provider/provider.ts';
import type { PortalLogEntry, PortalTelemetry } from './request/telemetry.ts';

/** How long a session lasts without activity, and in total. */
const DEFAULT_IDLE_MINUTES = 120;
const DEFAULT_SESSION_HOURS = 12;
const MINUTES_PER_HOUR = 60;
const MAX_COUNT = 1_000_000;
const Count = wholeNumber(1, MAX_COUNT, `must be a whole number from 1 to ${MAX_COUNT}.`);
const NO_QUOTA = `must be a whole number from 0 to ${MAX_UNITS_LIMIT}, or none.`;
const QuotaUnits = v.union([v.literal('none'), wholeNumber(0, MAX_UNITS_LIMIT, NO_QUOTA)], NO_QUOTA);
const LeakedKeysText = v.optional(v.picklist(LEAKED_KEYS, `must be ${LEAKED_KEYS.join(' or ')}.`), 'revoke');
const Flag = v.optional(v.picklist(['true', 'false'], 'must be true or false.'), 'false');

/** Throws `SettingsError`. */
const count = (name: string, otherwise: number): number => Number(read(name, v.optional(Count, String(otherwise))));

/** The portal's settings, checked when it starts. */
export const settings = {
  usageRetentionDays: () => count(ENVIRONMENT.usageRetentionDays, DEFAULT_USAGE_RETENTION_DAYS),
  /** The portal's own origin, as browsers use it. */
  portalOrigin: () => required(ENVIRONMENT.portalOrigin),
  /** Whether the stage sends mail. */
  hasMail: () => optional(NOTICES_ENVIRONMENT.mailFrom) !== undefined,
  leakedKeys: () => read(PORTAL_ENVIRONMENT.leakedKeys, LeakedKeysText),
  supportUrl: () => read(PORTAL_ENVIRONMENT.supportUrl, SupportUrl),
  clientPackages: () => clientPackagesIn(read(PORTAL_ENVIRONMENT.clientPackages, ClientPackagesText) ?? ''),
  /** The gateway's origin. */
  gatewayUrl: () => required(PORTAL_ENVIRONMENT.gatewayUrl),
  provider: (): ProviderSettings => {
    const issuer = required(PORTAL_ENVIRONMENT.oidcIssuer);
    return {
      issuer,
      issuerLabel: optional(PORTAL_ENVIRONMENT.oidcIssuerLabel) ?? issuer,
      clientId: required(PORTAL_ENVIRONMENT.oidcClientId),
      clientSecret: clientSecret(),
      cognitoOrigin: optional(PORTAL_ENVIRONMENT.cognitoOrigin),
      trustEmail: read(PORTAL_ENVIRONMENT.oidcTrustEmail, Flag) === 'true',
    };
  },
  limits,
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
  const secretArn = optional(PORTAL_ENVIRONMENT.oidcClientSecretArn);
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

/** Whether a route changes nothing. One is a POST, to keep its input out of addresses. */
const isRead = (route: string | null): boolean =>
  route !== null && (route.startsWith('GET ') || route === eventContract.lookUpCharge.route);

const outcomeOf = ({ code, status }: PortalLogEntry): string => {
  if (code === null) return 'ok';
  return status < FIRST_FAILURE_STATUS ? 'refused' : 'failed';
};

export function portalTelemetry(): PortalTelemetry {
  const { request, warn, count } = powertools(PORTAL_SERVICE);
  return {
    request: (entry, failure) => {
      const { route, code } = entry;
      const dimensions: Record<(typeof PORTAL_DIMENSIONS)[number], string> = { outcome: outcomeOf(entry) };
      const also = { [CHANGES_METRIC]: code === null && !isRead(route) ? 1 : 0 };
      request(entry, failure, { dimensions, also });
    },
    warn: (message, requestId, cause) => {
      warn(message, { requestId }, cause);
    },
    refused: (message, requestId, cause) => {
      warn(message, { requestId, reason: errorView(cause).message });
    },
    count,
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

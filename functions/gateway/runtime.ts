import * as v from 'valibot';
import { knowKeys, optional, read, system } from '../shared/system.ts';
import {
  DEFAULT_USAGE_RETENTION_DAYS,
  ENVIRONMENT,
  REQUEST_METRICS,
  SERVICE,
  type REQUEST_DIMENSIONS,
} from '../shared/names.ts';
import { SOURCE_ADDRESSES } from '../shared/names.ts';
import { wholeNumber } from '../shared/settings/named-value.ts';
import { powertools } from '../shared/telemetry.ts';
import type { ChainDependencies } from './middleware/chain.ts';
import type { Telemetry } from './middleware/request-context.ts';

/** A hundred years. */
const MAX_DAYS = 36_500;

const Days = v.optional(
  wholeNumber(1, MAX_DAYS, 'must be a whole number of days.'),
  String(DEFAULT_USAGE_RETENTION_DAYS),
);

const NO_FORM = `must be one of ${SOURCE_ADDRESSES.join(', ')}.`;

/** The settings of a function, checked when it starts. */
export const settings = {
  /** Undefined: the stage knows no portal. */
  portalOrigin: () => optional(ENVIRONMENT.portalOrigin),
  /** Origins of `PORTAL_ORIGIN` and `LOCAL_DEV_ORIGIN`, if set. */
  allowedOrigins: (): string[] =>
    [settings.portalOrigin(), optional(ENVIRONMENT.localDevOrigin)].filter((origin) => origin !== undefined),
  sourceAddresses: () => read(ENVIRONMENT.sourceAddresses, v.optional(v.picklist(SOURCE_ADDRESSES, NO_FORM), 'none')),
  usageRetentionDays: () => Number(read(ENVIRONMENT.usageRetentionDays, Days)),
};

/** The dependencies of both functions' chains, from the environment. */
export function chainDependencies(): ChainDependencies {
  knowKeys();
  return {
    ...system,
    portalOrigin: settings.portalOrigin(),
    allowedOrigins: settings.allowedOrigins(),
    telemetry: telemetry(),
  };
}

function telemetry(): Telemetry {
  const { request, warn, count } = powertools(SERVICE);
  return {
    request: (entry, failure) => {
      const { routeKey, outcome, units } = entry;
      const dimensions: Record<(typeof REQUEST_DIMENSIONS)[number], string> = { route: routeKey || 'none', outcome };
      request(entry, failure, { dimensions, also: { [REQUEST_METRICS.unitsCharged]: units } });
    },
    warn: (message, requestId, cause) => {
      warn(message, { requestId }, cause);
    },
    count,
  };
}

import {
  isOnThisMachine,
  keyTagSecrets,
  knowKeys,
  quotaPeriod,
  stageName,
  tableNames,
  system,
} from '../shared/system.ts';
import { createClient, documentClient, warmUp } from '../shared/store/client.ts';
import { portalFunction } from './app.ts';
import { lambdaHandler } from './request/lambda.ts';
import { portalTelemetry, settings } from './runtime.ts';
import { openIdProvider } from './provider/provider.ts';

knowKeys();
const client = documentClient(createClient());
const tables = tableNames();
const secrets = keyTagSecrets();
const nobody = () => Promise.reject(new Error('a change in nobody’s name'));

/** Lambda entry point: everything below `/api/` and `/manage/`. */
export const handler = lambdaHandler(
  portalFunction({
    clock: system.clock,
    randomBytes: system.randomBytes,
    startDeadline: system.startDeadline,
    telemetry: portalTelemetry(),
    store: { client, tables, ...system, actor: nobody, keyTagSecrets: () => Promise.resolve(secrets), quotaPeriod },
    sessionLimits: settings.sessionLimits(),
    limits: settings.limits(),
    defaults: settings.defaults(),
    hasLocalEndpoints: isOnThisMachine(),
    stage: stageName(),
    hasMail: settings.hasMail(),
    leakedKeys: settings.leakedKeys(),
    supportUrl: settings.supportUrl(),
    clientPackages: settings.clientPackages(),
    quotaPeriod: quotaPeriod(),
    usageRetentionDays: settings.usageRetentionDays(),
    portalOrigin: settings.portalOrigin(),
    gatewayUrl: settings.gatewayUrl(),
    provider: openIdProvider(settings.provider()),
  }),
);

await warmUp(client, tables.gateway);

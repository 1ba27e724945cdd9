import { RegionInfo } from 'aws-cdk-lib/region-info';
import { SettingsError } from '../functions/shared/settings/named-value.ts';
import { refuseTooMuchConcurrency } from './concurrency.ts';
import { refuseTooManyRequests } from './rate-limit.ts';
import type { SettingValues } from './setting-table.ts';

/** Whether a stage has a portal of its own, and not somebody else's or none. */
export const hasPortal = ({ portal, portalOrigin }: Pick<SettingValues, 'portal' | 'portalOrigin'>): boolean =>
  portal !== 'off' && portalOrigin === undefined;

/** Whether somebody is told when a stage fails: only then it has alarms and a dashboard. */
export const isWatched = ({ production, alarmEmail }: Pick<SettingValues, 'production' | 'alarmEmail'>): boolean =>
  production || alarmEmail !== undefined;

/** Throws {@link SettingsError} for settings that are valid separately, but not together. */
export function refuseContradictions(settings: SettingValues): void {
  const { account, region, concurrencyQuota, provisionedConcurrency } = settings;
  together({ account, region }, 'a stage is in one region of one account.');
  refuseWrongDomains(settings);
  refuseHalfAnEdge(settings);
  if (hasPortal(settings)) refuseWrongRegion(settings);
  else refusePortalSettings(settings);
  refuseWrongPeople(settings);
  refuseHalfARestore(settings);
  refuseWrongPlaces(settings);
  refuseServingStandby(settings);
  if (settings.probeKeySecretArn !== undefined && settings.probe === 'off') {
    throw new SettingsError('probe must be on with probeKeySecretArn: the key is the probe’s.');
  }
  if (settings.monthlyBudgetUsd !== 'none' && settings.alarmEmail === undefined) {
    throw new SettingsError('alarmEmail must be set with monthlyBudgetUsd: a budget tells someone.');
  }
  refuseTooManyRequests(settings.meteredRequestsPerSecond, region);
  refuseUnwatched(settings);
  refuseTooMuchConcurrency(concurrencyQuota, { provisionedConcurrency, hasPortal: hasPortal(settings) });
}

type Given = Readonly<Record<string, unknown>>;

/** Throws when some of the settings are set, and not all. True: all are set. */
function together(group: Given, why: string): boolean {
  const isSet = Object.values(group).map((value) => value !== undefined);
  if (isSet.includes(true) && isSet.includes(false)) {
    const names = Object.keys(group);
    throw new SettingsError(`${names.slice(0, -1).join(', ')} and ${names.at(-1)} must be set together: ${why}`);
  }
  return !isSet.includes(false);
}

function refuseWrongDomains(settings: SettingValues): void {
  const { domainName, certificateArn, portalDomainName, portalCertificateArn } = settings;
  together({ domainName, certificateArn }, 'a certificate of ACM in the region of the stage.');
  together({ portalDomainName, portalCertificateArn }, 'a certificate of ACM in us-east-1.');
  if (portalDomainName !== undefined && portalDomainName === domainName) {
    throw new SettingsError('portalDomainName and domainName must be two domains: the portal is not the gateway.');
  }
}

function refuseHalfAnEdge(settings: SettingValues): void {
  const { edgeCertificateArn, edgeOriginDomainName, edgeClientCertificateArn, edgeTruststore } = settings;
  const edge = { edgeCertificateArn, edgeOriginDomainName, edgeClientCertificateArn, edgeTruststore };
  if (!together(edge, 'an API that is open behind its edge can be flooded past it.')) return;
  const { domainName, account } = settings;
  if (domainName === undefined || account === undefined) {
    throw new SettingsError('domainName, certificateArn, account and region must be set with an edge.');
  }
  if (edgeOriginDomainName === domainName) {
    throw new SettingsError('edgeOriginDomainName must be another domain than domainName, which is that of the edge.');
  }
}

/** Settings that have no effect without a portal of the stage's own. */
function refusePortalSettings(settings: SettingValues): void {
  const { portal, portalDomainName, portalWebAclArn, mailFrom, supportUrl, clientPackages } = settings;
  if (portal === 'on') {
    throw new SettingsError('portalOrigin and portal=on cannot both be set: the one is a portal of someone else’s.');
  }
  const own = { portalDomainName, portalWebAclArn, mailFrom, supportUrl, clientPackages };
  const set = Object.entries({ ...own, oidcIssuer: settings.oidcIssuer }).find(([, value]) => value !== undefined);
  if (set)
    throw new SettingsError(`${set[0]} is of the stage’s own portal: unset portalOrigin and portal=off with it.`);
}

/** CloudFront writes its log into some regions only (CloudFront, "Choose an Amazon S3 bucket for standard logs"). */
function refuseWrongRegion({ region }: SettingValues): void {
  if (region === undefined) return;
  const info = RegionInfo.regions.find(({ name }) => name === region);
  if (info?.partition === 'aws' && !info.isOptInRegion) return;
  throw new SettingsError(
    `region cannot be ${region} with a portal: CloudFront does not put its log into buckets of regions that an account has to switch on.`,
  );
}

/** Settings that have no effect without alarms. */
function refuseUnwatched(settings: SettingValues): void {
  if (isWatched(settings)) return;
  const without = 'a stage without it, and without production, has no alarms';
  if (settings.probe === 'on') throw new SettingsError(`alarmEmail must be set with probe=on: ${without}.`);
  if (settings.deployment === 'canary') {
    throw new SettingsError(`alarmEmail must be set with deployment=canary: ${without}, so no version would go back.`);
  }
}

/** The sign-in. */
function refuseWrongPeople(settings: SettingValues): void {
  const { oidcIssuer, oidcClientId, oidcClientSecretArn, signInEmailFrom, sesVerifiedDomain } = settings;
  together({ oidcIssuer, oidcClientId, oidcClientSecretArn }, 'they are one client.');
  if (oidcIssuer === undefined && settings.oidcTrustEmail) {
    throw new SettingsError(
      'oidcIssuer must be set with oidcTrustEmail: a user pool says which addresses are verified.',
    );
  }
  if (oidcIssuer !== undefined && settings.selfSignUp === 'open') {
    throw new SettingsError('selfSignUp=open is of the user pool: with oidcIssuer people sign up there.');
  }
  if (sesVerifiedDomain !== undefined && !signInEmailFrom?.endsWith(`@${sesVerifiedDomain}`)) {
    throw new SettingsError('signInEmailFrom must be an address of sesVerifiedDomain.');
  }
}

/** The restored tables, which are one ledger. */
function refuseHalfARestore({ restoredGatewayStreamArn, restoredUsageTable }: SettingValues): void {
  if (!together({ restoredGatewayStreamArn, restoredUsageTable }, 'they are one ledger.')) return;
  if (restoredGatewayStreamArn?.includes(`:table/${restoredUsageTable}/`)) {
    throw new SettingsError('restoredGatewayStreamArn and restoredUsageTable must be of two tables.');
  }
}

/** A copy in another region, and what the stage uses of one. */
function refuseWrongPlaces(settings: SettingValues): void {
  const { region, replicaRegion, keyTagSecretArn, restoredGatewayStreamArn } = settings;
  if (replicaRegion !== undefined && (region === undefined || region === replicaRegion)) {
    throw new SettingsError('account and region must be set with replicaRegion, which is another region.');
  }
  if (replicaRegion !== undefined && keyTagSecretArn !== undefined) {
    throw new SettingsError(
      'replicaRegion and keyTagSecretArn cannot both be set: a stage that uses a copy of a secret is copied nowhere.',
    );
  }
  for (const [name, arn] of Object.entries({ keyTagSecretArn, restoredGatewayStreamArn })) {
    const place = arn?.split(':')[3];
    if (place === undefined || region === undefined || place === region) continue;
    throw new SettingsError(`${name} must be of ${region}, the region of the stage, and not of ${place}.`);
  }
}

/** What would run in a standby, or wait for what runs. */
function refuseServingStandby(settings: SettingValues): void {
  if (!settings.standby) return;
  if (hasPortal(settings)) {
    throw new SettingsError(
      'portal must be off with standby: people and notices belong to the region that serves, and a domain is on one distribution.',
    );
  }
  if (settings.provisionedConcurrency > 0) {
    throw new SettingsError(
      'provisionedConcurrency must be 0 with standby: Lambda keeps nothing warm that may not run.',
    );
  }
  if (settings.probe === 'on') {
    throw new SettingsError('probe must be off with standby: nothing would answer it.');
  }
}

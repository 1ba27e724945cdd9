import { RegionInfo } from 'aws-cdk-lib/region-info';
import { SettingsError } from '../../functions/core/named-value.ts';
import { hasPortal, isCloudFronts, type PortalValues } from './settings.ts';

const MINUTES_PER_HOUR = 60;

/** The gateway's settings that concern the portal. */
type Neighbours = Readonly<
  Record<
    | 'portalOrigin'
    | 'domainName'
    | 'edgeOriginDomainName'
    | 'region'
    | 'restoredGatewayTable'
    | 'restoredGatewayStreamArn',
    string | undefined
  >
>;

/** Throws `SettingsError` for settings of a portal that are valid separately, but not together. */
export function refusePortalContradictions(settings: PortalValues & Neighbours): void {
  refuseWrongAddresses(settings);
  refuseHalfClosed(settings);
  refuseWrongPeople(settings);
  refuseWrongNotices(settings);
  const { sessionIdleMinutes: idle, sessionHours: hours, region } = settings;
  if (idle !== undefined && hours !== undefined && idle > hours * MINUTES_PER_HOUR) {
    throw new SettingsError('sessionIdleMinutes must be at most sessionHours: a session ends with its hours.');
  }
  if (hasPortal(settings) && region !== undefined && !takesCloudFrontsLog(region)) {
    throw new SettingsError(
      `region cannot be ${region} with a portal: CloudFront does not put its log into buckets of regions that an account has to switch on.`,
    );
  }
}

/** The portal's address, and whether it is the stage's own. */
function refuseWrongAddresses(settings: PortalValues & Neighbours): void {
  const { portalDomainName: domain, portalCertificateArn: certificate } = settings;
  if (settings.portalOrigin !== undefined && hasPortal(settings)) {
    const own = domain === undefined ? 'portal=on' : 'portalDomainName';
    throw new SettingsError(`portalOrigin and ${own} cannot both be set: the one is a portal of someone else's.`);
  }
  if (domain === undefined && certificate !== undefined) {
    throw new SettingsError('portalDomainName must be set with portalCertificateArn.');
  }
  if (domain !== undefined && isCloudFronts(domain) !== (certificate === undefined)) {
    throw new SettingsError(
      certificate === undefined
        ? 'portalCertificateArn must be set with portalDomainName: a certificate of ACM in us-east-1.'
        : 'portalCertificateArn cannot be set with a domain of CloudFront, which has a certificate.',
    );
  }
  if (domain !== undefined && domain === settings.domainName) {
    throw new SettingsError('portalDomainName and domainName must be two domains: the portal is not the gateway.');
  }
  if (settings.hstsIncludeSubDomains === 'true' && (domain === undefined || isCloudFronts(domain))) {
    throw new SettingsError(
      'hstsIncludeSubDomains=true is of a domain of the team’s own: set portalDomainName with it.',
    );
  }
}

/** The settings that close the API: all or none. */
function refuseHalfClosed(settings: PortalValues & Neighbours): void {
  const { portalOriginDomainName, portalOriginCertificateArn, portalClientCertificateArn, portalTruststore } = settings;
  const closed = { portalOriginDomainName, portalOriginCertificateArn, portalClientCertificateArn, portalTruststore };
  const isSet = Object.values(closed).map((value) => value !== undefined);
  if (!isSet.includes(true)) return;
  if (isSet.includes(false)) {
    throw new SettingsError(
      `${Object.keys(closed).join(', ')} must be set together: an API that is open beside CloudFront can be flooded past its web ACL.`,
    );
  }
  if (!hasPortal(settings)) {
    throw new SettingsError('portalOriginDomainName is of a portal: set portalDomainName or portal=on with it.');
  }
  const { portalDomainName, domainName, edgeOriginDomainName } = settings;
  if ([portalDomainName, domainName, edgeOriginDomainName].includes(portalOriginDomainName)) {
    throw new SettingsError(
      'portalOriginDomainName must be a domain of its own: not portalDomainName, domainName or edgeOriginDomainName.',
    );
  }
}

/** The sign-in. */
function refuseWrongPeople({ oidcIssuer, ...settings }: PortalValues): void {
  const provider = [oidcIssuer, settings.oidcClientId, settings.oidcClientSecretArn];
  if (provider.includes(undefined) && provider.some((part) => part !== undefined)) {
    throw new SettingsError(
      'oidcIssuer, oidcClientId and oidcClientSecretArn must be set together: they are one client.',
    );
  }
  if (oidcIssuer !== undefined && !hasPortal(settings)) {
    throw new SettingsError('oidcIssuer is of a portal: set portalDomainName or portal=on with it.');
  }
  if (oidcIssuer === undefined && settings.oidcTrustEmail !== undefined) {
    throw new SettingsError(
      'oidcIssuer must be set with oidcTrustEmail: a user pool says which addresses are verified.',
    );
  }
  if (oidcIssuer !== undefined && settings.selfSignUp === 'open') {
    throw new SettingsError('selfSignUp=open is of the user pool: with oidcIssuer people sign up there.');
  }
}

/** The portal's mails, its link for help, and the source of its notices. */
function refuseWrongNotices({ mailFrom, supportUrl, ...settings }: PortalValues & Neighbours): void {
  if (!hasPortal(settings)) {
    const set = Object.entries({ mailFrom, supportUrl }).find(([, value]) => value !== undefined);
    if (set) throw new SettingsError(`${set[0]} is of a portal: set portalDomainName or portal=on with it.`);
  }
  const { restoredGatewayTable: table, restoredGatewayStreamArn: stream } = settings;
  if (stream !== undefined && !stream.includes(`:table/${table}/stream/`)) {
    throw new SettingsError('restoredGatewayStreamArn must be a stream of restoredGatewayTable.');
  }
  if (table !== undefined && stream === undefined && hasPortal(settings)) {
    throw new SettingsError(
      'restoredGatewayStreamArn must be set with restoredGatewayTable where there is a portal: what people are told comes ' +
        'from the stream of the table. npm run restore turns it on and says it.',
    );
  }
}

/**
 * Whether CloudFront writes logs to buckets of a region (CloudFront, "Choose an Amazon S3 bucket for standard logs").
 */
const takesCloudFrontsLog = (region: string): boolean =>
  RegionInfo.regions.some(
    ({ name, partition, isOptInRegion }) => name === region && partition === 'aws' && !isOptInRegion,
  );

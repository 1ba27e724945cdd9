import type * as v from 'valibot';
import { SettingsError } from '../../functions/core/named-value.ts';
import * as value from '../setting-values.ts';

/** What a stage says of its portal. Undefined: there is none of it, or the portal's function has its own default. */
export interface PortalValues {
  /** `on` deploys the portal on CloudFront's own domain; {@link portalDomainName} deploys it, too. */
  readonly portal: 'on' | 'off';
  /** The domain of the portal: the team's own with its certificate in us-east-1, or that which CloudFront gave it. */
  readonly portalDomainName: string | undefined;
  readonly portalCertificateArn: string | undefined;
  /** A web ACL of AWS WAF for CloudFront, in us-east-1. */
  readonly portalWebAclArn: string | undefined;
  /** Requests that the portal's function serves at once, kept for it and no more; 0: no bound of its own. */
  readonly portalConcurrency: number;
  /** An OpenID provider of the team's own, in place of a user pool of Cognito. */
  readonly oidcIssuer: string | undefined;
  readonly oidcClientId: string | undefined;
  readonly oidcClientSecretArn: string | undefined;
  /** Whether the addresses of a provider are taken that says nothing of their being verified. */
  readonly oidcTrustEmail: 'true' | 'false' | undefined;
  /** What the issuer is called in identities, where that is not its address. */
  readonly oidcIssuerLabel: string | undefined;
  /** Of the user pool: who may make a person, everybody or the platform team. */
  readonly selfSignUp: 'open' | 'closed';
  readonly mfa: 'off' | 'optional' | 'required';
  /** Address that the user pool's mail comes from, verified in SES; undefined: Cognito's own, 50 mails a day. */
  readonly signInEmailFrom: string | undefined;
  /** Which of its clients of the user pool the portal is: another number is another client, with another secret. */
  readonly signInClient: number;
  readonly sessionIdleMinutes: number | undefined;
  readonly sessionHours: number | undefined;
  readonly accountsPerPerson: number | undefined;
  readonly projectsPerAccount: number | undefined;
  readonly projectsPerPeriod: number | undefined;
  readonly activeKeysPerProject: number | undefined;
  readonly membersPerAccount: number | undefined;
  readonly changesPerMinute: number | undefined;
  readonly readsPerMinute: number | undefined;
  readonly signInsPerMinute: number | undefined;
}

/** Of a stage that says nothing of a portal. */
export const NO_PORTAL: PortalValues = {
  portal: 'off',
  portalDomainName: undefined,
  portalCertificateArn: undefined,
  portalWebAclArn: undefined,
  portalConcurrency: 20,
  oidcIssuer: undefined,
  oidcClientId: undefined,
  oidcClientSecretArn: undefined,
  oidcTrustEmail: undefined,
  oidcIssuerLabel: undefined,
  selfSignUp: 'closed',
  mfa: 'optional',
  signInEmailFrom: undefined,
  signInClient: 1,
  sessionIdleMinutes: undefined,
  sessionHours: undefined,
  accountsPerPerson: undefined,
  projectsPerAccount: undefined,
  projectsPerPeriod: undefined,
  activeKeysPerProject: undefined,
  membersPerAccount: undefined,
  changesPerMinute: undefined,
  readsPerMinute: undefined,
  signInsPerMinute: undefined,
};

const MINUTES_PER_HOUR = 60;
const MINUTES_PER_DAY = 1_440;
const HOURS_PER_WEEK = 168;
const limit = value.optional(value.integer(1, 1_000_000));

/** How each is checked, wherever it comes from. */
export const PORTAL_SCHEMAS: { readonly [Name in keyof PortalValues]: v.GenericSchema<unknown, PortalValues[Name]> } = {
  portal: value.oneOf(['on', 'off']),
  portalDomainName: value.domain,
  portalCertificateArn: value.cloudFrontCertificateArn,
  portalWebAclArn: value.cloudFrontWebAclArn,
  portalConcurrency: value.integer(0, 1_000),
  oidcIssuer: value.issuer,
  oidcClientId: value.clientId,
  oidcClientSecretArn: value.secretArn,
  oidcTrustEmail: value.optional(value.oneOf(['true', 'false'])),
  oidcIssuerLabel: value.clientId,
  selfSignUp: value.oneOf(['open', 'closed']),
  mfa: value.oneOf(['off', 'optional', 'required']),
  signInEmailFrom: value.email,
  signInClient: value.integer(1, 1_000),
  sessionIdleMinutes: value.optional(value.integer(1, MINUTES_PER_DAY)),
  sessionHours: value.optional(value.integer(1, HOURS_PER_WEEK)),
  accountsPerPerson: limit,
  projectsPerAccount: limit,
  projectsPerPeriod: limit,
  activeKeysPerProject: limit,
  membersPerAccount: limit,
  changesPerMinute: limit,
  readsPerMinute: limit,
  signInsPerMinute: limit,
};

/** Whether a stage has a portal of its own. */
export const hasPortal = ({ portal, portalDomainName }: Pick<PortalValues, 'portal' | 'portalDomainName'>): boolean =>
  portal === 'on' || portalDomainName !== undefined;

/** Whether a domain is one that CloudFront gives, with its own certificate. */
export const isCloudFronts = (domainName: string): boolean => domainName.endsWith('.cloudfront.net');

/** Throws `SettingsError` for values that are right each for itself, and not together. */
export function refusePortalContradictions(
  settings: PortalValues & { readonly portalOrigin: string | undefined; readonly domainName: string | undefined },
): void {
  const { portalDomainName: domain, portalCertificateArn: certificate, portalOrigin, oidcIssuer } = settings;
  if (portalOrigin !== undefined && hasPortal(settings)) {
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
  const { sessionIdleMinutes: idle, sessionHours: hours } = settings;
  if (idle !== undefined && hours !== undefined && idle > hours * MINUTES_PER_HOUR) {
    throw new SettingsError('sessionIdleMinutes must be at most sessionHours: a session ends with its hours.');
  }
}

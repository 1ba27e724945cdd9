import type * as v from 'valibot';
import { MAX_ACTIVE_KEYS } from '../../functions/wiring.ts';
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
  /** What closes the portal's API to all but CloudFront: a domain of the API behind it, with its certificate … */
  readonly portalOriginDomainName: string | undefined;
  readonly portalOriginCertificateArn: string | undefined;
  /** … the certificate that CloudFront shows there, and where that certificate's issuer is. */
  readonly portalClientCertificateArn: string | undefined;
  readonly portalTruststore: string | undefined;
  /** Whether browsers are told to use HTTPS for all hosts below the portal's domain, too. */
  readonly hstsIncludeSubDomains: 'true' | 'false';
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
  /** Whether the user pool stays with a portal that has another provider, and where there is no portal. */
  readonly keepUserPool: 'true' | 'false';
  /** Of the user pool: who may make a person, everybody or the platform team. */
  readonly selfSignUp: 'open' | 'closed';
  readonly mfa: 'off' | 'optional' | 'required';
  /** Address that the user pool's mail comes from, verified in SES; undefined: Cognito's own, 50 mails a day. */
  readonly signInEmailFrom: string | undefined;
  /** Which of its clients of the user pool the portal is: another number is another client, with another secret. */
  readonly signInClient: number;
  readonly sessionIdleMinutes: number | undefined;
  readonly sessionHours: number | undefined;
  /** Until when session tokens from before they had tags are taken; undefined: not at all. */
  readonly untaggedSessionsUntil: string | undefined;
  readonly accountsPerPerson: number | undefined;
  readonly projectsPerAccount: number | undefined;
  readonly projectsPerPeriod: number | undefined;
  readonly activeKeysPerProject: number | undefined;
  readonly membersPerAccount: number | undefined;
  readonly invitationsPerAddress: number | undefined;
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
  portalOriginDomainName: undefined,
  portalOriginCertificateArn: undefined,
  portalClientCertificateArn: undefined,
  portalTruststore: undefined,
  hstsIncludeSubDomains: 'false',
  portalConcurrency: 20,
  oidcIssuer: undefined,
  oidcClientId: undefined,
  oidcClientSecretArn: undefined,
  oidcTrustEmail: undefined,
  oidcIssuerLabel: undefined,
  keepUserPool: 'false',
  selfSignUp: 'closed',
  mfa: 'optional',
  signInEmailFrom: undefined,
  signInClient: 1,
  sessionIdleMinutes: undefined,
  sessionHours: undefined,
  untaggedSessionsUntil: undefined,
  accountsPerPerson: undefined,
  projectsPerAccount: undefined,
  projectsPerPeriod: undefined,
  activeKeysPerProject: undefined,
  membersPerAccount: undefined,
  invitationsPerAddress: undefined,
  changesPerMinute: undefined,
  readsPerMinute: undefined,
  signInsPerMinute: undefined,
};

const MINUTES_PER_DAY = 1_440;
const HOURS_PER_WEEK = 168;
const limit = value.optional(value.integer(1, 1_000_000));

/** How each is checked, wherever it comes from. */
export const PORTAL_SCHEMAS: { readonly [Name in keyof PortalValues]: v.GenericSchema<unknown, PortalValues[Name]> } = {
  portal: value.oneOf(['on', 'off']),
  portalDomainName: value.domain,
  portalCertificateArn: value.cloudFrontCertificateArn,
  portalWebAclArn: value.cloudFrontWebAclArn,
  portalOriginDomainName: value.domain,
  portalOriginCertificateArn: value.certificateArn,
  portalClientCertificateArn: value.cloudFrontCertificateArn,
  portalTruststore: value.truststore,
  hstsIncludeSubDomains: value.oneOf(['true', 'false']),
  portalConcurrency: value.integer(0, 1_000),
  oidcIssuer: value.issuer,
  oidcClientId: value.clientId,
  oidcClientSecretArn: value.secretArn,
  oidcTrustEmail: value.optional(value.oneOf(['true', 'false'])),
  oidcIssuerLabel: value.clientId,
  keepUserPool: value.oneOf(['true', 'false']),
  selfSignUp: value.oneOf(['open', 'closed']),
  mfa: value.oneOf(['off', 'optional', 'required']),
  signInEmailFrom: value.email,
  signInClient: value.integer(1, 1_000),
  sessionIdleMinutes: value.optional(value.integer(1, MINUTES_PER_DAY)),
  sessionHours: value.optional(value.integer(1, HOURS_PER_WEEK)),
  untaggedSessionsUntil: value.moment,
  accountsPerPerson: limit,
  projectsPerAccount: limit,
  projectsPerPeriod: limit,
  activeKeysPerProject: value.optional(value.integer(1, MAX_ACTIVE_KEYS)),
  membersPerAccount: limit,
  invitationsPerAddress: limit,
  changesPerMinute: limit,
  readsPerMinute: limit,
  signInsPerMinute: limit,
};

/** Whether a stage has a portal of its own. */
export const hasPortal = ({ portal, portalDomainName }: Pick<PortalValues, 'portal' | 'portalDomainName'>): boolean =>
  portal === 'on' || portalDomainName !== undefined;

/** Whether a domain is one that CloudFront gives, with its own certificate. */
export const isCloudFronts = (domainName: string): boolean => domainName.endsWith('.cloudfront.net');

/** What closes a portal's API. */
export type ClosedApi = NonNullable<ReturnType<typeof closedApiOf>>;

/** How the API of a portal is closed to all but CloudFront; undefined: it is not. */
export function closedApiOf(settings: PortalValues) {
  const { portalOriginDomainName, portalOriginCertificateArn, portalClientCertificateArn, portalTruststore } = settings;
  return portalOriginDomainName === undefined ||
    portalOriginCertificateArn === undefined ||
    portalClientCertificateArn === undefined ||
    portalTruststore === undefined
    ? undefined
    : { portalOriginDomainName, portalOriginCertificateArn, portalClientCertificateArn, portalTruststore };
}

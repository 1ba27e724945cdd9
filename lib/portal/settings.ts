import type * as v from 'valibot';
import { MAX_ACTIVE_KEYS } from '../../functions/wiring.ts';
import * as value from '../setting-values.ts';

/** A stage's settings of its portal. Undefined: not set, or the function's own default. */
export interface PortalValues {
  /** `on` deploys the portal on CloudFront's own domain; {@link portalDomainName} deploys it, too. */
  readonly portal: 'on' | 'off';
  /** The domain of the portal: the team's own with its certificate in us-east-1, or CloudFront's. */
  readonly portalDomainName: string | undefined;
  readonly portalCertificateArn: string | undefined;
  /** A web ACL of AWS WAF for CloudFront, in us-east-1. */
  readonly portalWebAclArn: string | undefined;
  /** For a portal's API that only CloudFront reaches: a domain of the API behind it, with its certificate … */
  readonly portalOriginDomainName: string | undefined;
  readonly portalOriginCertificateArn: string | undefined;
  /** … CloudFront's client certificate, and the file with its issuer. */
  readonly portalClientCertificateArn: string | undefined;
  readonly portalTruststore: string | undefined;
  /** Whether browsers use HTTPS for all hosts below the portal's domain, too. */
  readonly hstsIncludeSubDomains: 'true' | 'false';
  /** Reserved concurrency of the portal's function, which is also its bound; 0: none. */
  readonly portalConcurrency: number;
  /** An OpenID provider of the team, instead of a user pool of Cognito. */
  readonly oidcIssuer: string | undefined;
  readonly oidcClientId: string | undefined;
  readonly oidcClientSecretArn: string | undefined;
  /** Whether to accept the addresses of a provider that does not say whether they are verified. */
  readonly oidcTrustEmail: 'true' | 'false' | undefined;
  /** The issuer's name in identities, if it is not its address. */
  readonly oidcIssuerLabel: string | undefined;
  /** Whether the user pool stays when the portal uses another provider, or the stage has no portal. */
  readonly keepUserPool: 'true' | 'false';
  /** In the user pool: everybody may sign up, or only the platform team makes people. */
  readonly selfSignUp: 'open' | 'closed';
  readonly mfa: 'off' | 'optional' | 'required';
  /** The sender of the user pool's mail, verified in SES; undefined: Cognito's own, 50 mails a day. */
  readonly signInEmailFrom: string | undefined;
  /** The number of the user pool's client: another number is another client, with another secret. */
  readonly signInClient: number;
  /** The sender of the portal's own mail, verified in SES; undefined: it sends none. */
  readonly mailFrom: string | undefined;
  /**
   * The address for people who need help, for example with a used-up quota: https or mailto; undefined: the portal
   * shows none.
   */
  readonly supportUrl: string | undefined;
  readonly sessionIdleMinutes: number | undefined;
  readonly sessionHours: number | undefined;
  /** Until when session tokens without a tag are accepted; undefined: not at all. */
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

/** The settings of a stage without a portal. */
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
  mailFrom: undefined,
  supportUrl: undefined,
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

/** The schema of each setting. */
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
  mailFrom: value.email,
  supportUrl: value.supportUrl,
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

/** Whether a domain is CloudFront's own, with CloudFront's certificate. */
export const isCloudFronts = (domainName: string): boolean => domainName.endsWith('.cloudfront.net');

/** The settings of a closed API. */
export type ClosedApi = NonNullable<ReturnType<typeof closedApiOf>>;

/** The settings of a closed API; undefined: it is not closed. */
export function closedApiOf(settings: PortalValues) {
  const { portalOriginDomainName, portalOriginCertificateArn, portalClientCertificateArn, portalTruststore } = settings;
  return portalOriginDomainName === undefined ||
    portalOriginCertificateArn === undefined ||
    portalClientCertificateArn === undefined ||
    portalTruststore === undefined
    ? undefined
    : { portalOriginDomainName, portalOriginCertificateArn, portalClientCertificateArn, portalTruststore };
}

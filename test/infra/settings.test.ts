import { describe, expect, test } from '@jest/globals';
import { stageSettings } from '../../lib/settings.ts';
import { CERTIFICATE, CLOSED, EDGE, OWN_ISSUER, PORTAL_PROD, PROBE_KEY, PROD } from '../support/stack.ts';

describe('the settings of a stage', () => {
  test('are those of dev when nothing is set', () => {
    expect(stageSettings({})).toEqual({
      stage: 'dev',
      account: undefined,
      region: undefined,
      portalOrigin: undefined,
      localDevOrigin: 'http://localhost:5173',
      quotaPeriod: 'month',
      rpmDefault: 60,
      quotaDefault: 10_000,
      usageRetentionDays: 400,
      usageTableClass: 'standard',
      warmWriteUnitsPerSecond: undefined,
      restoredGatewayTable: undefined,
      restoredUsageTable: undefined,
      backupCopyVaultArn: undefined,
      backupCopyRetentionDays: 90,
      logRetentionDays: 7,
      pingRequestsPerSecond: 50,
      pingBurst: 100,
      provisionedConcurrency: 0,
      concurrencyQuota: 1_000,
      deployment: 'allAtOnce',
      probe: 'off',
      probeKeySecretArn: undefined,
      alarmEmail: undefined,
      monthlyBudgetUsd: 'none',
      runbookUrl: 'docs/operating.md',
      domainName: undefined,
      certificateArn: undefined,
      edgeCertificateArn: undefined,
      edgeOriginDomainName: undefined,
      edgeClientCertificateArn: undefined,
      edgeTruststore: undefined,
      edgeTruststoreVersion: undefined,
      edgeAddressRequestsPerMinute: 1_200,
      portal: 'off',
      portalConcurrency: 0,
      selfSignUp: 'closed',
      mfa: 'optional',
      signInClient: 1,
      keepUserPool: 'false',
      hstsIncludeSubDomains: 'false',
    });
  });

  test('with a portal on a domain make that domain the origin that the gateway lets read', () => {
    expect(stageSettings(PORTAL_PROD)).toMatchObject({ ...PORTAL_PROD, portalOrigin: 'https://portal.example.com' });
    const cloudFronts = { portal: 'on', portalDomainName: 'd111111abcdef8.cloudfront.net' };
    expect(stageSettings(cloudFronts).portalOrigin).toBe('https://d111111abcdef8.cloudfront.net');
    expect(stageSettings({ portal: 'on' }).portalOrigin).toBeUndefined();
  });

  test('of prod have a canary, long logs, and no origin of a portal under development unless it is set on purpose', () => {
    expect(stageSettings(PROD)).toMatchObject({
      localDevOrigin: undefined,
      deployment: 'canary',
      logRetentionDays: 90,
    });
    expect(stageSettings({ ...PROD, localDevOrigin: 'http://localhost:9' }).localDevOrigin).toBe('http://localhost:9');
  });

  test('are overridden by context, which is text on the command line and may be a number in cdk.json', () => {
    const context = { rpmDefault: '120', quotaDefault: 0, alarmEmail: 'team@example.com', localDevOrigin: '' };
    expect(stageSettings(context)).toMatchObject({ ...context, rpmDefault: 120, localDevOrigin: undefined });
  });

  test('may name any region without a portal, and with one those that every account has', () => {
    const place = (region: string) => ({ account: '123456789012', region });
    for (const region of ['eu-south-1', 'us-gov-west-1', 'eusc-de-east-1']) {
      expect(stageSettings(place(region)).region).toBe(region);
    }
    for (const region of ['eu-central-1', 'us-east-1', 'ap-northeast-3', 'sa-east-1', 'ca-central-1']) {
      expect(stageSettings({ ...PORTAL_PROD, ...place(region) }).region).toBe(region);
    }
  });

  test('may enforce no quota by default', () => {
    expect(stageSettings({ quotaDefault: 'none' }).quotaDefault).toBe('none');
  });

  test('may name a domain with its certificate', () => {
    const domain = { domainName: 'api.example.com', certificateArn: CERTIFICATE };
    expect(stageSettings({ ...PROD, ...domain })).toMatchObject(domain);
  });
});

describe('is refused with one line that names it:', () => {
  test.each([
    ['an unknown stage', { stage: 'production' }, 'stage must be one of dev, staging, prod, not "production".'],
    ['prod without a portal', { stage: 'prod' }, 'portalDomainName must be set in prod'],
    ['any origin', { portalOrigin: '*' }, 'portalOrigin must be one origin: no list, no wildcard.'],
    ['a wildcard origin', { portalOrigin: 'https://*.example.com' }, 'portalOrigin must be one origin'],
    [
      'a trailing slash',
      { portalOrigin: 'https://a.example.com/' },
      'portalOrigin must be written as browsers send it',
    ],
    ['a path', { localDevOrigin: 'http://localhost:5173/app' }, 'localDevOrigin must be written as browsers send it'],
    ['a default port', { portalOrigin: 'https://a.example.com:443' }, 'as browsers send it, https://a.example.com'],
    ['capitals', { portalOrigin: 'https://Portal.example.com' }, 'as browsers send it, https://portal.example.com'],
    ['plain http', { portalOrigin: 'http://portal.example.com' }, 'portalOrigin must use https'],
    ['a host like localhost', { localDevOrigin: 'http://localhost.example.com' }, 'localDevOrigin must use https'],
    ['no origin', { portalOrigin: 'portal.example.com' }, 'portalOrigin must be an origin such as'],
    ['an opaque origin', { portalOrigin: 'null' }, 'portalOrigin must be an origin such as'],
    ['a rate of 0', { rpmDefault: '0' }, 'rpmDefault must be a whole number from 1 to 1000000, not "0".'],
    ['a quota with a fraction', { quotaDefault: '1.5' }, 'quotaDefault must be a whole number'],
    ['a negative quota', { quotaDefault: -1 }, 'quotaDefault must be a whole number'],
    ['retention within the period', { usageRetentionDays: '30' }, 'usageRetentionDays must be a whole number from 62'],
    ['retention CloudWatch has not', { logRetentionDays: '8' }, 'logRetentionDays must be one of 1, 3, 5, 7'],
    ['a burst below its rate', { pingRequestsPerSecond: '1000', pingBurst: '10' }, 'pingBurst must be at least'],
    ['too many warm instances', { provisionedConcurrency: '1001' }, 'provisionedConcurrency must be a whole number'],
    ['another period', { quotaPeriod: 'week' }, 'quotaPeriod must be one of month, day, not "week".'],
    ['no address', { alarmEmail: 'team' }, 'alarmEmail must be like team@example.com, not "team".'],
    ['a script for support', { ...PORTAL_PROD, supportUrl: 'javascript:alert(1)' }, 'supportUrl must be like https://'],
    ['a runbook without https', { runbookUrl: 'wiki/runbook' }, 'runbookUrl must be an https address'],
    ['a domain without certificate', { domainName: 'api.example.com' }, 'certificateArn must be set with domainName'],
    ['a certificate without domain', { certificateArn: CERTIFICATE }, 'domainName must be set with certificateArn.'],
    [
      'half a restore',
      { restoredUsageTable: 'Usage-restored' },
      'restoredGatewayTable and restoredUsageTable must be set',
    ],
    ['a table with a slash', { restoredUsageTable: 'table/x' }, 'restoredUsageTable must be like'],
    ['no ARN', { domainName: 'api.example.com', certificateArn: 'x' }, 'certificateArn must be like arn:aws:acm'],
    ['an address as domain', { domainName: 'https://api.example.com' }, 'domainName must be like api.example.com'],
    ['an account without region', { account: '123456789012' }, 'account and region must be set together'],
    ['a region without account', { region: 'eu-central-1' }, 'account and region must be set together'],
    [
      'an account by name',
      { account: 'prod', region: 'eu-central-1' },
      'account must be like 123456789012, not "prod".',
    ],
    ['a region by name', { account: '123456789012', region: 'Frankfurt' }, 'region must be like eu-central-1'],
    ['a key without a probe', { probeKeySecretArn: PROBE_KEY }, 'probe must be on with probeKeySecretArn'],
    [
      'a key in place of its secret',
      { probe: 'on', probeKeySecretArn: 'x' },
      'probeKeySecretArn must be like arn:aws:',
    ],
    ['a probe of another kind', { probe: 'yes' }, 'probe must be one of off, on, not "yes".'],
    ['a quota below any', { concurrencyQuota: '9' }, 'concurrencyQuota must be a whole number from 10'],
    ['a budget that tells nobody', { monthlyBudgetUsd: 200 }, 'alarmEmail must be set with monthlyBudgetUsd'],
    ['a budget of 0', { monthlyBudgetUsd: 0 }, 'monthlyBudgetUsd must be a whole number from 1'],
    ...['edgeCertificateArn', 'edgeOriginDomainName', 'edgeClientCertificateArn', 'edgeTruststore'].map((name) => [
      `an edge without ${name}`,
      { ...EDGE, [name]: undefined },
      'edgeCertificateArn, edgeOriginDomainName, edgeClientCertificateArn, edgeTruststore must be set together',
    ]),
    [
      'an edge in no account',
      { ...EDGE, account: undefined, region: undefined },
      'domainName, certificateArn, account and region must be set with an edge.',
    ],
    [
      'an edge without a domain',
      { ...EDGE, domainName: undefined, certificateArn: undefined },
      'domainName, certificateArn, account and region must be set with an edge.',
    ],
    [
      'one domain for the edge and what is behind it',
      { ...EDGE, edgeOriginDomainName: EDGE.domainName },
      'edgeOriginDomainName must be another domain than domainName',
    ],
    [
      'a certificate where CloudFront does not look',
      { ...EDGE, edgeCertificateArn: CERTIFICATE },
      'edgeCertificateArn must be like arn:aws:acm:us-east-1:',
    ],
    [
      'a truststore on the web',
      { ...EDGE, edgeTruststore: 'https://example.com/ca.pem' },
      'edgeTruststore must be like s3:',
    ],
    [
      'a version of no truststore',
      { edgeTruststoreVersion: 'v1' },
      'edgeTruststore must be set with edgeTruststoreVersion',
    ],
    [
      'less than a table takes at once anyway',
      { warmWriteUnitsPerSecond: 3_999 },
      'warmWriteUnitsPerSecond must be a whole number from 4000',
    ],
    ['a rate below WAF’s', { edgeAddressRequestsPerMinute: 9 }, 'edgeAddressRequestsPerMinute must be a whole number'],
    ['a vault by name', { backupCopyVaultArn: 'copies' }, 'backupCopyVaultArn must be like arn:aws:backup:'],
    [
      'a portal of the stage’s and one of someone else’s',
      { ...PORTAL_PROD, portalOrigin: 'https://portal.example.com' },
      'portalOrigin and portalDomainName cannot both be set: the one is a portal of someone else',
    ],
    [
      'a portal without a domain, and one of someone else’s',
      { portal: 'on', portalOrigin: 'https://portal.example.com' },
      'portalOrigin and portal=on cannot both be set',
    ],
    ['a portal in prod without a domain', { stage: 'prod', portal: 'on' }, 'portalDomainName must be set in prod'],
    [
      'a portal’s domain without certificate',
      { portalDomainName: 'portal.example.com' },
      'portalCertificateArn must be set with portalDomainName',
    ],
    [
      'a portal’s certificate of another region',
      { ...PORTAL_PROD, portalCertificateArn: CERTIFICATE },
      'portalCertificateArn must be like arn:aws:acm:us-east-1:123456789012:certificate/…, not',
    ],
    [
      'a portal’s certificate without domain',
      { portalCertificateArn: PORTAL_PROD.portalCertificateArn },
      'portalDomainName must be set with portalCertificateArn.',
    ],
    [
      'a certificate for CloudFront’s domain',
      { ...PORTAL_PROD, portalDomainName: 'd111111abcdef8.cloudfront.net' },
      'portalCertificateArn cannot be set with a domain of CloudFront',
    ],
    [
      'one domain for both',
      { ...PORTAL_PROD, domainName: 'portal.example.com', certificateArn: CERTIFICATE },
      'portalDomainName and domainName must be two domains',
    ],
    [
      'a web ACL of a region',
      { portalWebAclArn: 'arn:aws:wafv2:eu-central-1:123456789012:regional/webacl/x/0d1e2f3a' },
      'portalWebAclArn must be like arn:aws:wafv2:us-east-1',
    ],
    [
      'half a provider',
      { ...PORTAL_PROD, oidcIssuer: OWN_ISSUER.oidcIssuer },
      'oidcIssuer, oidcClientId and oidcClientSecretArn must be set together',
    ],
    ['a provider without a portal', { ...PROD, ...OWN_ISSUER }, 'oidcIssuer is of a portal: set portalDomainName or'],
    [
      'a provider over plain http',
      { ...PORTAL_PROD, ...OWN_ISSUER, oidcIssuer: 'http://login.example.com' },
      'oidcIssuer must be like https://login.example.com',
    ],
    [
      'a secret’s text in place of its ARN',
      { ...PORTAL_PROD, ...OWN_ISSUER, oidcClientSecretArn: 'hunter2' },
      'oidcClientSecretArn must be like arn:aws:secretsmanager:',
    ],
    [
      'trust in addresses of a user pool',
      { ...PORTAL_PROD, oidcTrustEmail: 'true' },
      'oidcIssuer must be set with oidcTrustEmail',
    ],
    [
      'open sign-up at a provider of the team’s own',
      { ...PORTAL_PROD, ...OWN_ISSUER, selfSignUp: 'open' },
      'selfSignUp=open is of the user pool',
    ],
    [
      'sessions that are idle for longer than they last',
      { sessionIdleMinutes: 121, sessionHours: 2 },
      'sessionIdleMinutes must be at most sessionHours',
    ],
    [
      'a limit of 0',
      { projectsPerAccount: 0 },
      'projectsPerAccount must be a whole number from 1 to 1000000, not "0".',
    ],
    [
      'more active keys than an item of the database holds',
      { activeKeysPerProject: 10_001 },
      'activeKeysPerProject must be a whole number from 1 to 10000, not "10001".',
    ],
    ...Object.keys(CLOSED).map((name) => [
      `a portal that is closed without ${name}`,
      { ...PORTAL_PROD, ...CLOSED, [name]: undefined },
      `${Object.keys(CLOSED).join(', ')} must be set together`,
    ]),
    ['a closed portal that there is not', { ...PROD, ...CLOSED }, 'portalOriginDomainName is of a portal: set'],
    ...['portal.example.com', 'api.example.com', 'origin.api.example.com'].map((taken) => [
      `an API of the portal at ${taken}, which is another’s`,
      { ...EDGE, ...PORTAL_PROD, ...CLOSED, portalOriginDomainName: taken },
      'portalOriginDomainName must be a domain of its own: not portalDomainName, domainName or edgeOriginDomainName.',
    ]),
    [
      'a client certificate where CloudFront does not look',
      { ...PORTAL_PROD, ...CLOSED, portalClientCertificateArn: CERTIFICATE },
      'portalClientCertificateArn must be like arn:aws:acm:us-east-1:',
    ],
    [
      'transport security of all neighbours on a domain of CloudFront’s',
      { portal: 'on', hstsIncludeSubDomains: 'true' },
      'hstsIncludeSubDomains=true is of a domain of the team’s own: set portalDomainName with it.',
    ],
    ...['eu-south-1', 'ap-southeast-3', 'me-central-1', 'cn-north-1', 'xx-new-1'].map((region) => [
      `a portal in ${region}, where CloudFront puts no log`,
      { ...PORTAL_PROD, account: '123456789012', region },
      `region cannot be ${region} with a portal: CloudFront does not put its log into buckets of regions that an account has to switch on.`,
    ]),
    ['another kind of portal', { portal: 'yes' }, 'portal must be one of on, off, not "yes".'],
    ['a list', { portalOrigin: ['https://a.example.com'] }, 'portalOrigin must be text or a number.'],
  ] as [string, Record<string, unknown>, string][])('%s', (_what, context, message) => {
    expect(() => stageSettings(context)).toThrow(
      expect.objectContaining({ message: expect.stringContaining(message) }),
    );
    expect(() => stageSettings(context)).not.toThrow(/\n/);
  });

  test.each([
    ['portalorigin', 'portalOrigin'],
    ['portal-origin', 'portalOrigin'],
    ['portalOrgin', 'portalOrigin'],
    ['email', 'alarmEmail'],
    ['domain', 'domainName'],
    ['quotaDefaultUnits', 'quotaDefault'],
    ['Stage', 'stage'],
    ['stageName', 'stage'],
  ])('the unknown name %s, which looks like %s', (name, meant) => {
    expect(() => stageSettings({ [name]: 'x' })).toThrow(`There is no setting ${name}. Did you mean ${meant}?`);
  });

  test.each(['env', 'rpm', 'costCentre'])('the unknown name %s, with a list of those there are', (name) => {
    expect(() => stageSettings({ [name]: 'prod' })).toThrow(
      `There is no setting ${name}. The settings are stage, account, region, portalOrigin, `,
    );
  });

  test('but names of the CDK, and the team’s own with a colon, are let pass', () => {
    const context = { 'cli-telemetry': false, '@aws-cdk/core:stackRelativeExports': true, 'availability-zones:x': [] };
    expect(stageSettings({ ...context, 'team:costCentre': '4711' }).stage).toBe('dev');
  });
});

test('prod has more room than the other stages, and every stage less than API Gateway’s own limit', () => {
  const [dev, staging, prod] = [{}, { stage: 'staging' }, PROD].map((context) => stageSettings(context));
  for (const stage of [dev, staging]) expect(stage).toMatchObject({ pingRequestsPerSecond: 50, pingBurst: 100 });
  expect(prod).toMatchObject({ pingRequestsPerSecond: 200, pingBurst: 400 });
});

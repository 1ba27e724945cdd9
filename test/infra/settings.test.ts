import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { RegionInfo } from 'aws-cdk-lib/region-info';
import { concurrencyShares } from '../../lib/concurrency.ts';
import { rateLimit } from '../../lib/rate-limit.ts';
import { stageSettings } from '../../lib/settings.ts';
import {
  CERTIFICATE,
  EDGE,
  OWN_ISSUER,
  PORTAL_DOMAIN,
  PROBE_KEY,
  REPLICATED,
  RESTORED,
  STANDBY,
} from '../support/stack.ts';

const PLACE_OF_LESS = { portal: 'off', account: '123456789012', region: 'ap-southeast-5' };

describe('the settings of a stage', () => {
  test('do not follow from a stage’s name', () => {
    const { stage: _stage, ...named } = stageSettings({ stage: 'prod' });
    const { stage: _dev, ...dev } = stageSettings({});
    expect(named).toEqual(dev);
  });

  test('are overridden by context, which is text on the command line and may be a number in cdk.json', () => {
    const context = { rpmDefault: '120', quotaDefault: 0, alarmEmail: 'team@example.com', localDevOrigin: '' };
    expect(stageSettings(context)).toMatchObject({ ...context, rpmDefault: 120, localDevOrigin: undefined });
    for (const production of [true, 'true']) expect(stageSettings({ production }).production).toBe(true);
  });

  test.each(['d', 'pr1234', 'abcdefghijklmnop'])('may be of a stage %s', (stage) => {
    expect(stageSettings({ stage }).stage).toBe(stage);
  });

  test('may name any region without a portal, and with one those that every account has', () => {
    const place = (region: string) => ({ account: '123456789012', region });
    for (const region of ['eu-south-1', 'us-gov-west-1', 'eusc-de-east-1']) {
      expect(stageSettings({ portal: 'off', ...place(region) }).region).toBe(region);
    }
    for (const region of ['eu-central-1', 'us-east-1', 'ap-northeast-3', 'sa-east-1', 'ca-central-1']) {
      expect(stageSettings(place(region)).region).toBe(region);
    }
  });
});

test('API Gateway takes 2,500 requests a second and 1,250 at once in thirteen regions, 10,000 and 5,000 elsewhere', () => {
  expect(stageSettings({ ...PLACE_OF_LESS, meteredRequestsPerSecond: 2_500 }).meteredRequestsPerSecond).toBe(2_500);
  const page = readFileSync('docs/cost-and-limits.md', 'utf8').replaceAll(/\s+/g, ' ');
  const [, names = ''] = /2,500 with bursts of 1,250 in ([^.]+)\./.exec(page) ?? [];
  const lower = RegionInfo.regions.flatMap(({ name }) => (rateLimit(2_500, name).burst === 1_250 ? [name] : []));
  expect([lower.length, names.split(', ').length]).toEqual([13, 13]);
  for (const [rate, burst] of [
    [600, 1_200],
    [625, 1_250],
    [2_500, 1_250],
  ] as const) {
    expect(rateLimit(rate, 'me-central-1')).toEqual({ requestsPerSecond: rate, burst });
  }
  expect(rateLimit(10_000, 'eu-central-1').burst).toBe(5_000);
});

describe('of the account’s concurrent executions', () => {
  test('nothing is reserved while the account may be new, and each event source takes two', () => {
    expect(concurrencyShares(10)).toEqual({ portal: 0, mails: 2, webhooks: 2, daily: 2, alarm: 8 });
  });

  test.each([
    [199, { portal: 0, mails: 2, webhooks: 3, daily: 2, alarm: 159 }],
    [1_000, { portal: 20, mails: 2, webhooks: 10, daily: 2, alarm: 800 }],
    [100_000, { portal: 100, mails: 2, webhooks: 10, daily: 2, alarm: 80_000 }],
  ])('a stage takes parts: %i', (quota, shares) => {
    expect(concurrencyShares(quota)).toEqual(shares);
  });

  test('a stage may hold four fifths', () => {
    const context = { concurrencyQuota: 100, provisionedConcurrency: 74 };
    expect(stageSettings(context)).toMatchObject(context);
    expect(() => stageSettings({ ...context, provisionedConcurrency: 75 })).toThrow(
      'concurrencyQuota must be at least 102, and what the account really has: the stage would hold 81 of 100 ' +
        'concurrent executions (75 for provisionedConcurrency, 0 for the portal, 2 for mails, 2 for webhooks, 2 for ' +
        'daily work), of which it may hold four fifths.',
    );
  });
});

describe('is refused with one line that names it:', () => {
  const whole = 'must be a whole number from';
  test.each([
    ...['Prod', 'my-stage', '1st', 'abcdefghijklmnopq', ''].map((stage) => [
      `a stage ${stage}`,
      { stage },
      stage === '' ? 'stage must be text.' : 'stage must be up to 16 lower-case letters and digits, a letter first.',
    ]),
    ['a doubtful production', { production: 'yes' }, 'production must be true or false'],
    ['any origin', { portalOrigin: '*' }, 'portalOrigin must be one origin: no list, no wildcard.'],
    ['a trailing slash', { portalOrigin: 'https://a.example.com/' }, 'portalOrigin must be written as browsers send'],
    ['a path', { localDevOrigin: 'http://localhost:5173/app' }, 'localDevOrigin must be written as browsers send it'],
    ['plain http', { portalOrigin: 'http://portal.example.com' }, 'portalOrigin must use https'],
    ['a host like localhost', { localDevOrigin: 'http://localhost.example.com' }, 'localDevOrigin must use https'],
    ['a rate of 0', { rpmDefault: '0' }, `rpmDefault ${whole} 1 to 1000000, not "0".`],
    ['no address', { alarmEmail: 'team' }, 'alarmEmail must be like team@example.com, not "team".'],
    ['a script for support', { supportUrl: 'javascript:alert(1)' }, 'supportUrl must be like https://'],
    ...['a', 'Acme', 'acme,beta', 'acme_', 'thirteenchars'].map((keyPrefix) => [
      `the prefix ${keyPrefix}`,
      { keyPrefix },
      `keyPrefix must be 2 to 12 letters a to z, not "${keyPrefix}".`,
    ]),
    ['a list with nothing in it', { formerKeyPrefixes: 'beta,' }, 'formerKeyPrefixes must be like acme,beta, not'],
    ['an account by name', { account: 'prod' }, 'account must be like 123456789012, not "prod".'],
    ['a certificate of another region', { edgeCertificateArn: CERTIFICATE }, 'must be like arn:aws:acm:us-east-1:'],
    ['a provider over plain http', { oidcIssuer: 'http://login.example.com' }, 'oidcIssuer must be like https://login'],
    ['a secret’s text', { oidcClientSecretArn: 'hunter2' }, 'oidcClientSecretArn must be like arn:aws:secretsmanager:'],
    // What is valid alone, and not together.
    ['an account alone', { account: '123456789012' }, 'account and region must be set together'],
    ['a domain alone', { domainName: 'api.example.com' }, 'domainName and certificateArn must be set together'],
    [
      'a portal’s domain alone',
      { portalDomainName: 'portal.example.com' },
      'portalDomainName and portalCertificateArn must be set together: a certificate of ACM in us-east-1.',
    ],
    [
      'one domain for both',
      { ...PORTAL_DOMAIN, domainName: 'portal.example.com', certificateArn: CERTIFICATE },
      'portalDomainName and domainName must be two domains',
    ],
    ...['edgeCertificateArn', 'edgeOriginDomainName', 'edgeClientCertificateArn', 'edgeTruststore'].map((name) => [
      `an edge without ${name}`,
      { ...EDGE, [name]: undefined },
      'edgeCertificateArn, edgeOriginDomainName, edgeClientCertificateArn and edgeTruststore must be set together',
    ]),
    ...[
      { account: undefined, region: undefined },
      { domainName: undefined, certificateArn: undefined },
    ].map((missing) => [
      `an edge without ${Object.keys(missing).join(' and ')}`,
      { ...EDGE, ...missing },
      'domainName, certificateArn, account and region must be set with an edge.',
    ]),
    [
      'one domain for an edge and its API',
      { ...EDGE, edgeOriginDomainName: EDGE.domainName },
      'must be another domain',
    ],
    ['a key without a probe', { probeKeySecretArn: PROBE_KEY }, 'probe must be on with probeKeySecretArn'],
    ['a probe that tells nobody', { probe: 'on' }, 'alarmEmail must be set with probe=on'],
    ['canaries without alarms', { deployment: 'canary' }, 'alarmEmail must be set with deployment=canary'],
    ['a budget that tells nobody', { monthlyBudgetUsd: 200 }, 'alarmEmail must be set with monthlyBudgetUsd'],
    [
      'a portal of the stage’s and one of someone else’s',
      { portal: 'on', portalOrigin: 'https://portal.example.com' },
      'portalOrigin and portal=on cannot both be set',
    ],
    ...[PORTAL_DOMAIN, { mailFrom: 'a@example.com' }, OWN_ISSUER].map((settings) => [
      `${Object.keys(settings)[0]} without a portal`,
      { portal: 'off', ...settings },
      `${Object.keys(settings)[0]} is of the stage’s own portal`,
    ]),
    [
      'more than API Gateway takes in the region',
      { ...PLACE_OF_LESS, meteredRequestsPerSecond: 2_501 },
      'meteredRequestsPerSecond must be at most 2500 in ap-southeast-5: API Gateway takes no more there.',
    ],
    ['half a provider', { oidcIssuer: OWN_ISSUER.oidcIssuer }, 'oidcIssuer, oidcClientId and oidcClientSecretArn must'],
    ['trust in a user pool’s addresses', { oidcTrustEmail: 'true' }, 'oidcIssuer must be set with oidcTrustEmail'],
    ['open sign-up elsewhere', { ...OWN_ISSUER, selfSignUp: 'open' }, 'selfSignUp=open is of the user pool'],
    [
      'a sender of another domain',
      { signInEmailFrom: 'a@example.org', sesVerifiedDomain: 'example.com' },
      'signInEmailFrom must be an address of sesVerifiedDomain.',
    ],
    [
      'half a restore',
      { restoredUsageTable: 'Usage-restored' },
      'restoredGatewayStreamArn and restoredUsageTable must',
    ],
    ...[
      { ...REPLICATED, account: undefined, region: undefined },
      { ...REPLICATED, replicaRegion: REPLICATED.region },
    ].map((settings) => [
      `a copy in ${settings.replicaRegion} of a stage in ${settings.region}`,
      settings,
      'account and region must be set with replicaRegion, which is another region.',
    ]),
    [
      'a copy of a copy',
      { ...REPLICATED, keyTagSecretArn: STANDBY.keyTagSecretArn },
      'replicaRegion and keyTagSecretArn cannot both be set',
    ],
    ...(['keyTagSecretArn', 'restoredGatewayStreamArn'] as const).map((name) => [
      `${name} of another region`,
      { ...STANDBY, [name]: STANDBY[name].replace('eu-central-1', 'eu-west-1') },
      `${name} must be of eu-central-1, the region of the stage, and not of eu-west-1.`,
    ]),
    ...(
      [
        [{ portal: undefined }, 'portal must be off with standby'],
        [{ provisionedConcurrency: 1 }, 'provisionedConcurrency must be 0 with standby'],
        [{ probe: 'on' }, 'probe must be off with standby'],
      ] as const
    ).map(([settings, message]) => [
      `a standby with ${Object.keys(settings)[0]} ${Object.values(settings)[0]}`,
      { ...STANDBY, ...settings },
      message,
    ]),
    ['one table twice', { ...RESTORED, restoredUsageTable: 'Gateway-restored' }, 'must be of two tables'],
    ...['eu-south-1', 'cn-north-1', 'xx-new-1'].map((region) => [
      `a portal in ${region}, where CloudFront puts no log`,
      { account: '123456789012', region },
      `region cannot be ${region} with a portal`,
    ]),
  ] as [string, Record<string, unknown>, string][])('%s', (_what, context, message) => {
    expect(() => stageSettings(context)).toThrow(
      expect.objectContaining({ message: expect.stringContaining(message) }),
    );
    expect(() => stageSettings(context)).not.toThrow(/\n/);
  });

  test.each(['env', 'rpm', 'portalorigin'])('the unknown name %s, with a list of those there are', (name) => {
    expect(() => stageSettings({ [name]: 'prod' })).toThrow(
      `There is no setting ${name}. The settings are stage, production, account, region, `,
    );
  });

  test('but names of the CDK, and the team’s own with a colon, are let pass', () => {
    const context = { 'cli-telemetry': false, '@aws-cdk/core:stackRelativeExports': true, 'availability-zones:x': [] };
    expect(stageSettings({ ...context, 'team:costCentre': '4711' }).stage).toBe('dev');
  });
});

import { runInNewContext } from 'node:vm';
import { describe, expect, test } from '@jest/globals';
import { PLAIN_FILES, servedAs } from '../../lib/portal/app-files.ts';
import { pageHeaders } from '../../lib/portal/page-headers.ts';
import { securityText } from '../../lib/portal/security-text.ts';
import {
  actionsOf,
  OWN_ISSUER,
  propertiesOf,
  resourcesOf,
  stages,
  statementsOf,
  variablesIn,
  type StackTemplate,
  type Statement,
} from '../support/stack.ts';

const { prod, full, ownIssuer, alone } = await stages();
const { portal, portalFront: front } = prod;

function distributionOf(template: StackTemplate): Distribution {
  const [found] = propertiesOf<{ DistributionConfig: Distribution }>(template, 'AWS::CloudFront::Distribution');
  if (!found) throw new Error('there is no distribution');
  return found.DistributionConfig;
}

interface Behaviour {
  readonly PathPattern?: string;
  readonly ResponseHeadersPolicyId: { readonly Ref: string };
  readonly TargetOriginId: string;
}
interface Distribution {
  readonly Origins: readonly {
    readonly Id: string;
    readonly DomainName: unknown;
    readonly CustomOriginConfig?: object;
  }[];
  readonly DefaultCacheBehavior: Behaviour;
  readonly CacheBehaviors: readonly Behaviour[];
  readonly CustomErrorResponses: readonly object[];
  readonly Logging: object;
}
/** CloudFront's own policies (CloudFront, "Use managed cache policies" and "Use managed origin request policies"). */
const CACHING_DISABLED = '4135ea2d-6df8-44a3-9df3-4b5a84be39ad';
const CACHING_OPTIMIZED = '658327ea-f89d-4fab-a63d-7e88639e58f6';
const ALL_VIEWER_EXCEPT_HOST_HEADER = 'b689b0a8-53d0-40ab-baf2-68738e2966ac';

const distribution = distributionOf(front);
function behaviour(pattern: string): Behaviour {
  const found = distribution.CacheBehaviors.find(({ PathPattern }) => PathPattern === pattern);
  if (!found) throw new Error(`nothing is said of ${pattern}`);
  return found;
}

/** A text that CloudFormation joins, with a name in place of each reference. */
function textOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if ('Fn::Join' in value) {
    const [separator, parts] = value['Fn::Join'] as [string, unknown[]];
    return parts.map(textOf).join(separator);
  }
  return `<${/[A-Za-z]+(?=[0-9A-F]*"\]?\}$)/.exec(JSON.stringify(value))?.[0] ?? 'value'}>`;
}

describe('the files of the app', () => {
  interface Bucket {
    readonly PublicAccessBlockConfiguration: object;
  }
  const [[filesId, files] = ['', undefined]] = resourcesOf(front, 'AWS::S3::Bucket').filter(([id]) =>
    id.includes('SiteFiles'),
  );

  test('are kept from the public, and let be read and listed by this distribution alone', () => {
    const [isBlocked, ...others] = new Set(Object.values((files?.Properties as Bucket).PublicAccessBlockConfiguration));
    expect([isBlocked, others]).toEqual([true, []]);
    const policies = propertiesOf<{ Bucket: { Ref: string }; PolicyDocument: { Statement: object[] } }>(
      front,
      'AWS::S3::BucketPolicy',
    );
    const policy = policies.find(({ Bucket }) => Bucket.Ref === filesId);
    expect(policy?.PolicyDocument.Statement).toEqual([
      expect.objectContaining({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
      expect.objectContaining({
        Effect: 'Allow',
        Action: ['s3:GetObject', 's3:ListBucket'],
        Principal: { Service: 'cloudfront.amazonaws.com' },
        Condition: { StringEquals: { 'AWS:SourceArn': expect.anything() } },
      }),
    ]);
  });
});

describe('the distribution', () => {
  test('keeps hashed assets, and neither the page nor an answer of the API', () => {
    expect(distribution.DefaultCacheBehavior).toMatchObject({ CachePolicyId: CACHING_DISABLED });
    for (const pattern of ['/assets/*', '/clients/*/*'])
      expect(behaviour(pattern)).toMatchObject({ CachePolicyId: CACHING_OPTIMIZED });
    for (const pattern of PLAIN_FILES) expect(behaviour(pattern)).toMatchObject({ CachePolicyId: CACHING_DISABLED });
    expect(behaviour('/api/*')).toMatchObject({
      CachePolicyId: CACHING_DISABLED,
      OriginRequestPolicyId: ALL_VIEWER_EXCEPT_HOST_HEADER,
      ViewerProtocolPolicy: 'https-only',
      AllowedMethods: expect.arrayContaining(['GET', 'POST', 'PATCH', 'DELETE']),
    });
  });

  test('keeps no error for anybody, and puts no page in the place of one', () => {
    const statuses = [400, 403, 404, 405, 414, 500, 501, 502, 503, 504];
    expect(distribution.CustomErrorResponses).toEqual(
      statuses.map((ErrorCode) => ({ ErrorCode, ErrorCachingMinTTL: 0 })),
    );
  });

  const [edge] = propertiesOf<{ FunctionCode: string }>(front, 'AWS::CloudFront::Function');
  const atEdge = (event: object): unknown => runInNewContext(`${edge?.FunctionCode}; handler(event)`, { event });

  test('answers every path that is no file and no API with the page', () => {
    for (const uri of ['/', '/accounts/acc_1/projects/p', '/index.html', '/favicon.ico', '/a//b']) {
      const event = { request: { uri, method: 'GET', headers: {} } };
      expect(atEdge(event)).toEqual({ ...event.request, uri: '/index.html' });
    }
    expect(distribution.DefaultCacheBehavior).toMatchObject({
      FunctionAssociations: [{ EventType: 'viewer-request' }],
    });
    // Whatever is in the bucket from a time when a package had an address without its sum.
    for (const uri of ['/clients/sandbox-gateway-0.2.0.tgz', '/clients/'])
      expect(atEdge({ request: { uri, method: 'GET', headers: {} } })).toMatchObject({ statusCode: 404 });
    // A missing file stays a 404, and the API has its own 404.
    for (const pattern of ['/assets/*', '/api/*', '/manage/*'])
      expect(behaviour(pattern)).not.toHaveProperty('FunctionAssociations');
    expect(distribution.CacheBehaviors).toHaveLength(4 + PLAIN_FILES.length);
  });

  test.each([
    ...PLAIN_FILES.map((pattern) => [pattern, pattern.replace('*', 'a.b-1')] as const),
    ['/clients/*/*', '/clients/0123456789ab/sandbox-gateway-0.2.0.tgz'] as const,
    ['/clients/*/*', '/clients/0123456789ab/sandbox_gateway-0.2.0-py3-none-any.whl'] as const,
  ])('gives %s its type, whatever the upload has guessed, and changes nothing else', (pattern, uri) => {
    expect(behaviour(pattern)).toMatchObject({
      Compress: pattern !== '/clients/*/*',
      FunctionAssociations: [{ EventType: 'viewer-response' }],
    });
    const guessed = { 'content-type': { value: 'binary/octet-stream' }, etag: { value: '"1"' } };
    const event = { request: { uri }, response: { statusCode: 200, headers: guessed } };
    const { type } = servedAs(uri);
    expect(type).not.toMatch(/octet-stream/);
    expect(atEdge(event)).toEqual({ statusCode: 200, headers: { ...guessed, 'content-type': { value: type } } });
  });

  test('leaves the type of a file whose name it cannot read', () => {
    const response = { statusCode: 200, headers: { 'content-type': { value: 'text/markdown' } } };
    expect(atEdge({ request: { uri: '/docs/errors%2Emd' }, response: structuredClone(response) })).toEqual(response);
  });

  test('lets the management API through as the page’s: every method and header, nothing cached', () => {
    const { PathPattern: _, ...manage } = behaviour('/manage/*') as { PathPattern: string };
    expect(behaviour('/api/*')).toMatchObject(manage);
  });

  /** The headers of a policy, as a browser gets them. */
  function headersOf({ ResponseHeadersPolicyId: { Ref } }: Behaviour, template = front): Record<string, unknown> {
    const { ResponseHeadersPolicyConfig } = template.Resources[Ref]?.Properties as {
      ResponseHeadersPolicyConfig: {
        SecurityHeadersConfig: Record<string, Record<string, unknown>>;
        CustomHeadersConfig?: { Items: { Header: string; Value: string }[] };
      };
    };
    const { SecurityHeadersConfig: own, CustomHeadersConfig } = ResponseHeadersPolicyConfig;
    const { ContentSecurityPolicy: content, ReferrerPolicy: referrer, StrictTransportSecurity: transport } = own;
    return {
      ...(content && { 'Content-Security-Policy': textOf(content.ContentSecurityPolicy) }),
      ...(referrer && { 'Referrer-Policy': referrer.ReferrerPolicy }),
      'Strict-Transport-Security': `max-age=${String(transport?.AccessControlMaxAgeSec)}${transport?.IncludeSubdomains === true ? '; includeSubDomains' : ''}`,
      ...(own.ContentTypeOptions && { 'X-Content-Type-Options': 'nosniff' }),
      ...Object.fromEntries((CustomHeadersConfig?.Items ?? []).map(({ Header, Value }) => [Header, Value])),
    };
  }

  test('adds the headers of the page to all files, and what is missing to the API’s answers', () => {
    const page = pageHeaders('<ApiEndpointE>');
    const given = headersOf(distribution.DefaultCacheBehavior);
    const policy = String(given['Content-Security-Policy']).replace(/<\w+>/, '<ApiEndpointE>');
    expect({ ...given, 'Content-Security-Policy': policy }).toEqual(page);
    expect(behaviour('/assets/*').ResponseHeadersPolicyId).toEqual(
      distribution.DefaultCacheBehavior.ResponseHeadersPolicyId,
    );
    const { 'Content-Security-Policy': _ofPages, Link: _catalog, ...shared } = page;
    expect(headersOf(behaviour('/api/*'))).toEqual({
      'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
      ...shared,
    });
  });

  test('logs without cookies', () => {
    expect(distribution.Logging).toMatchObject({ IncludeCookies: false });
  });

  test('has the domain and the web ACL that are set', () => {
    expect(distributionOf(full.portalFront)).toMatchObject({
      Aliases: ['portal.example.com'],
      ViewerCertificate: {
        AcmCertificateArn: expect.stringContaining(':acm:us-east-1:'),
        MinimumProtocolVersion: 'TLSv1.2_2021',
      },
      WebACLId: expect.stringContaining(':global/webacl/'),
    });
    for (const none of ['Aliases', 'WebACLId']) expect(distribution).not.toHaveProperty(none);
  });
});

describe('the pages', () => {
  interface Deployment {
    readonly Prune: boolean;
    readonly RetainOnDelete?: boolean;
    readonly Include: string[];
    readonly SystemMetadata: Readonly<Record<string, string>>;
  }
  const TYPE = 'Custom::CDKBucketDeployment';
  const deployments = propertiesOf<Deployment>(portal, TYPE);
  const by = (include: string) => deployments.find(({ Include }) => Include.includes(include));

  test('are put in three uploads, of a portal of at most fifty resources', () => {
    expect(deployments.map(({ Include }) => Include)).toEqual([
      ['assets/*', 'clients/*/*'],
      PLAIN_FILES.map((pattern) => pattern.slice(1)),
      ['index.html'],
    ]);
    for (const stage of [prod, full]) expect(Object.keys(stage.portal.Resources).length).toBeLessThanOrEqual(50);
  });

  test('are put without deleting any, not even when an upload is: an open page of an older version finds its own files', () => {
    for (const { Prune, RetainOnDelete = true } of deployments) expect([Prune, RetainOnDelete]).toEqual([false, true]);
    const [[, role] = []] = resourcesOf(portal, 'AWS::IAM::Role').filter(([id]) => id.startsWith('PortalPagesRole'));
    const { Policies } = role?.Properties as { Policies: { PolicyDocument: { Statement: Statement[] } }[] };
    const statements = Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
    expect(statements.flatMap(actionsOf).sort()).toEqual([
      ...['logs:CreateLogStream', 'logs:PutLogEvents', 's3:GetObject', 's3:ListBucket', 's3:PutObject'],
    ]);
    expect(JSON.stringify(propertiesOf(portal, 'AWS::IAM::Policy'))).not.toContain('PortalPagesRole');
  });

  test('are kept for a year if their names have a hash; what has a fixed name is asked for each time', () => {
    expect(by('assets/*')?.SystemMetadata).toEqual({ 'cache-control': 'public, max-age=31536000, immutable' });
    expect(by('clients/index.json')?.SystemMetadata).toEqual({ 'cache-control': 'no-cache' });
    expect(by('llms.txt')?.SystemMetadata).toEqual({ 'cache-control': 'no-cache' });
    expect(by('index.html')?.SystemMetadata).toEqual({
      'cache-control': 'no-cache',
      'content-type': 'text/html; charset=utf-8',
    });
  });

  test('name no package before it is there', () => {
    const [assets, plain] = resourcesOf(portal, TYPE);
    expect(plain?.[1].DependsOn).toContain(assets?.[0]);
  });

  test('end with the page, after the alias has moved: no page meets an older function', () => {
    const last = resourcesOf(portal, TYPE).find(([, { Properties }]) =>
      (Properties as Deployment).Include.includes('index.html'),
    );
    const before = resourcesOf(portal, TYPE).flatMap(([id]) => (id === last?.[0] ? [] : [id]));
    expect(last?.[1].DependsOn).toEqual(expect.arrayContaining([...before, expect.stringMatching(/^PortalLive/)]));
  });
});

test('whom to tell of a weakness is a file where the stage has an address for it, and holds for a year', () => {
  const sources = ({ portal: template }: typeof prod) =>
    propertiesOf<{ SourceObjectKeys: string[] }>(template, 'Custom::CDKBucketDeployment').map(
      ({ SourceObjectKeys }) => SourceObjectKeys.length,
    );
  expect(sources(prod)).toEqual([1, 1, 1]);
  expect(sources(full)).toEqual([1, 2, 1]);
  const nowMs = Date.parse('2026-11-29T10:00:00.000Z');
  expect(securityText('mailto:help@example.com', 'acme,svc', nowMs)).toMatch(
    /^# .*\n# Keys are \(acme\|svc\)_\(test\|live\)_\[0-9A-Za-z\]\{42\}\nContact: mailto:help@example\.com\nExpires: 2027-11-29T00:00:00\.000Z\nPreferred-Languages: en\n$/,
  );
});

describe('the function', () => {
  test('serves all that is below /api/ and /manage/, the callback and reports with limits of their own', () => {
    expect(propertiesOf(portal, 'AWS::ApiGatewayV2::Route')).toEqual([
      expect.objectContaining({ RouteKey: 'ANY /api/{proxy+}' }),
      expect.objectContaining({ RouteKey: 'ANY /manage/{proxy+}' }),
      expect.objectContaining({ RouteKey: 'GET /api/sign-in/callback' }),
      expect.objectContaining({ RouteKey: 'POST /api/leaked-keys' }),
    ]);
    expect(propertiesOf(full.portal, 'AWS::ApiGatewayV2::Stage')).toMatchObject([
      {
        DefaultRouteSettings: { ThrottlingRateLimit: 250, ThrottlingBurstLimit: 500 },
        RouteSettings: {
          'GET /api/sign-in/callback': { ThrottlingRateLimit: 10, ThrottlingBurstLimit: 20 },
          'POST /api/leaked-keys': { ThrottlingRateLimit: 2, ThrottlingBurstLimit: 10 },
        },
      },
    ]);
  });

  test('gets what it needs, of its secrets only their places; secrets of key tags as the gateway', () => {
    const { KEY_TAG_SECRETS, ...told } = variablesIn(portal);
    expect(Object.keys(told).sort()).toEqual([
      ...['CLIENT_PACKAGES', 'COGNITO_ORIGIN', 'DEFAULT_QUOTA_UNITS', 'DEFAULT_RPM', 'GATEWAY_TABLE', 'GATEWAY_URL'],
      ...[
        'KEY_PREFIXES',
        'LEAKED_KEYS',
        'MAIL_FROM',
        'OIDC_CLIENT_ID',
        'OIDC_CLIENT_SECRET_ARN',
        'OIDC_ISSUER',
        'PORTAL_ORIGIN',
      ],
      ...['QUOTA_PERIOD', 'STAGE', 'SUPPORT_URL', 'USAGE_RETENTION_DAYS', 'USAGE_TABLE'],
    ]);
    expect(KEY_TAG_SECRETS).toEqual({ 'Fn::Join': expect.anything() });
    const text = JSON.stringify(portal);
    expect(text.match(/"ClientSecret"\]/g)).toHaveLength(1);
  });
});

describe('the people', () => {
  const [pool] = resourcesOf(prod.data, 'AWS::Cognito::UserPool');

  test('are made by the platform team, unless sign-up is open', () => {
    const [open] = resourcesOf(full.data, 'AWS::Cognito::UserPool');
    const closed = { AdminCreateUserConfig: { AllowAdminCreateUserOnly: true } };
    expect(pool?.[1].Properties).toMatchObject(closed);
    expect(open?.[1].Properties).toMatchObject({ AdminCreateUserConfig: { AllowAdminCreateUserOnly: false } });
  });

  test('sign in with a password or a passkey, which counts for two factors', () => {
    const [required] = resourcesOf(full.data, 'AWS::Cognito::UserPool');
    for (const [found, MfaConfiguration] of [
      [pool, 'OPTIONAL'],
      [required, 'ON'],
    ] as const) {
      expect(found?.[1].Properties).toMatchObject({
        MfaConfiguration,
        EnabledMfas: ['SOFTWARE_TOKEN_MFA'],
        Policies: { SignInPolicy: { AllowedFirstAuthFactors: ['PASSWORD', 'WEB_AUTHN'] } },
        WebAuthnFactorConfiguration: 'MULTI_FACTOR_WITH_USER_VERIFICATION',
        WebAuthnUserVerification: 'required',
      });
    }
    // Passkeys are bound to the host of the sign-in pages.
    const host = textOf((pool?.[1].Properties as Record<string, unknown>).WebAuthnRelyingPartyID);
    expect(variablesIn(portal)).toMatchObject({ COGNITO_ORIGIN: expect.anything() });
    expect(textOf(variablesIn(portal).COGNITO_ORIGIN)).toBe(`https://${String(host)}`);
  });

  test('come back to the portal only', () => {
    const [client] = propertiesOf(full.portal, 'AWS::Cognito::UserPoolClient');
    expect(client).toMatchObject({
      GenerateSecret: true,
      AllowedOAuthFlows: ['code'],
      CallbackURLs: ['https://portal.example.com/api/sign-in/callback'],
      LogoutURLs: ['https://portal.example.com/'],
      PreventUserExistenceErrors: 'ENABLED',
    });
  });
});

describe('with a provider of the team’s own', () => {
  test('there is no client of the pool and no secret of ours; the pool stays, for who comes back to it', () => {
    for (const type of [
      'AWS::Cognito::UserPoolClient',
      'AWS::Cognito::UserPoolDomain',
      'AWS::SecretsManager::Secret',
    ]) {
      expect(resourcesOf(ownIssuer.portal, type)).toEqual([]);
    }
    expect(ownIssuer.data).toEqual(prod.data);
    expect(ownIssuer.portal.Outputs).not.toHaveProperty('UserPoolId');
  });

  test('the function gets it, and may read its secret', () => {
    expect(variablesIn(ownIssuer.portal)).toMatchObject({
      OIDC_ISSUER: 'https://login.example.com/',
      OIDC_CLIENT_ID: 'sandbox-portal',
      OIDC_CLIENT_SECRET_ARN: OWN_ISSUER.oidcClientSecretArn,
      OIDC_TRUST_EMAIL: 'true',
    });
    expect(variablesIn(ownIssuer.portal)).not.toHaveProperty('COGNITO_ORIGIN');
    expect(statementsOf(ownIssuer.portal, 'Portal')).toContainEqual(
      expect.objectContaining({
        Action: 'secretsmanager:GetSecretValue',
        Resource: OWN_ISSUER.oidcClientSecretArn,
      }),
    );
  });
});

describe('the gateway', () => {
  const origin = ({ gateway }: { gateway: StackTemplate }) => textOf(variablesIn(gateway).PORTAL_ORIGIN);

  test('lets the portal’s origin read its answers, from the first deployment on', () => {
    expect(origin(full)).toBe('https://portal.example.com');
    expect(origin(prod)).toMatch(/^https:\/\/<\w+>$/);
    expect(origin(alone)).toBe('https://portal.example.com');
  });
});

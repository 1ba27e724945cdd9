import { runInNewContext } from 'node:vm';
import { describe, expect, test } from '@jest/globals';
import { pageHeaders } from '../../lib/portal/page-headers.ts';
import {
  actionsOf,
  CLOSED,
  OWN_ISSUER,
  PORTAL_PROD,
  propertiesOf,
  resourcesOf,
  stages,
  statementsOf,
  type StackTemplate,
} from '../support/stack.ts';

const {
  dev,
  prod,
  portal,
  portalProd,
  portalOnCloudFront,
  portalWithIssuer,
  portalMailed,
  portalRestored,
  portalSet,
  ...others
} = await stages();
const { portalMoved, portalClosed, withoutPortal } = others;
const FUNCTION = 'AWS::Lambda::Function';

/** The environment of the function. */
const variables = (template: StackTemplate): Record<string, unknown> =>
  propertiesOf<{ Environment: { Variables: Record<string, unknown> } }>(template, FUNCTION)[0]?.Environment.Variables ??
  {};
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

const distribution = distributionOf(portalProd.portal);
function behaviour(pattern: string): Behaviour {
  const found = distribution.CacheBehaviors.find(({ PathPattern }) => PathPattern === pattern);
  if (!found) throw new Error(`nothing is said of ${pattern}`);
  return found;
}

const PLAIN_FILES = ['/docs/*.md', '/llms.txt', '/openapi.yaml', '/.well-known/*'];

/** A text that CloudFormation joins, with a name in place of each reference. */
function textOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if ('Fn::Join' in value) {
    const [separator, parts] = value['Fn::Join'] as [string, unknown[]];
    return parts.map(textOf).join(separator);
  }
  return `<${/[A-Za-z]+(?=[0-9A-F]*"\]?\}$)/.exec(JSON.stringify(value))?.[0] ?? 'value'}>`;
}

describe('a stage without a portal', () => {
  test('has no stack for one, no user pool, and gives the gateway nothing of it', () => {
    for (const { data, gateway, ...others } of [dev, prod]) {
      expect(others).not.toHaveProperty('portal');
      expect(resourcesOf(data, 'AWS::Cognito::UserPool')).toEqual([]);
      expect(gateway.Outputs).not.toHaveProperty('ExportsOutputFnGetAttHttpApi9292168FApiEndpointE5347FC3');
    }
  });
});

describe('the files of the app', () => {
  interface Bucket {
    readonly PublicAccessBlockConfiguration: object;
  }
  const [[filesId, files] = ['', undefined]] = resourcesOf(portalProd.portal, 'AWS::S3::Bucket').filter(([id]) =>
    id.startsWith('SiteFiles'),
  );

  test('are kept from the public, and let be read and listed by this distribution alone', () => {
    expect((files?.Properties as Bucket).PublicAccessBlockConfiguration).toEqual({
      ...{ BlockPublicAcls: true, BlockPublicPolicy: true, IgnorePublicAcls: true, RestrictPublicBuckets: true },
    });
    const policies = propertiesOf<{ Bucket: { Ref: string }; PolicyDocument: { Statement: object[] } }>(
      portalProd.portal,
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

  test('outlive the stack: an open page still works', () => {
    for (const [, bucket] of resourcesOf(portalProd.portal, 'AWS::S3::Bucket')) {
      expect(bucket).toMatchObject({ DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' });
    }
    expect(files?.Properties).not.toHaveProperty('LifecycleConfiguration');
  });
});

describe('the distribution', () => {
  test('keeps hashed assets, and neither the page nor an answer of the API', () => {
    expect(distribution.DefaultCacheBehavior).toMatchObject({ CachePolicyId: CACHING_DISABLED });
    expect(behaviour('/assets/*')).toMatchObject({ CachePolicyId: CACHING_OPTIMIZED });
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

  test('answers every path that is no file and no API with the page', () => {
    const [code] = propertiesOf<{ FunctionCode: string }>(portalProd.portal, 'AWS::CloudFront::Function');
    for (const uri of ['/', '/accounts/acc_1/projects/p', '/index.html', '/favicon.ico', '/a//b']) {
      const event = { request: { uri, method: 'GET', headers: {} } };
      const changed: unknown = runInNewContext(`${code?.FunctionCode}; handler(event)`, { event });
      expect(changed).toEqual({ ...event.request, uri: '/index.html' });
    }
    expect(distribution.DefaultCacheBehavior).toMatchObject({
      FunctionAssociations: [{ EventType: 'viewer-request' }],
    });
    // A missing file stays a 404, and the API has its own 404.
    for (const pattern of ['/assets/*', '/api/*', ...PLAIN_FILES])
      expect(behaviour(pattern)).not.toHaveProperty('FunctionAssociations');
    expect(distribution.CacheBehaviors).toHaveLength(6);
  });

  test.each(PLAIN_FILES)('serves what programs read from the files, with the headers of the page: %s', (pattern) => {
    const { TargetOriginId, ResponseHeadersPolicyId } = distribution.DefaultCacheBehavior;
    expect(behaviour(pattern)).toMatchObject({
      ...{ TargetOriginId, ResponseHeadersPolicyId, CachePolicyId: CACHING_DISABLED, AllowedMethods: ['GET', 'HEAD'] },
    });
  });

  /** The headers of a policy, as a browser gets them. */
  function headersOf(
    { ResponseHeadersPolicyId: { Ref } }: Behaviour,
    template = portalProd.portal,
  ): Record<string, unknown> {
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

  test('speaks for the transport of its neighbours only where that is set', () => {
    const { DefaultCacheBehavior, CacheBehaviors } = distributionOf(portalClosed.portal);
    for (const each of [DefaultCacheBehavior, ...CacheBehaviors]) {
      expect(headersOf(each, portalClosed.portal)['Strict-Transport-Security']).toBe(
        'max-age=31536000; includeSubDomains',
      );
    }
  });

  test('logs without cookies, and the log goes as other logs do', () => {
    expect(distribution.Logging).toMatchObject({ IncludeCookies: false });
    const logs = resourcesOf(portalProd.portal, 'AWS::S3::Bucket').find(([id]) => id.startsWith('SiteLogs'));
    expect(logs?.[1].Properties).toMatchObject({ LifecycleConfiguration: { Rules: [{ ExpirationInDays: 90 }] } });
  });

  test('has the domain and the web ACL that are set', () => {
    expect(distribution).toMatchObject({
      Aliases: ['portal.example.com'],
      ViewerCertificate: {
        AcmCertificateArn: PORTAL_PROD.portalCertificateArn,
        MinimumProtocolVersion: 'TLSv1.2_2021',
      },
    });
    expect(distribution).not.toHaveProperty('WebACLId');
    expect(distributionOf(portalSet.portal)).toMatchObject({ WebACLId: expect.stringContaining(':global/webacl/') });
    for (const without of [portal, portalOnCloudFront])
      expect(distributionOf(without.portal)).not.toHaveProperty('Aliases');
  });
});

describe('the API', () => {
  const API = 'AWS::ApiGatewayV2::Api';
  const originOf = (template: StackTemplate) => {
    const { Origins, CacheBehaviors } = distributionOf(template);
    const api = CacheBehaviors.find(({ PathPattern }) => PathPattern === '/api/*');
    return Origins.find(({ Id }) => Id === api?.TargetOriginId);
  };

  test('has API Gateway’s own address unless it is closed', () => {
    expect(propertiesOf(portalProd.portal, API)).toEqual([
      expect.objectContaining({ DisableExecuteApiEndpoint: false }),
    ]);
    expect(resourcesOf(portalProd.portal, 'AWS::ApiGatewayV2::DomainName')).toEqual([]);
    expect(originOf(portalProd.portal)?.CustomOriginConfig).not.toHaveProperty('OriginMtlsConfig');
  });

  test('that is closed takes connections from CloudFront alone, where the web ACL is: nobody else has its certificate', () => {
    const { portal: template } = portalClosed;
    expect(propertiesOf(template, API)).toEqual([expect.objectContaining({ DisableExecuteApiEndpoint: true })]);
    expect(propertiesOf(template, 'AWS::ApiGatewayV2::DomainName')).toEqual([
      expect.objectContaining({
        DomainName: CLOSED.portalOriginDomainName,
        DomainNameConfigurations: [
          expect.objectContaining({
            CertificateArn: CLOSED.portalOriginCertificateArn,
            EndpointType: 'REGIONAL',
          }),
        ],
        MutualTlsAuthentication: { TruststoreUri: CLOSED.portalTruststore },
      }),
    ]);
    const mapping = { DomainName: { Ref: expect.stringContaining('Domain') }, Stage: '$default' };
    expect(propertiesOf(template, 'AWS::ApiGatewayV2::ApiMapping')).toEqual([expect.objectContaining(mapping)]);
    expect(originOf(template)).toMatchObject({
      DomainName: CLOSED.portalOriginDomainName,
      CustomOriginConfig: {
        OriginProtocolPolicy: 'https-only',
        OriginSSLProtocols: ['TLSv1.2'],
        OriginMtlsConfig: { ClientCertificateArn: CLOSED.portalClientCertificateArn },
      },
    });
    expect(template.Outputs).toMatchObject({
      PortalOriginDomainTarget: { Value: { 'Fn::GetAtt': [expect.anything(), 'RegionalDomainName'] } },
    });
  });
});

test('what API Gateway itself refuses for the rate is counted, under the portal’s name', () => {
  const [stage] = propertiesOf<{ AccessLogSettings: { Format: string } }>(
    portalProd.portal,
    'AWS::ApiGatewayV2::Stage',
  );
  const line = { service: 'sandbox-gateway-portal', stage: 'prod', status: '$context.status' };
  expect(JSON.parse(stage?.AccessLogSettings.Format ?? '')).toMatchObject(line);
  const [[groupId] = []] = resourcesOf(portalProd.portal, 'AWS::Logs::LogGroup').filter(([id]) =>
    id.includes('AccessLogs'),
  );
  expect(propertiesOf(portalProd.portal, 'AWS::Logs::MetricFilter')).toEqual([
    {
      LogGroupName: { Ref: groupId },
      FilterPattern: '{ $.status = "429" && $.integrationStatus = "-" }',
      MetricTransformations: [
        {
          MetricNamespace: 'SandboxGateway',
          MetricName: 'ThrottledRequests',
          MetricValue: '1',
          Dimensions: [
            { Key: 'service', Value: '$.service' },
            { Key: 'stage', Value: '$.stage' },
          ],
        },
      ],
    },
  ]);
});

describe('the function', () => {
  const [properties] = propertiesOf<Record<string, unknown>>(portalProd.portal, FUNCTION);

  test('is one: Node 24, arm64, JSON logs, traced, with so many requests at once', () => {
    expect(resourcesOf(portalProd.portal, FUNCTION)).toHaveLength(1);
    expect(properties).toMatchObject({
      ...{ Runtime: 'nodejs24.x', Architectures: ['arm64'], MemorySize: 512, Timeout: 10 },
      ...{ TracingConfig: { Mode: 'Active' }, LoggingConfig: { LogFormat: 'JSON' }, ReservedConcurrentExecutions: 20 },
    });
    expect(propertiesOf(portalSet.portal, FUNCTION)).toEqual([
      expect.objectContaining({ ReservedConcurrentExecutions: 7 }),
    ]);
    expect(propertiesOf(portal.portal, FUNCTION)[0]).not.toHaveProperty('ReservedConcurrentExecutions');
  });

  test('is moved to step by step, and back on an alarm that only a version can set off', () => {
    expect(resourcesOf(portalProd.portal, 'AWS::Lambda::Alias')).toHaveLength(1);
    const [group] = propertiesOf<{ AlarmConfiguration: { Alarms: { Name: { Ref: string } }[] } }>(
      portalProd.portal,
      'AWS::CodeDeploy::DeploymentGroup',
    );
    expect(group).toMatchObject({ DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent10Minutes' });
    expect(group?.AlarmConfiguration.Alarms.map(({ Name }) => Name.Ref.replace(/^Alarms|[0-9A-F]{8}$/g, ''))).toEqual([
      ...['PortalInternalErrors', 'PortalErrors'],
    ]);
  });

  test('serves all that is below /api/', () => {
    expect(propertiesOf(portalProd.portal, 'AWS::ApiGatewayV2::Route')).toEqual([
      expect.objectContaining({ RouteKey: 'ANY /api/{proxy+}' }),
    ]);
  });

  test('names whom people may ask, where that is set', () => {
    expect(variables(portalMailed.portal)).toMatchObject({ SUPPORT_URL: 'mailto:help@example.com' });
  });

  test('gets what it needs, of its secrets only their places; secrets of key tags as the gateway', () => {
    const { KEY_TAG_SECRETS, ...told } = variables(portalProd.portal);
    expect(Object.fromEntries(Object.entries(told).map(([name, value]) => [name, textOf(value)]))).toEqual({
      ...{ STAGE: 'prod', PORTAL_ORIGIN: 'https://portal.example.com', LOCAL_DEV_ORIGIN: '' },
      ...{ MAIL_FROM: '', SUPPORT_URL: '' },
      ...{ GATEWAY_TABLE: expect.any(String), USAGE_TABLE: expect.any(String), GATEWAY_URL: expect.any(String) },
      ...{ QUOTA_PERIOD: 'month', USAGE_RETENTION_DAYS: '400', DEFAULT_RPM: '60', DEFAULT_QUOTA_UNITS: '10000' },
      ...{ OIDC_ISSUER: expect.stringMatching(/^https:\/\/cognito-idp\./), OIDC_CLIENT_ID: expect.any(String) },
      ...{ OIDC_CLIENT_SECRET_ARN: expect.any(String), COGNITO_ORIGIN: expect.stringContaining('//sgw-prod-') },
    });
    expect(KEY_TAG_SECRETS).toEqual({ 'Fn::Join': expect.anything() });
    const text = JSON.stringify(portalProd.portal);
    expect(text.match(/"ClientSecret"\]/g)).toHaveLength(1);
  });

  test('knows the limits that are set, and has its own for the rest', () => {
    expect(variables(portalSet.portal)).toMatchObject({
      ...{ SESSION_IDLE_MINUTES: '30', SESSION_HOURS: '8', MEMBERS_PER_ACCOUNT: '9', DEFAULT_QUOTA_UNITS: 'none' },
      UNTAGGED_SESSIONS_UNTIL: '2026-11-24T20:00:00Z',
      GATEWAY_URL: 'https://api.example.com',
    });
    expect(variables(portalSet.portal)).not.toHaveProperty('PROJECTS_PER_ACCOUNT');
  });

  test('works on restored tables when the gateway does', () => {
    expect(variables(portalRestored.portal)).toMatchObject({
      ...{ GATEWAY_TABLE: 'Gateway-restored', USAGE_TABLE: 'Usage-restored' },
    });
    expect(JSON.stringify(statementsOf(portalRestored.portal, 'Portal'))).not.toContain('Tables');
  });

  test('may log, trace, work on the two tables and read one secret: nothing else, and no action by a wildcard', () => {
    const statements = statementsOf(portalProd.portal, 'Portal');
    const services = new Set(statements.flatMap(actionsOf).map((action) => action.split(':')[0]));
    expect([...services].sort()).toEqual(['dynamodb', 'logs', 'secretsmanager', 'xray']);
    expect(statements.flatMap(actionsOf).filter((action) => action.includes('*'))).toEqual([]);
    const onAll = statements.filter(({ Resource }) => [Resource].flat().includes('*'));
    expect(onAll.flatMap(actionsOf).sort()).toEqual(['xray:PutTelemetryRecords', 'xray:PutTraceSegments']);
    const ofUsage = statements.filter(({ Resource }) => JSON.stringify(Resource).includes('TablesUsage'));
    expect(ofUsage.flatMap(actionsOf)).toEqual(['dynamodb:GetItem', 'dynamodb:Query']);
    const roles = resourcesOf(portalProd.portal, 'AWS::IAM::Role').filter(([id]) => !id.includes('Deployment'));
    for (const [, { Properties }] of roles) expect(Object.keys(Properties)).toEqual(['AssumeRolePolicyDocument']);
    expect(roles).toHaveLength(1);
  });
});

describe('the people', () => {
  const [pool] = resourcesOf(portalProd.data, 'AWS::Cognito::UserPool');

  test('are kept with the tables', () => {
    expect(pool?.[1]).toMatchObject({ DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' });
    expect(pool?.[1].Properties).toMatchObject({ DeletionProtection: 'ACTIVE', UserPoolTier: 'ESSENTIALS' });
    expect(resourcesOf(portalProd.portal, 'AWS::Cognito::UserPool')).toEqual([]);
    expect(Object.keys(portalProd.data.Outputs ?? {})).toHaveLength(7);
  });

  test('are made by the platform team, unless sign-up is open', () => {
    const [open] = resourcesOf(portalSet.data, 'AWS::Cognito::UserPool');
    const closed = { AdminCreateUserConfig: { AllowAdminCreateUserOnly: true } };
    expect(pool?.[1].Properties).toMatchObject(closed);
    expect(open?.[1].Properties).toMatchObject({ AdminCreateUserConfig: { AllowAdminCreateUserOnly: false } });
  });

  test('sign in with a password or a passkey, which counts for two factors', () => {
    const [required] = resourcesOf(portalSet.data, 'AWS::Cognito::UserPool');
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
    expect(variables(portalProd.portal)).toMatchObject({ COGNITO_ORIGIN: expect.anything() });
    expect(textOf(variables(portalProd.portal).COGNITO_ORIGIN)).toBe(`https://${String(host)}`);
  });

  test('come back to the portal only, and to pages that are served: their style is there', () => {
    const [client] = propertiesOf(portalProd.portal, 'AWS::Cognito::UserPoolClient');
    expect(client).toMatchObject({
      GenerateSecret: true,
      AllowedOAuthFlows: ['code'],
      CallbackURLs: ['https://portal.example.com/api/sign-in/callback'],
      LogoutURLs: ['https://portal.example.com/'],
      PreventUserExistenceErrors: 'ENABLED',
    });
    const [look, ...others] = propertiesOf(portalProd.portal, 'AWS::Cognito::ManagedLoginBranding');
    expect(others).toEqual([]);
    // Only one of the two is allowed: Cognito's own look, or a custom one.
    expect(look).not.toHaveProperty('UseCognitoProvidedValues');
    expect(look).toMatchObject({
      Settings: { categories: { global: { colorSchemeMode: 'DYNAMIC' } } },
      Assets: [{ Category: 'FORM_LOGO', Extension: 'SVG' }],
    });
    expect(propertiesOf(portalProd.portal, 'AWS::Cognito::UserPoolDomain')).toEqual([
      expect.objectContaining({ ManagedLoginVersion: 2 }),
    ]);
  });

  test('get mail from the address that is set', () => {
    const [set] = resourcesOf(portalSet.data, 'AWS::Cognito::UserPool');
    expect(set?.[1].Properties).toMatchObject({
      EmailConfiguration: { EmailSendingAccount: 'DEVELOPER', From: 'portal@example.com' },
    });
  });

  test('are signed in by another client, with another secret, when its number changes', () => {
    const ids = (template: StackTemplate) =>
      ['AWS::Cognito::UserPoolClient', 'AWS::Cognito::ManagedLoginBranding', 'AWS::SecretsManager::Secret'].map(
        (type) => resourcesOf(template, type)[0]?.[0],
      );
    for (const [i, id] of ids(portalSet.portal).entries()) {
      expect(id).toEqual(expect.any(String));
      expect(id).not.toBe(ids(portalProd.portal)[i]);
    }
  });
});

describe('with a provider of the team’s own', () => {
  test('there is no user pool, no client of one and no secret of ours', () => {
    const { data, portal: template } = portalWithIssuer;
    for (const type of ['AWS::Cognito::UserPool', 'AWS::Cognito::UserPoolClient', 'AWS::SecretsManager::Secret']) {
      expect(resourcesOf(template, type)).toEqual([]);
    }
    expect(resourcesOf(data, 'AWS::Cognito::UserPool')).toEqual([]);
  });

  test('the function gets it, and may read its secret', () => {
    expect(variables(portalWithIssuer.portal)).toMatchObject({
      ...{ OIDC_ISSUER: 'https://login.example.com/', OIDC_CLIENT_ID: 'sandbox-portal' },
      OIDC_CLIENT_SECRET_ARN: OWN_ISSUER.oidcClientSecretArn,
      ...{ OIDC_TRUST_EMAIL: 'true', OIDC_ISSUER_LABEL: 'corporate' },
    });
    expect(variables(portalWithIssuer.portal)).not.toHaveProperty('COGNITO_ORIGIN');
    expect(statementsOf(portalWithIssuer.portal, 'Portal')).toContainEqual(
      expect.objectContaining({
        Action: 'secretsmanager:GetSecretValue',
        Resource: OWN_ISSUER.oidcClientSecretArn,
      }),
    );
  });
});

describe('the user pool of a stage that keeps it', () => {
  const exportsOf = ({ Outputs = {} }: StackTemplate) =>
    Object.values(Outputs).flatMap(({ Value, Export }) => (Export ? [[Export.Name, Value]] : []));
  /** The names of the exports of other stacks that a template imports. */
  const importsOf = (template: StackTemplate): string[] =>
    [...JSON.stringify(template).matchAll(/"Fn::ImportValue":"([^"]+)"/g)].map(([, name = '']) => name);

  test('stays as it is when people move to a provider of the team’s own: one deployment, the stack of the tables first', () => {
    expect(portalMoved.data).toEqual(portalProd.data);
    // While the stack of the tables is deployed, the portal is still the earlier one.
    const exported = new Map(exportsOf(portalMoved.data).map(([name, value]) => [name as string, value]));
    const ofData = importsOf(portalProd.portal).filter((name) => name.includes('-data:'));
    expect(ofData.some((name) => name.includes('People'))).toBe(true);
    expect(ofData.filter((name) => !exported.has(name))).toEqual([]);
  });

  test('is not the portal’s any more then: it gets the provider, and has no client of the pool', () => {
    for (const type of [
      'AWS::Cognito::UserPoolClient',
      'AWS::Cognito::UserPoolDomain',
      'AWS::SecretsManager::Secret',
    ]) {
      expect(resourcesOf(portalMoved.portal, type)).toEqual([]);
    }
    expect(importsOf(portalMoved.portal).filter((name) => name.includes('People'))).toEqual([]);
    expect(variables(portalMoved.portal)).toMatchObject({ OIDC_ISSUER: OWN_ISSUER.oidcIssuer });
    expect(portalMoved.portal.Outputs).not.toHaveProperty('UserPoolId');
  });

  test('stays where the portal goes: who signs in again is who they were', () => {
    expect(withoutPortal).not.toHaveProperty('portal');
    expect(withoutPortal.data).toEqual(portalProd.data);
  });

  test('is what staging and prod warn of while it is not kept', () => {
    expect(portalProd.warnings).toContain('keepUserPool');
    for (const { warnings } of [portalMoved, withoutPortal, portalWithIssuer, prod, portal]) {
      expect(warnings).not.toContain('keepUserPool');
    }
  });
});

describe('the gateway', () => {
  const origin = ({ gateway }: { gateway: StackTemplate }) => variables(gateway).PORTAL_ORIGIN;

  test('lets the portal’s origin read its answers, once it is known', () => {
    expect(origin(portalProd)).toBe('https://portal.example.com');
    expect(origin(portalOnCloudFront)).toBe('https://d111111abcdef8.cloudfront.net');
    expect(origin(portal)).toBe('');
  });

  test('still has two functions', () => {
    for (const { gateway, data } of [portal, portalProd, portalSet]) {
      expect(resourcesOf(gateway, FUNCTION)).toHaveLength(2);
      expect(resourcesOf(data, FUNCTION)).toHaveLength(0);
    }
  });

  test('exports its address and its topic in any case, so that a domain can be set and unset', () => {
    const exported = ({ gateway }: { gateway: StackTemplate }) =>
      Object.keys(gateway.Outputs ?? {}).filter((name) => name.startsWith('ExportsOutput')).length;
    expect([portal, portalSet, prod].map(exported)).toEqual([2, 2, 0]);
  });
});

describe('the outputs', () => {
  test('say what comes next where the gateway does not know the portal yet', () => {
    expect(textOf(portal.portal.Outputs?.NextDeployment?.Value)).toMatch(
      /deploy once more with portalDomainName=<\w+>$/,
    );
    for (const known of [portalProd, portalOnCloudFront]) {
      expect(known.portal.Outputs).not.toHaveProperty('NextDeployment');
    }
  });

  test('name the portal, its files, what DNS points to and where people come back to', () => {
    expect(Object.keys(portalProd.portal.Outputs ?? {}).sort()).toEqual([
      // For the notices.
      expect.stringMatching(/^ExportsOutput.*DomainName/),
      ...['PortalAccessLogGroup', 'PortalConcurrency', 'PortalDashboardUrl', 'PortalDeploymentApplication'],
      ...['PortalDeploymentGroup', 'PortalDistributionId', 'PortalDomainTarget', 'PortalFilesBucket'],
      ...['PortalFunctionName', 'PortalGatewayTableName', 'PortalLogGroup', 'PortalLogsBucket', 'PortalRegion'],
      ...['PortalSavedQueries', 'PortalUrl', 'SignInCallbackUrl', 'UserPoolId'],
    ]);
    expect(portalProd.portal.Outputs?.PortalConcurrency?.Value).toBe('20');
  });
});

import { describe, expect, test } from '@jest/globals';
import { CERTIFICATE, EDGE, propertiesOf, resourcesOf, stages } from '../support/stack.ts';

const { full } = await stages();
const { edge: template, front } = full;
const API_DOMAIN = 'AWS::ApiGatewayV2::DomainName';

interface Distribution {
  readonly DistributionConfig: {
    readonly CustomErrorResponses: { readonly ErrorCode: number; readonly ErrorCachingMinTTL: number }[];
    readonly Origins: object[];
    readonly DefaultCacheBehavior: object;
  };
}
const [distribution] = propertiesOf<Distribution>(template, 'AWS::CloudFront::Distribution');

describe('the API behind the edge', () => {
  test('takes connections from the edge alone: at another domain, which asks for its certificate, and nowhere else', () => {
    expect(propertiesOf(front, API_DOMAIN)).toEqual([
      expect.objectContaining({
        DomainName: 'origin.api.example.com',
        DomainNameConfigurations: [expect.objectContaining({ CertificateArn: CERTIFICATE })],
        MutualTlsAuthentication: { TruststoreUri: 's3://truststores/gateway/ca.pem' },
      }),
    ]);
    expect(propertiesOf(front, 'AWS::ApiGatewayV2::Api')).toEqual([
      expect.objectContaining({ DisableExecuteApiEndpoint: true }),
    ]);
  });
});

describe('the edge', () => {
  test('is no function of ours, and is where CloudFront looks for certificates', () => {
    expect(resourcesOf(template, 'AWS::Lambda::Function')).toEqual([]);
    expect(distribution?.DistributionConfig).toMatchObject({
      Aliases: ['api.example.com'],
      ViewerCertificate: { AcmCertificateArn: EDGE.edgeCertificateArn, MinimumProtocolVersion: 'TLSv1.2_2021' },
    });
  });

  test('shows its certificate to the API, over TLS only', () => {
    expect(distribution?.DistributionConfig.Origins).toEqual([
      expect.objectContaining({
        DomainName: 'origin.api.example.com',
        CustomOriginConfig: {
          OriginProtocolPolicy: 'https-only',
          OriginSSLProtocols: ['TLSv1.2'],
          OriginMtlsConfig: { ClientCertificateArn: EDGE.edgeClientCertificateArn },
        },
      }),
    ]);
  });

  test('passes every method, header and query on, and keeps nothing: no answer, and no error either', () => {
    expect(distribution?.DistributionConfig.DefaultCacheBehavior).toMatchObject({
      AllowedMethods: ['GET', 'HEAD', 'OPTIONS', 'PUT', 'PATCH', 'POST', 'DELETE'],
      // AWS's own policies CachingDisabled and AllViewerExceptHostHeader.
      CachePolicyId: '4135ea2d-6df8-44a3-9df3-4b5a84be39ad',
      OriginRequestPolicyId: 'b689b0a8-53d0-40ab-baf2-68738e2966ac',
      ViewerProtocolPolicy: 'https-only',
    });
    const kept = distribution?.DistributionConfig.CustomErrorResponses ?? [];
    // All statuses that CloudFront would otherwise cache for ten seconds.
    const statuses = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504];
    expect(kept.map(({ ErrorCode }) => ErrorCode)).toEqual(statuses);
    expect(new Set(kept.map(({ ErrorCachingMinTTL }) => ErrorCachingMinTTL))).toEqual(new Set([0]));
  });

  test('compresses no answer, nor does the API: a library refuses what it would have to unpack', () => {
    expect(distribution?.DistributionConfig.DefaultCacheBehavior).toMatchObject({ Compress: false });
    for (const stage of [front, full.gateway]) {
      // An HTTP API cannot; a REST API has this setting.
      expect(resourcesOf(stage, 'AWS::ApiGateway::RestApi')).toEqual([]);
      expect(JSON.stringify(stage)).not.toMatch(/"minimumCompressionSize"/i);
    }
  });

  interface WebAcl {
    readonly DefaultAction: object;
    readonly CustomResponseBodies: object;
    readonly Rules: { readonly Name: string; readonly VisibilityConfig: object }[];
  }
  const [webAcl] = propertiesOf<WebAcl>(template, 'AWS::WAFv2::WebACL');

  test('refuses what one address sends beyond its limit in a minute, as API Gateway does: 429, and when to try again', () => {
    expect(distribution?.DistributionConfig).toMatchObject({ WebACLId: { 'Fn::GetAtt': ['WebAcl', 'Arn'] } });
    expect(webAcl).toMatchObject({
      DefaultAction: { Allow: {} },
      CustomResponseBodies: { 'too-many-requests': { Content: '{"message":"Too Many Requests"}' } },
    });
    expect(webAcl?.Rules).toEqual([
      expect.objectContaining({
        Statement: {
          ManagedRuleGroupStatement: { VendorName: 'AWS', Name: 'AWSManagedRulesAmazonIpReputationList' },
        },
      }),
      expect.objectContaining({
        Statement: { RateBasedStatement: { AggregateKeyType: 'IP', EvaluationWindowSec: 60, Limit: 1200 } },
        Action: {
          Block: {
            CustomResponse: {
              ResponseCode: 429,
              CustomResponseBodyKey: 'too-many-requests',
              ResponseHeaders: [
                { Name: 'Retry-After', Value: '60' },
                { Name: 'X-Should-Retry', Value: 'true' },
              ],
            },
          },
        },
      }),
    ]);
  });

  test('logs what it refused, and shows no key in it: not in the log, not in samples', () => {
    const [log] = propertiesOf<{ RedactedFields: object[] }>(template, 'AWS::WAFv2::LoggingConfiguration');
    expect(log).toMatchObject({
      LoggingFilter: {
        DefaultBehavior: 'DROP',
        Filters: [{ Behavior: 'KEEP', Conditions: [{ ActionCondition: { Action: 'BLOCK' } }] }],
      },
    });
    expect(log?.RedactedFields).toEqual([
      { SingleHeader: { Name: 'authorization' } },
      { SingleHeader: { Name: 'idempotency-key' } },
      { UriPath: {} },
      { QueryString: {} },
    ]);
    for (const { VisibilityConfig } of webAcl?.Rules ?? []) {
      expect(VisibilityConfig).toMatchObject({ SampledRequestsEnabled: false, CloudWatchMetricsEnabled: true });
    }
  });
});

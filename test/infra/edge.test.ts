import { describe, expect, test } from '@jest/globals';
import { CERTIFICATE, EDGE, propertiesOf, resourcesOf, stages } from '../support/stack.ts';

const { prod, full } = await stages();
const { edge: template, front, gateway } = full;
const API_DOMAIN = 'AWS::ApiGatewayV2::DomainName';

interface Distribution {
  readonly DistributionConfig: {
    readonly CustomErrorResponses: { readonly ErrorCode: number; readonly ErrorCachingMinTTL: number }[];
    readonly Origins: object[];
    readonly DefaultCacheBehavior: object;
  };
}
const [distribution] = propertiesOf<Distribution>(template, 'AWS::CloudFront::Distribution');

/** Unique: in production the group stays, and must not block the next edge. */
const REFUSED_LOG = {
  'Fn::Join': [
    '',
    [
      'aws-waf-logs-sandbox-gateway-shop-eu-central-1-',
      { 'Fn::Select': [2, { 'Fn::Split': ['/', { Ref: 'AWS::StackId' }] }] },
    ],
  ],
};

test('there is no edge unless it is set', () => {
  expect(prod.parts).not.toContain('edge');
});

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

  test('is known by the domain of the edge; the outputs say where both domains must point', () => {
    expect(gateway.Outputs).toMatchObject({ ApiUrl: { Value: 'https://api.example.com' } });
    expect(front.Outputs).toMatchObject({ OriginDomainTarget: {} });
    expect(front.Outputs).not.toHaveProperty('DomainTarget');
    expect(template.Outputs).toMatchObject({
      RefusedLogGroup: { Value: REFUSED_LOG },
      DomainTarget: { Value: { 'Fn::GetAtt': [expect.anything(), 'DomainName'] } },
    });
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

  test('has the region of its stage in all names: edges of every region are in one', () => {
    expect(full.names.edge).toBe('SandboxGateway-shop-edge-eu-central-1');
    expect(propertiesOf(template, 'AWS::Logs::LogGroup')).toEqual([
      expect.objectContaining({ LogGroupName: REFUSED_LOG }),
    ]);
    for (const { AlarmName } of propertiesOf<{ AlarmName: string }>(template, 'AWS::CloudWatch::Alarm')) {
      expect(AlarmName).toMatch(/^sandbox-gateway-shop-eu-central-1-\w+$/);
    }
  });

  test('tells someone a month before its client certificate ends, and when CloudFront no longer gets through', () => {
    const topic = [{ Ref: expect.stringMatching(/^AlarmTopic/) }];
    const toTopic = { AlarmActions: topic, OKActions: topic };
    expect(propertiesOf(template, 'AWS::CloudWatch::Alarm')).toEqual([
      expect.objectContaining({
        AlarmName: expect.stringMatching(/-ClientCertificateExpiry$/),
        ...toTopic,
        Namespace: 'AWS/CertificateManager',
        MetricName: 'DaysToExpiry',
        Statistic: 'Minimum',
        Period: 86_400,
        Dimensions: [{ Name: 'CertificateArn', Value: EDGE.edgeClientCertificateArn }],
        Threshold: 30,
        ComparisonOperator: 'LessThanThreshold',
        EvaluationPeriods: 1,
        // ACM sends no data for an expired certificate.
        TreatMissingData: 'breaching',
      }),
      expect.objectContaining({
        AlarmName: expect.stringMatching(/-GatewayEdgeErrors$/),
        ...toTopic,
        Namespace: 'AWS/CloudFront',
        MetricName: '5xxErrorRate',
        Statistic: 'Average',
        Period: 60,
        Dimensions: [
          { Name: 'DistributionId', Value: { Ref: expect.stringMatching(/^Distribution/) } },
          { Name: 'Region', Value: 'Global' },
        ],
        Threshold: 5,
        EvaluationPeriods: 5,
        DatapointsToAlarm: 3,
        TreatMissingData: 'notBreaching',
      }),
    ]);
    expect(propertiesOf(template, 'AWS::SNS::Subscription')).toEqual([
      expect.objectContaining({ Endpoint: 'team@example.com' }),
    ]);
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
              ResponseHeaders: [{ Name: 'Retry-After', Value: '60' }],
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

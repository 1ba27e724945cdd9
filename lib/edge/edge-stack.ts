import { Duration, Stack, Validations, type StackProps } from 'aws-cdk-lib';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import {
  AllowedMethods,
  CachePolicy,
  Distribution,
  HttpVersion,
  OriginProtocolPolicy,
  OriginRequestPolicy,
  OriginSslPolicy,
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
  type CfnDistribution,
} from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import type { Construct } from 'constructs';
import { STACK_OUTPUTS } from '../../functions/wiring.ts';
import type { StageSettings } from '../settings.ts';
import { addOutputs } from '../stack-outputs.ts';
import type { Edge } from './edge.ts';
import { edgeWebAcl, refusedLogOf } from './web-acl.ts';

/** Where CloudFront's certificates, web ACLs and metrics are. */
export const EDGE_REGION = 'us-east-1';
/** What CloudFront would keep for ten seconds of an origin's errors, and answer to others. */
const ERROR_STATUSES = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504];

export interface EdgeStackProps extends StackProps {
  readonly settings: StageSettings;
  readonly edge: Edge;
}

/**
 * CloudFront before the API, which refuses floods before they take a place there. The API takes connections from it alone:
 * its domain asks for the client certificate that CloudFront shows. Nothing is kept at the edge.
 */
export class EdgeStack extends Stack {
  constructor(scope: Construct, id: string, { settings, edge, ...props }: EdgeStackProps) {
    super(scope, id, props);
    const webAcl = edgeWebAcl(this, 'WebAcl', settings);
    const distribution = new Distribution(this, 'Distribution', {
      comment: `Sandbox developer gateway, ${settings.stage}`,
      domainNames: [edge.domainName],
      certificate: Certificate.fromCertificateArn(this, 'Certificate', edge.edgeCertificateArn),
      minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
      httpVersion: HttpVersion.HTTP2_AND_3,
      webAclId: webAcl.attrArn,
      defaultBehavior: {
        origin: new HttpOrigin(edge.edgeOriginDomainName, {
          protocolPolicy: OriginProtocolPolicy.HTTPS_ONLY,
          originSslProtocols: [OriginSslPolicy.TLS_V1_2],
        }),
        allowedMethods: AllowedMethods.ALLOW_ALL,
        cachePolicy: CachePolicy.CACHING_DISABLED,
        originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
        viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
        compress: false,
      },
      errorResponses: ERROR_STATUSES.map((httpStatus) => ({ httpStatus, ttl: Duration.seconds(0) })),
    });
    (distribution.node.defaultChild as CfnDistribution).addPropertyOverride(
      'DistributionConfig.Origins.0.CustomOriginConfig.OriginMtlsConfig',
      { ClientCertificateArn: edge.edgeClientCertificateArn },
    );
    const acknowledge = (id: string, reason: string): void => {
      Validations.of(distribution).acknowledge({ id: `AwsSolutions-${id}`, reason });
    };
    acknowledge('CFR1', 'Callers of the API may be anywhere: a key decides who is served, not a country.');
    acknowledge(
      'CFR3',
      'A log of CloudFront has the paths and queries of callers, where they may have put a key. The access log of the ' +
        'API has what was let through, that of the web ACL what was not.',
    );
    addOutputs(this, {
      [STACK_OUTPUTS.domainTarget]: distribution.distributionDomainName,
      [STACK_OUTPUTS.refusedLogGroup]: refusedLogOf(settings.stage),
    });
  }
}

import { Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { FRONT_STACK_OUTPUTS } from '../functions/wiring.ts';
import { HttpApiAddress, type ApiDomain } from './http-api.ts';
import { PortalFront } from './portal/front.ts';
import { hasPortal } from './setting-contradictions.ts';
import type { StageSettings } from './settings.ts';
import { addOutputs } from './stack-outputs.ts';

export interface FrontStackProps extends StackProps {
  readonly settings: StageSettings;
}

/**
 * The addresses of a stage, which outlive its code: both APIs without routes, the portal's CloudFront and bucket, and
 * their domains. The stacks of the code know the addresses from here, and so know each other's.
 */
export class FrontStack extends Stack {
  readonly gateway: HttpApiAddress;
  /** Undefined: the stage has no portal of its own. */
  readonly portal: PortalFront | undefined;

  constructor(scope: Construct, id: string, { settings, ...props }: FrontStackProps) {
    super(scope, id, props);
    const { stage, portalDomainName: domainName, portalCertificateArn: certificateArn } = settings;
    const domain = domainOf(settings);
    this.gateway = new HttpApiAddress(this, 'Gateway', { name: `sandbox-gateway-${stage}`, ...(domain && { domain }) });
    this.portal = hasPortal(settings)
      ? new PortalFront(this, 'Portal', {
          ...{ stage, gatewayOrigin: this.gateway.url, webAclArn: settings.portalWebAclArn },
          domain: domainName === undefined || certificateArn === undefined ? undefined : { domainName, certificateArn },
          logRetention: settings.logRetentionDays,
        })
      : undefined;
    const target = this.gateway.domain?.regionalDomainName;
    addOutputs(this, {
      [domain?.behindEdge ? FRONT_STACK_OUTPUTS.originDomainTarget : FRONT_STACK_OUTPUTS.domainTarget]: target,
      [FRONT_STACK_OUTPUTS.portalDomainTarget]: this.portal?.distribution.host,
      [FRONT_STACK_OUTPUTS.portalFilesBucket]: this.portal?.site.files.bucketName,
      [FRONT_STACK_OUTPUTS.portalLogsBucket]: this.portal?.site.logs.bucketName,
      [FRONT_STACK_OUTPUTS.portalDistributionId]: this.portal?.distribution.distributionId,
    });
  }
}

function domainOf(settings: StageSettings): ApiDomain | undefined {
  const { domainName, certificateArn, edgeOriginDomainName: originDomainName, edgeTruststore: truststore } = settings;
  if (domainName === undefined || certificateArn === undefined) return undefined;
  return {
    ...{ domainName, certificateArn },
    ...(originDomainName !== undefined &&
      truststore !== undefined && { behindEdge: { originDomainName, truststore } }),
  };
}

import { Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { HttpApiAddress, type ApiDomain } from './http-api.ts';
import { PortalFront } from './portal/front.ts';
import type { StageSettings } from './settings.ts';
import { addOutputs, type OutputName } from './stack-outputs.ts';

/*
 * The addresses of a stage, which outlive its code. The stacks of the code learn the addresses from here, and so know
 * each other's: the gateway allows the portal's origin, and the portal's page calls the gateway.
 */

export interface FrontStackProps extends StackProps {
  readonly settings: StageSettings;
}

/** The address of the gateway: its API without routes, and its domain. */
export class FrontStack extends Stack {
  readonly address: HttpApiAddress;

  constructor(scope: Construct, id: string, { settings, ...props }: FrontStackProps) {
    super(scope, id, props);
    const domain = domainOf(settings);
    const name = `sandbox-gateway-${settings.stage}`;
    this.address = new HttpApiAddress(this, 'Gateway', { name, ...(domain && { domain }) });
    // Always exported: with a domain the portal does not use it, and an export in use cannot be removed.
    this.exportValue(this.address.endpoint);
    const target: OutputName = domain?.behindEdge ? 'OriginDomainTarget' : 'DomainTarget';
    addOutputs(this, { [target]: this.address.domain?.regionalDomainName });
  }
}

function domainOf(settings: StageSettings): ApiDomain | undefined {
  const { domainName, certificateArn, edgeOriginDomainName: originDomainName, edgeTruststore: truststore } = settings;
  if (domainName === undefined || certificateArn === undefined) return undefined;
  return {
    domainName,
    certificateArn,
    ...(originDomainName !== undefined && truststore !== undefined && { behindEdge: { originDomainName, truststore } }),
  };
}

export interface PortalFrontStackProps extends FrontStackProps {
  /** Origin of the gateway. */
  readonly gatewayOrigin: string;
}

/** The address of the portal: CloudFront, the bucket of its pages, its API without routes. */
export class PortalFrontStack extends Stack {
  readonly front: PortalFront;

  constructor(scope: Construct, id: string, { settings, gatewayOrigin, ...props }: PortalFrontStackProps) {
    super(scope, id, props);
    const { stage, portalDomainName: domainName, portalCertificateArn: certificateArn } = settings;
    this.front = new PortalFront(this, 'Portal', {
      stage,
      gatewayOrigin,
      webAclArn: settings.portalWebAclArn,
      logRetention: settings.logRetentionDays,
      domain: domainName === undefined || certificateArn === undefined ? undefined : { domainName, certificateArn },
    });
    const { site, distribution } = this.front;
    // Always exported, as the gateway's.
    this.exportValue(distribution.host);
    addOutputs(this, {
      PortalDomainTarget: distribution.host,
      PortalFilesBucket: site.files.bucketName,
      PortalLogsBucket: site.logs.bucketName,
      PortalDistributionId: distribution.distributionId,
    });
  }
}

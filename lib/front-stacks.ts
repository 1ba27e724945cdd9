import { Stack, type StackProps } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { HttpApiAddress, type ApiDomain } from './http-api.ts';
import { PortalDistribution } from './portal/distribution.ts';
import { PortalSite } from './portal/site.ts';
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
    // The release before imports it. To be removed in the next one.
    if (this.address.domain) this.exportValue(this.address.domain.name);
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

/**
 * The address of the portal: CloudFront before the bucket of its pages and an API without routes. Nothing of it is made
 * anew with the code, which learns the address from here.
 */
export class PortalFrontStack extends Stack {
  /** As browsers use it. */
  readonly origin: string;
  readonly address: HttpApiAddress;
  readonly site: PortalSite;
  readonly distribution: PortalDistribution;

  constructor(app: Construct, id: string, { settings, gatewayOrigin, ...props }: PortalFrontStackProps) {
    super(app, id, props);
    // Its name begins the logical ids of deployed resources, so it stays.
    const scope = new Construct(this, 'Portal');
    const { stage, logRetentionDays: logRetention } = settings;
    const { portalDomainName: domainName, portalCertificateArn: certificateArn } = settings;
    this.site = new PortalSite(scope, 'Site', { logRetention });
    this.address = new HttpApiAddress(scope, 'Api', { name: `sandbox-gateway-${stage}-portal` });
    this.distribution = new PortalDistribution(scope, 'Web', {
      stage,
      gatewayOrigin,
      webAclArn: settings.portalWebAclArn,
      domain: domainName === undefined || certificateArn === undefined ? undefined : { domainName, certificateArn },
      site: this.site,
      apiHost: this.address.host,
    });
    this.origin = this.distribution.origin;
    const { host, distributionId } = this.distribution;
    // Always exported, as the gateway's: alarms and a dashboard, which a stage may have or not, read the distribution.
    this.exportValue(host);
    this.exportValue(distributionId);
    addOutputs(this, {
      PortalDomainTarget: host,
      PortalFilesBucket: this.site.files.bucketName,
      PortalLogsBucket: this.site.logs.bucketName,
      PortalDistributionId: distributionId,
    });
  }
}
